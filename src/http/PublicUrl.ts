import { Effect, Layer } from "effect"
import { PublicUrl } from "../services/PublicUrl.ts"
import { Server } from "./server/Server.ts"

export interface PublicUrlSettings {
  /** Absent: the address on which the server listens. */
  readonly publicUrl: string | undefined
}

export const layer = ({ publicUrl }: PublicUrlSettings) =>
  Layer.effect(
    PublicUrl,
    Effect.map(Server, ({ url }) => publicUrl ?? url),
  )
