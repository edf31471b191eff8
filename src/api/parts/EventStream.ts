import type { Schema } from "effect"
import { merge } from "../../domain/schema/Merge.ts"

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
    const read = (value: Schema.Json | undefined, name: string): Schema.Json | undefined =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? Object.entries(value).find(([key]) => key === name)?.[1]
        : undefined
    const body = read(read(read(responses, "200"), "content"), "application/json") ?? {}
    const rest = Object.entries(typeof responses === "object" ? { ...responses } : {}).filter(([key]) => key !== "200")
    return {
      ...operation,
      responses: { 200: { description, content: { "text/event-stream": body } }, ...Object.fromEntries(rest) },
    }
  }
