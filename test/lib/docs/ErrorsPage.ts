import { Schema } from "effect"
import { openAiForm } from "../../../src/api/failures/OpenAiError.ts"
import { problemForm } from "../../../src/api/failures/Problem.ts"
import { failures, InvalidRequest, NotFound } from "../../../src/domain/Errors.ts"
import { type FailureClass, saysWhen } from "../../../src/domain/Failure.ts"
import { Tools } from "../../../src/http/mcp/McpTools.ts"

const block = (value: object): string => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``

const { declaration } = InvalidRequest
const requestId = "01a1f95a-b2f3-7519-8698-768c25c5f555"

const before = `# Errors

A request that fails is answered with a status of 400 or above and a body that says why. \`code\` is stable and meant for
programs; \`detail\` is meant for people. Find the code in the table below: it says what the failure means, and whether
to send the same request again.

Most paths answer with an RFC 9457 problem, \`${problemForm.mediaType}\`. \`request_id\`, which is also in the header
\`x-request-id\`, finds the request in the server's log. \`errors\` lists the places of the request that are wrong, and
\`retry_after_seconds\` is there where the header \`Retry-After\` is:

${block(problemForm.encode(declaration, declaration.example, requestId))}

Paths below \`/v1\` answer in the form that clients of OpenAI know, with OpenAI's own \`type\` and \`code\` where it has the
case. \`param\` is the first place that is wrong:

${block(openAiForm.encode(declaration, declaration.example, requestId))}

A tool that fails in the Model Context Protocol (MCP) answers with a result whose \`isError\` is true and whose text is the
code and the detail, so that the model which called it can read them. What is refused before a tool is called, such as
an API key that is not valid, is answered with the problem and its status; a message that is no valid call, such as one of
a tool that does not exist, with an error of JSON-RPC. A result looks so:

${block({ isError: true, content: [{ type: "text", text: JSON.stringify({ code: NotFound.declaration.code, detail: NotFound.declaration.example.detail }) }] })}

A stream that fails before its first event is answered in the same ways. One that fails later, when the status has been
sent, ends with an event \`error\` that has \`detail\` as its text, or, below \`/v1\`, with a chunk in OpenAI's form.

The limits that \`detail\` names, such as bytes, seconds and chats, are [settings](settings.md) or constants of the server.

A document that cannot be read does not spoil its upload: it is \`failed\`, and its \`error\` has a code of its own, which
[Formats](formats.md) lists.

## All errors

**Again** says what comes of sending the same request again, unchanged: *no*, it fails again; *yes*, it may succeed, and
where it says *after \`Retry-After\`*, not before the seconds in that header have passed. **OpenAI** has the \`type\` and the
\`code\` below \`/v1\`. **MCP** has the code where a tool can fail so.

| Status | Code | When | Again | OpenAI | MCP |
|---|---|---|---|---|---|
`

const again = (failure: FailureClass): string => {
  if (saysWhen(failure)) return "yes, after `Retry-After`"
  return failure.declaration.isRetryable ? "yes" : "no"
}

const isToolError = (failure: FailureClass): boolean => {
  const { example } = failure.declaration
  const occurrence = Schema.decodeUnknownSync(failure)({ _tag: failure.identifier, ...example })
  return Object.values(Tools.tools).some(({ failureSchema }) => Schema.is(failureSchema)(occurrence))
}

const row = (failure: FailureClass): string => {
  const { code, status, title, when } = failure.declaration
  const { error } = openAiForm.encode(failure.declaration, failure.declaration.example, requestId)
  const cells = [
    status,
    `\`${code}\``,
    `**${title}.** ${when}`,
    again(failure),
    `\`${error.type}\`, \`${error.code}\``,
    isToolError(failure) ? `\`${code}\`` : "–",
  ]
  return `| ${cells.join(" | ")} |\n`
}

/** The text of `docs/errors.md`, made from the failures that the code declares. */
export const errorsPage = (): string => before + Object.values(failures).map(row).join("")
