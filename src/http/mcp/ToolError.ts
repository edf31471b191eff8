import { Schema } from "effect"
import { schemasIn } from "../../api/failures/FailureForm.ts"

const Body = Schema.Struct({ code: Schema.String, detail: Schema.String })

/** The schemas of every failure as the error of a tool, for the model that has called the tool. Tools declare them. */
export const ToolError = schemasIn({
  mediaType: "application/json",
  schemaOf: () => Body,
  encode: ({ code }, { detail }) => ({ code, detail }),
  decode: (body) => body,
  codeOf: ({ code }) => code,
})
