/*
 * What a model was sent, as people can read it.
 */

/** A part of a prompt: the instructions, the tools, or a turn of the conversation. */
export interface PromptPart {
  /** Such as `system`, `user` or `tools`. */
  readonly role: string
  readonly text: string
}

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const pretty = (value: unknown): string => JSON.stringify(value, undefined, 2)

/** The text of contents, which are a text or a list of parts; other parts than texts are shown as JSON. */
const contentOf = (content: unknown): string => {
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return content === undefined || content === null ? "" : pretty(content)
  return content
    .map((part: unknown) => (isFields(part) && typeof part["text"] === "string" ? part["text"] : pretty(part)))
    .join("\n\n")
}

const turnOf = (message: unknown): PromptPart => {
  if (!isFields(message)) return { role: "message", text: pretty(message) }
  const calls = message["tool_calls"]
  const said = contentOf(message["content"])
  const called = calls === undefined ? "" : pretty(calls)
  return {
    role: typeof message["role"] === "string" ? message["role"] : "message",
    text: said === "" || called === "" ? said + called : `${said}\n\n${called}`,
  }
}

/** The parts of the body of a request to a model's API, of Anthropic's form or OpenAI's; undefined when it is neither. */
export const promptParts = (body: string): ReadonlyArray<PromptPart> | undefined => {
  let request: unknown
  try {
    request = JSON.parse(body)
  } catch {
    return undefined
  }
  if (!isFields(request) || !Array.isArray(request["messages"])) return undefined
  const { messages, system, tools, ...settings } = request
  return [
    { role: "settings", text: pretty(settings) },
    ...(system === undefined ? [] : [{ role: "system", text: contentOf(system) }]),
    ...(Array.isArray(tools) && tools.length > 0 ? [{ role: "tools", text: pretty(tools) }] : []),
    ...(Array.isArray(messages) ? messages.map(turnOf) : []),
  ]
}
