import { Duration, type Schema } from "effect"
import { RecentMap } from "../../system/RecentMap.ts"
import { isJsonObject, type JsonObject, parseJson } from "../../text/Json.ts"
import type { KnownTraits, RefusedPart, Refusals } from "../ModelCalls.ts"
import type { ProviderFailure } from "./ProviderFailure.ts"

/*
 * What model servers refuse that others require, and how to ask without it. Servers say in words what they refuse, and
 * hardly two of them in the same; each line of the table knows the words of those that were reported.
 */

type Json = Schema.Json

/** A change of a request that leaves out what its server has refused. */
export interface Remedy extends RefusedPart {
  /** Matches what the server says, after its status. */
  readonly refusal: RegExp
  /** Returns the body of the request without it; undefined where the body does not have it. */
  readonly mend: (body: JsonObject, said: string) => JsonObject | undefined
}

const LEFT_OUT = "leaves it out"

const without = (body: JsonObject, name: string): JsonObject | undefined => {
  if (!(name in body)) return undefined
  const { [name]: _, ...rest } = body
  return rest
}

const renamed = (body: JsonObject, from: string, to: string): JsonObject | undefined => {
  const rest = without(body, from)
  return rest && { ...rest, [to]: body[from] ?? null }
}

/** Replaces objects anywhere in a value; undefined where none was replaced. */
const replaced = <A extends Json>(value: A, replace: (fields: JsonObject) => Json | undefined): Json | undefined => {
  let isReplaced = false
  const visit = (one: Json): Json => {
    if (Array.isArray(one)) return one.map(visit)
    if (!isJsonObject(one)) return one
    const other = replace(one)
    isReplaced ||= other !== undefined
    const fields = other ?? one
    return isJsonObject(fields)
      ? Object.fromEntries(Object.entries(fields).map(([name, item]) => [name, visit(item)]))
      : fields
  }
  const result = visit(value)
  return isReplaced ? result : undefined
}

const everywhere = (body: JsonObject, replace: (fields: JsonObject) => Json | undefined): JsonObject | undefined => {
  const result = replaced(body, replace)
  return isJsonObject(result) ? result : undefined
}

/** The messages of a body with each of them changed; undefined where the list stays the same. */
const withMessages = (body: JsonObject, change: (messages: ReadonlyArray<JsonObject>) => ReadonlyArray<JsonObject>) => {
  const { messages } = body
  if (!Array.isArray(messages)) return undefined
  const given = messages.filter(isJsonObject)
  const changed = change(given)
  return changed.length === given.length && changed.every((one, index) => one === given[index])
    ? undefined
    : { ...body, messages: changed }
}

const partsOf = (content: Json | undefined): ReadonlyArray<Json> =>
  Array.isArray(content)
    ? content
    : typeof content === "string" && content !== ""
      ? [{ type: "text", text: content }]
      : []

const joined = (one: Json | undefined, other: Json | undefined): Json =>
  typeof one === "string" && typeof other === "string"
    ? [one, other].filter((text) => text !== "").join("\n\n")
    : [...partsOf(one), ...partsOf(other)]

/** Messages in which none follows one of the same role. Those with calls and their results stay as they are. */
const alternating = (messages: ReadonlyArray<JsonObject>): ReadonlyArray<JsonObject> => {
  const result: Array<JsonObject> = []
  for (const message of messages) {
    const last = result.at(-1)
    const isJoined = last?.["role"] === message["role"] && message["role"] !== "tool" && !("tool_calls" in message)
    if (last !== undefined && isJoined && !("tool_calls" in last))
      result[result.length - 1] = { ...last, content: joined(last["content"], message["content"]) }
    else result.push(message)
  }
  return result
}

/** Puts the system's messages before the words of the first message of the user. */
const systemInUser = (messages: ReadonlyArray<JsonObject>): ReadonlyArray<JsonObject> => {
  const system = messages.filter(({ role }) => role === "system" || role === "developer")
  if (system.length === 0) return messages
  const others = messages.filter((message) => !system.includes(message))
  const content = system.reduce<Json>((text, message) => joined(text, message["content"]), "")
  const [first, ...rest] = others
  return first?.["role"] === "user"
    ? [{ ...first, content: joined(content, first["content"]) }, ...rest]
    : [{ role: "user", content }, ...others]
}

const textOfPassage = ({ content, source, title }: JsonObject): Json => ({
  type: "text",
  text: [title, source, ...partsOf(content).flatMap((part) => (isJsonObject(part) ? (part["text"] ?? []) : []))].join(
    "\n",
  ),
})

