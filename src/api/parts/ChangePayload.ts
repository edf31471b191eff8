import { Schema } from "effect"

/**
 * The schema of a request body that changes a stored resource.
 *
 * It accepts any JSON object, because a client may send back every field that it was shown. Only the fields that differ
 * from the stored ones are decoded by `change`, which `http/Changes.ts` does. The OpenAPI document describes the fields
 * of `change`, without refusing others. No schema within `change` may have an identifier.
 */
export const ChangePayload = (change: Schema.Top) =>
  Schema.JsonObject.check(
    Schema.makeFilter(() => true, {
      toJsonSchema: () => {
        const { type: _, ...fields } = Schema.toJsonSchemaDocument(change).schema
        return fields
      },
    }),
  )

/** The sentences about unchanged, read-only and unknown fields for the description of every such endpoint. */
export const changeDescription =
  "What `GET` shows can be sent back: a field that is as it is stored changes nothing, be it read-only or not. A read-only field with another value is refused, and so is an unknown one."
