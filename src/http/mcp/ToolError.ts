import { Schema } from "effect"
import { schemasIn } from "../../api/FailureForm.ts"

const Body = Schema.Struct({ code: Schema.String, detail: Schema.String })

/** Every failure as the model that called a tool is told of it. */
export const ToolError = schemasIn({
  mediaType: "application/json",
  schemaOf: () => Body,
  encode: ({ code }, { detail }) => ({ code, detail }),
  decode: (body) => body,
  codeOf: ({ code }) => code,
})
