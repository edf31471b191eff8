import { Effect, Schema, SchemaIssue, SchemaTransformation } from "effect"
import { Multipart } from "effect/http"

const message = "Expected a file; send it as a file part with a filename"

/** The files of a form under one name; at least one. */
export const FormFiles = Multipart.FilesSchema.annotate({ message }).check(Schema.isMinLength(1, { message }))

/** The one file of a form under a name. */
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
