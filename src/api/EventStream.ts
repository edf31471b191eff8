import type { Schema } from "effect"
import { merge } from "../domain/schema/Merge.ts"

/** Says of an operation that a success may be a stream of server-sent events as well. */
export const alsoStream =
  (description: string) =>
  (operation: Schema.JsonObject): Schema.JsonObject =>
    merge(operation, {
      responses: { 200: { content: { "text/event-stream": { schema: { type: "string", description } } } } },
    })
