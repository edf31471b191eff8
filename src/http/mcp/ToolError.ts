import { Schema } from "effect"
import { schemasIn } from "../../api/FailureForm.ts"

const Body = Schema.Struct({ code: Schema.String, detail: Schema.String })

/** Every failure as the error of a tool, which the model that called the tool reads. Tools declare these. */
export const ToolError = schemasIn({
  mediaType: "application/json",
  schemaOf: () => Body,
  encode: ({ code }, { detail }) => ({ code, detail }),
  decode: (body) => body,
  codeOf: ({ code }) => code,
})
