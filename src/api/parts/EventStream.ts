import type { Schema } from "effect"
import { isObject, merge } from "../../domain/schema/Merge.ts"

/** Adds to an OpenAPI operation that its status 200 may also have server-sent events, with this description. */
export const alsoStream =
  (description: string) =>
  (operation: Schema.JsonObject): Schema.JsonObject =>
    merge(operation, {
      responses: { 200: { content: { "text/event-stream": { schema: { type: "string", description } } } } },
    })

/** Says in an OpenAPI operation that its status 200 has server-sent events, whose `data` has the declared schema. */
export const onlyStream =
  (description: string) =>
  ({ responses, ...operation }: Schema.JsonObject): Schema.JsonObject => {
    const read = (value: Schema.Json | undefined, name: string) => (isObject(value) ? value[name] : undefined)
    const body = read(read(read(responses, "200"), "content"), "application/json") ?? {}
    const stream = { description, content: { "text/event-stream": body } }
    return { ...operation, responses: { ...(isObject(responses) && responses), 200: stream } }
  }
