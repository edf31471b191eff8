import { Schema, SchemaTransformation, Struct } from "effect"
import type { FailureForms } from "../../api/FailureForms.ts"
import { failures } from "../../domain/Errors.ts"
import type { EncodedFailure, FailureClass } from "../../domain/Failure.ts"

const Body = Schema.Struct({ code: Schema.String, detail: Schema.String })

/** Every failure as the model that called a tool is told of it. */
export const ToolError = Struct.map(
  failures,
  Struct.lambda<FailureForms>((failure: FailureClass) =>
    Body.pipe(
      Schema.decodeTo(
        failure,
        SchemaTransformation.transform({
          decode: (body): EncodedFailure => ({ ...body, _tag: failure.identifier }),
          encode: ({ detail }) => ({ code: failure.declaration.code, detail }),
        }),
      ),
    ),
  ),
)
