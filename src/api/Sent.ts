import { Schema } from "effect"

/**
 * A change as it is sent: any object, since only what differs from what is stored has to be what `change` describes. The
 * documentation shows that, and that other fields may stand beside it. No schema in `change` may have an identifier.
 */
export const Sent = (change: Schema.Top) =>
  Schema.JsonObject.check(
    Schema.makeFilter(() => true, {
      toJsonSchema: () => {
        const { type: _, ...fields } = Schema.toJsonSchemaDocument(change).schema
        return fields
      },
    }),
  )

/** What every endpoint that takes a change says of it. */
export const sentBack =
  "What `GET` shows can be sent back: a field that is as it is stored changes nothing, be it read-only or not. A read-only field with another value is refused, and so is an unknown one."
