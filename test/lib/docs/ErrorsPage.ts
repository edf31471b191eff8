import { Schema } from "effect"
import { openAiForm } from "../../../src/api/failures/OpenAiError.ts"
import { problemForm } from "../../../src/api/failures/Problem.ts"
import { failures, InvalidRequest, NotFound } from "../../../src/domain/Errors.ts"
import { type FailureClass, saysWhen } from "../../../src/domain/Failure.ts"
import { Tools } from "../../../src/http/mcp/McpTools.ts"

const block = (value: object): string => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``

const { declaration } = InvalidRequest
const requestId = "01a1f95a-b2f3-7519-8698-768c25c5f555"

const isToolError = (failure: FailureClass): boolean => {
  const { example } = failure.declaration
  const occurrence = Schema.decodeUnknownSync(failure)({ _tag: failure.identifier, ...example })
  return Object.values(Tools.tools).some(({ failureSchema }) => Schema.is(failureSchema)(occurrence))
}

/** Codes of the failures that a tool of MCP can have. */
const toolCodes = Object.values(failures)
  .filter(isToolError)
  .map(({ declaration: { code } }) => `\`${code}\``)

const before = `# Errors

A failed request has a status of 400 or above and a body with a stable \`code\`, and a \`detail\` for people.

## Forms

Most paths answer with an RFC 9457 problem, \`${problemForm.mediaType}\`:

${block(problemForm.encode(declaration, declaration.example, requestId))}

- \`request_id\`, also in the header \`x-request-id\`, finds the request in the server's log.
- \`errors\` lists the wrong places of the request.
- \`retry_after_seconds\` comes with the header \`Retry-After\`.
- \`explanation\` has what the model's provider says, as \`reason\`, and what to do, as \`advice\`, for keys with
  \`conversations:read\` and trials of settings. A stream has it as the event \`data-explanation\`, and a message of a
  conversation as \`metadata.failure\`.

Paths below \`/v1\` answer in OpenAI's form. \`param\` is the first wrong place:

${block(openAiForm.encode(declaration, declaration.example, requestId))}

A failed tool of MCP returns a result with \`isError\`, and a text for the model, such as
\`${JSON.stringify({ code: NotFound.declaration.code, detail: NotFound.declaration.example.detail })}\`. Tools have these codes:
${toolCodes.join(", ")}.

Refusals before the call of a tool, such as of an invalid API key, are problems with their status. An invalid call gets
a JSON-RPC error.

A stream that fails after its first event ends with an event \`error\` that has \`detail\` as its text, or below \`/v1\`
with a chunk in OpenAI's form.

An unreadable document has a [code of its own](formats.md#unreadable-documents).

## All errors

**Retry** tells whether the same request may succeed later, or when: after \`Retry-After\`. Below \`/v1\`, \`code\`
is the same, and \`type\` is \`invalid_request_error\`, with 429 \`rate_limit_error\` and from 500 on \`server_error\`, unless
**OpenAI** has another one.

| Status | Code | Meaning | Retry | OpenAI |
|---|---|---|---|---|
`

const again = (failure: FailureClass): string => {
  if (saysWhen(failure)) return "`Retry-After`"
  return failure.declaration.isRetryable ? "yes" : "no"
}

const row = (failure: FailureClass): string => {
  const { code, openAi, status, title, when } = failure.declaration
  const own = [openAi?.type, openAi?.code].flatMap((one) => (one === undefined ? [] : [`\`${one}\``]))
  const cells = [status, `\`${code}\``, `**${title}.** ${when}`, again(failure), own.join(", ")]
  return `| ${cells.join(" | ")} |\n`
}

/** The text of `docs/errors.md`, made from the failures that the code declares. */
export const errorsPage = (): string => before + Object.values(failures).map(row).join("")