/** Matches the tokens of a context and those of the messages in it. */
const CONTEXT = /maximum context length is (\d+).*?\((\d+) (?:tokens )?(?:in|from) the (?:messages|input|prompt)/isu
/** The least tokens that are left for an answer. */
const ANSWER_MIN = 200

const remedies: ReadonlyArray<Remedy> = [
  {
    what: "The parameter `max_tokens`",
    instead: "sends `max_completion_tokens`",
    refusal: /max_tokens.*max_completion_tokens/isu,
    mend: (body) => renamed(body, "max_tokens", "max_completion_tokens"),
  },
  {
    what: "An answer of this length",
    instead: "asks for the longest one that is allowed",
    refusal: /(?:max_tokens|max_completion_tokens) is too large.*?at most (\d+)|max_tokens: \d+ > (\d+)/isu,
    mend: (body, said) => {
      const [, one, other] = /too large.*?at most (\d+)|: \d+ > (\d+)/isu.exec(said) ?? []
      const name = "max_completion_tokens" in body ? "max_completion_tokens" : "max_tokens"
      return name in body ? { ...body, [name]: Number(one ?? other) } : undefined
    },
  },
  {
    what: "An answer that does not fit beside the prompt",
    instead: "asks for one that fits",
    refusal: CONTEXT,
    mend: (body, said) => {
      const [, context, messages] = CONTEXT.exec(said) ?? []
      const room = Number(context) - Number(messages) - 1
      const name = "max_completion_tokens" in body ? "max_completion_tokens" : "max_tokens"
      const asked = body[name]
      return room >= ANSWER_MIN && typeof asked === "number" && asked > room ? { ...body, [name]: room } : undefined
    },
  },
  {
    what: "The field `reasoning_content`",
    instead: LEFT_OUT,
    refusal: /reasoning_content/iu,
    mend: (body) =>
      withMessages(body, (messages) => messages.map((message) => without(message, "reasoning_content") ?? message)),
  },
  {
    what: "The parameter `max_completion_tokens`",
    instead: "sends `max_tokens`",
    refusal: /max_completion_tokens/iu,
    mend: (body) => renamed(body, "max_completion_tokens", "max_tokens"),
  },
  {
    what: "The parameter `temperature`",
    instead: LEFT_OUT,
    refusal: /temperature/iu,
    mend: (body) => without(body, "temperature"),
  },
  {
    what: "The parameter `stream_options`",
    instead: LEFT_OUT,
    refusal: /stream[_ ]options?|include_usage/iu,
    mend: (body) => without(body, "stream_options"),
  },
  {
    what: "The field `cache_control`",
    instead: LEFT_OUT,
    refusal: /cache_control/iu,
    mend: (body) => everywhere(body, (fields) => without(fields, "cache_control")),
  },
  {
    what: "The field `additionalProperties`",
    instead: LEFT_OUT,
    refusal: /additional_?properties/iu,
    mend: (body) => everywhere(body, (fields) => without(fields, "additionalProperties")),
  },
  {
    what: "A passage as `search_result`",
    instead: "sends it as text",
    refusal: /search_result|document.*citations/isu,
    mend: (body) =>
      everywhere(body, (fields) => (fields["type"] === "search_result" ? textOfPassage(fields) : undefined)),
  },
  {
    what: "A message without content",
    instead: "sends an empty text",
    refusal: /content.*(?:must be a string|null|required|valid string|string type expected)|(?:null|none).*content/isu,
    mend: (body) =>
      withMessages(body, (messages) =>
        messages.map((message) => (message["content"] === null ? { ...message, content: "" } : message)),
      ),
  },
  {
    what: "The order of the roles",
    instead: "joins messages that follow one another",
    refusal: /roles? must alternate|alternate (?:between )?user|consecutive (?:user|assistant)/iu,
    // A template that wants roles to alternate often knows no system, either.
    mend: (body) => withMessages(body, (messages) => alternating(messages)) ?? withMessages(body, systemInUser),
  },
  {
    what: "The role `system`",
    instead: "puts the words of the system before the first message",
    // A template that fails is an error without words of the server that applies it.
    refusal:
      /system (?:role|message|prompt).*(?:not supported|unsupported|not allowed)|role.{0,20}system|^500 Internal Server Error\s*$/isu,
    mend: (body) => withMessages(body, (messages) => alternating(systemInUser(messages))),
  },
]

const TOOLS: RefusedPart = { what: "Tools", instead: "searches before it asks" }

/** Matches what servers say whose model, or whose start, allows no tools. */
const TOOLS_REFUSED =
  /(?:not|n't) support.{0,40}(?:tool|function)|(?:tool|function).{0,40}(?:not|n't) (?:be )?(?:support|enabled|available)|support tool use|tool choice requires|enable-auto-tool-choice|--jinja/isu

/** The statuses of refusals. Some servers answer a request that they cannot serve with 500, or 404 where no model can. */
const REFUSALS: ReadonlySet<number> = new Set([400, 404, 405, 422, 500, 501])

/** The characters of a refusal that are read: what it quotes of the request may follow. */
const SAID_MAX = 2_000
const saidIn = ({ description }: ProviderFailure): string => description.slice(0, SAID_MAX)

/** Whether a server says this itself, and does not repeat the words of the request. */
const says = (failure: ProviderFailure, words: RegExp, body: string): boolean => {
  const [said] = words.exec(saidIn(failure)) ?? []
  return said !== undefined && !body.toLowerCase().includes(said.toLowerCase())
}

/** Whether a server has refused the tools of a request. */
export const refusesTools = (failure: ProviderFailure, body: string): boolean =>
  failure.status !== undefined &&
  REFUSALS.has(failure.status) &&
  /"tools":\s*\[/u.test(body) &&
  says(failure, TOOLS_REFUSED, body)

/** Matches what servers say of a prompt that is longer than the model's context. */
const TOO_LONG =
  /context_length_exceeded|maximum context length|context (?:length|window|size)|prompt is too long|exceeds? the (?:available|model's|maximum) context|too many (?:input )?tokens/iu

/** Whether a server has refused a prompt because of its length. */
export const isTooLong = (failure: ProviderFailure, body: string): boolean =>
  failure.status !== undefined &&
  (REFUSALS.has(failure.status) || failure.status === 413) &&
  says(failure, TOO_LONG, body)

/** A body that was mended, with the remedy. */
export interface Mended {
  readonly body: string
  readonly remedy: Remedy
  /** What the server has said. */
  readonly said: string
}

/** Mends the body of a request by what its refusal says; undefined where nothing of it is known. */
export const mended = (failure: ProviderFailure, body: string): Mended | undefined => {
  if (failure.status === undefined || !REFUSALS.has(failure.status)) return undefined
  const said = saidIn(failure)
  const fields = parseJson(body)
  if (!isJsonObject(fields)) return undefined
  for (const remedy of remedies) {
    const result = remedy.refusal.test(said) ? remedy.mend(fields, said) : undefined
    if (result !== undefined) return { remedy, said, body: JSON.stringify(result) }
  }
  return undefined
}

/** Time for which it is remembered what a model refuses. */
const REMEMBERED = Duration.toMillis(Duration.days(1))
/** Time after an answer for which a server keeps its model in memory, as Ollama does unless it is told otherwise. */
const LOADED = Duration.toMillis(Duration.minutes(5))
/** The most models of a connection that are remembered. */
const MODELS_MAX = 1_000

/** What is known of a model. */
interface Known extends KnownTraits {
  /** What the server said, by the remedy. */
  readonly remedies: ReadonlyMap<Remedy, string>
  /** What ends the reasoning by which its answers begin, where its beginning is not sent; empty where nothing does. */
  readonly thoughtEnd: string | undefined
  readonly until: number
}

const unknown = {
  remedies: new Map<Remedy, string>(),
  takesTools: true,
  promptTokensMax: Number.POSITIVE_INFINITY,
  thoughtEnd: undefined,
}

/** What is known of the models of a connection, for a day: what their servers refuse, and how they write. */
export class ModelTraits {
  private readonly models = new RecentMap<Known>(MODELS_MAX)
  /** The times of the models' last answers. */
  private readonly answeredAt = new RecentMap<number>(MODELS_MAX)

  /** What is known of a model. */
  of(model: string, now: number): Known {
    const known = this.models.find(model)
    return known !== undefined && known.until > now ? known : { ...unknown, until: now + REMEMBERED }
  }

  /** What its server has refused of requests to a model. */
  refused(model: string, now: number): ReadonlyArray<RefusedPart> {
    const { remedies, takesTools } = this.of(model, now)
    return [...remedies.keys(), ...(takesTools ? [] : [TOOLS])]
  }

  /** What servers have refused of requests to the models, for those that had any refusal. */
  refusals(now: number): ReadonlyArray<Refusals> {
    return Array.from(this.models.keys(), (model) => ({ model, parts: this.refused(model, now) })).filter(
      ({ parts }) => parts.length > 0,
    )
  }

  /** Remembers something of a model. */
  learn(model: string, now: number, learned: Partial<Known>): void {
    this.models.set(model, { ...this.of(model, now), ...learned })
  }

  /** Whether a model has answered so lately that its server has it in memory. */
  isLoaded(model: string, now: number): boolean {
    const answeredAt = this.answeredAt.find(model)
    return answeredAt !== undefined && now - answeredAt < LOADED
  }

  /** Remembers that a model has answered. */
  noteAnswer(model: string, now: number): void {
    this.answeredAt.set(model, now)
  }

  /** The body of a request to a model without what it is known to refuse, and what that is. */
  applied(model: string, body: string, now: number): { readonly body: string; readonly whats: ReadonlyArray<string> } {
    const { remedies: known } = this.of(model, now)
    const parsed = known.size === 0 ? undefined : parseJson(body)
    if (!isJsonObject(parsed)) return { body, whats: [] }
    let fields = parsed
    const whats: Array<string> = []
    for (const [{ mend, what }, said] of known) {
      const result = mend(fields, said)
      if (result !== undefined) whats.push(what)
      fields = result ?? fields
    }
    return whats.length === 0 ? { body, whats } : { body: JSON.stringify(fields), whats }
  }

  /** Remembers a remedy by which a model has answered. */
  addRemedy(model: string, remedy: Remedy, said: string, now: number): void {
    this.learn(model, now, { remedies: new Map([...this.of(model, now).remedies, [remedy, said]]) })
  }
}
