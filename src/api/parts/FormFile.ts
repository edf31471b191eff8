import { Effect, Schema, SchemaIssue, SchemaTransformation } from "effect"
import { Multipart } from "effect/http"

const message = "Expected a file; send it as a file part with a filename"

/** A field of a multipart form that holds one file or more. */
export const FormFiles = Multipart.FilesSchema.annotate({ message }).check(Schema.isMinLength(1, { message }))

/** A field of a multipart form that holds exactly one file. */
export const FormFile = FormFiles.check(Schema.isMaxLength(1, { message: "Expected one file" })).pipe(
  Schema.decodeTo(
    Multipart.PersistedFileSchema,
    SchemaTransformation.transformEffect({
      decode: ([file]) =>
        file === undefined ? Effect.fail(new SchemaIssue.InvalidValue({ message })) : Effect.succeed(file),
      encode: (file) => Effect.succeed([file]),
    }),
  ),
)
