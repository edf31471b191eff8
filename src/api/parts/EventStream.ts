import type { Schema } from "effect"
import { merge } from "../../domain/schema/Merge.ts"

/** Adds to an OpenAPI operation that its status 200 may also have server-sent events, with this description. */
export const alsoStream =
  (description: string) =>
  (operation: Schema.JsonObject): Schema.JsonObject =>
    merge(operation, {
      responses: { 200: { content: { "text/event-stream": { schema: { type: "string", description } } } } },
    })
