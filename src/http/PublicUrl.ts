import { Effect, Layer } from "effect"
import { PublicUrl } from "../services/PublicUrl.ts"
import { Server } from "./server/Server.ts"

export interface PublicUrlSettings {
  /** The address under which clients reach the server. Undefined for the one on which it listens. */
  readonly publicUrl: string | undefined
}

export const layer = ({ publicUrl }: PublicUrlSettings) =>
  Layer.effect(
    PublicUrl,
    Effect.map(Server, ({ url }) => publicUrl ?? url),
  )
