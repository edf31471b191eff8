import { Clock, Effect, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { Shares } from "../../admission/Shares.ts"
import { runTool, toolSizes } from "../../agent/tools/AgentTool.ts"
import { httpTool, type HttpToolSpec } from "../../agent/tools/HttpTool.ts"
import { SafeFetch, type SafeRequest } from "../../outbound/SafeFetch.ts"
import { listDocuments, searchKnowledgeBase } from "../../models/ToolDeclaration.ts"
import type { ChatbotTool, ChatbotToolInput, ChatbotToolPatch, ToolTrial } from "../../domain/chatbot/ChatbotTool.ts"
import { Conflict, InvalidRequest } from "../../domain/Errors.ts"
import { type ChatbotId, ToolId } from "../../domain/Ids.ts"
import { requiredOf } from "../../domain/chatbot/InputSchema.ts"
import type { Change } from "../../domain/schema/Merge.ts"
import { timestamp } from "../../domain/schema/Timestamp.ts"
import { originOf, placeholdersOf } from "../../domain/chatbot/UrlTemplate.ts"
import { Service } from "../../domain/Service.ts"
import * as Storage from "../../storage/tools/ChatbotTools.ts"
import { Chatbots } from "../../storage/chatbots/Chatbots.ts"

/** Most tools of one chatbot: models choose badly among more, and all of them are part of each prompt. */
export const TOOLS_MAX_COUNT = 32

type ToolInput = Readonly<Record<string, unknown>>

/** Manages the HTTP endpoints that the model of a chatbot may call as tools, and tries them as a model would. */
export class ChatbotTools extends Service<ChatbotTools>()("parley/services/chatbots/ChatbotTools", function* () {
  const storage = yield* Storage.ChatbotTools
  const chatbots = yield* Chatbots
  const random = yield* SecureRandom.SecureRandom
  const { check, fetch } = yield* SafeFetch
  const withinShare = (yield* Shares).within("chats")

  const ensureMayCall = ({ url }: Storage.ToolContent) =>
    Effect.mapError(check(new URL(url)), ({ detail }) => InvalidRequest.at("url", detail))

  const checked = Effect.fnUntraced(function* (input: ChatbotToolInput) {
    const content = {
      ...input,
      method: input.method ?? "GET",
      headers: Redacted.make(Object.fromEntries(lowerCased(input.headers ?? {}))),
      timeout_ms: input.timeout_ms ?? null,
    }
    yield* ensureConsistent(content)
    yield* ensureMayCall(content)
    return content
  })

  const run = Effect.fn("ChatbotTools.run")(function* (spec: HttpToolSpec, input: ToolInput) {
    let request: ToolTrial["request"] = null
    let status: number | null = null
    const watched = (sent: SafeRequest) => {
      request = {
        method: sent.method,
        url: sent.url.href,
        header_names: [...Object.keys(sent.headers), ...Object.keys(sent.secrets)],
      }
      return Effect.tap(fetch(sent), (response) => Effect.sync(() => void (status = response.status)))
    }
    const start = yield* Clock.monotonicTimeNanos
    const tool = httpTool(spec, { fetch: watched, resultMaxLength: toolSizes.resultMaxLength })
    const limits = { ...toolSizes, concurrency: 1 }
    const { isFailure, result } = yield* runTool({ name: spec.name, params: input }, [tool], limits)
    const duration_ms = Number((yield* Clock.monotonicTimeNanos) - start) / 1e6
    return { result, is_failure: isFailure, request, status, duration_ms }
  })

  return {
    create: Effect.fn("ChatbotTools.create")(function* (chatbot: ChatbotId, input: ChatbotToolInput) {
      const content = yield* checked(input)
      return present(yield* storage.insert(ToolId.make(yield* random.uuidV7()), chatbot, content, TOOLS_MAX_COUNT))
    }),

    update: Effect.fn("ChatbotTools.update")(function* (
      chatbot: ChatbotId,
      id: ToolId,
      change: Change<ChatbotTool, ChatbotToolPatch>,
    ) {
      const changed = (row: Storage.ToolRow) => Effect.flatMap(change(present(row)), (patch) => contentWith(row, patch))
      return present(
        yield* storage.modify(chatbot, id, (row) =>
          Effect.tap(changed(row), (content) => Effect.andThen(ensureConsistent(content), ensureMayCall(content))),
        ),
      )
    }),

    /** Lists the tools of a chatbot, oldest first. */
    list: (chatbot: ChatbotId) =>
      // The list of an unknown chatbot would be empty, so the chatbot is looked up first.
      Effect.map(Effect.andThen(chatbots.get(chatbot), storage.list(chatbot)), (rows) => rows.map(present)),

    get: (chatbot: ChatbotId, id: ToolId) => Effect.map(storage.get(chatbot, id), present),

    remove: storage.remove,

    /** Calls a tool of a chatbot, and records that in the audit log. */
    tryStored: Effect.fnUntraced(function* (chatbot: ChatbotId, id: ToolId, input: ToolInput) {
      const tool = yield* storage.get(chatbot, id)
      yield* storage.recordTrial(chatbot, tool)
      return yield* run(tool, input)
    }, withinShare),

    /** Calls a tool that is declared but not stored, and records that in the audit log. */
    tryDeclared: Effect.fnUntraced(function* (chatbot: ChatbotId, declaration: ChatbotToolInput, input: ToolInput) {
      yield* chatbots.get(chatbot)
      const content = yield* checked(declaration)
      yield* storage.recordTrial(chatbot, content)
      return yield* run({ ...content, headers: Effect.succeed(content.headers) }, input)
    }, withinShare),
  }
}) {}

/** The names of the tools that every chatbot has. */
const builtIn: ReadonlySet<string> = new Set([searchKnowledgeBase.name, listDocuments.name])
const reserved = (name: string) => new Conflict({ detail: `Every chatbot has a tool ${name} already.` })
const unreadable = (kept: ReadonlyArray<string>) =>
  new Conflict({
    detail: `The server cannot decrypt the headers of the tool any more: give ${kept.join(", ")} anew, or an empty text to remove it.`,
  })

/** Checks the rules that concern more than one field. */
const ensureConsistent = Effect.fnUntraced(function* ({ input_schema, name, url }: Storage.ToolContent) {
  if (builtIn.has(name)) return yield* reserved(name)
  const required = requiredOf(input_schema)
  const unknown = placeholdersOf(url).find((placeholder) => !required.includes(placeholder))
  if (unknown !== undefined) {
    return yield* InvalidRequest.at("url", `Expected {${unknown}} to be a required property of input_schema`)
  }
})

const lowerCased = <A>(headers: Readonly<Record<string, A>>): ReadonlyArray<readonly [string, A]> =>
  Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])

const present = ({ created_at, header_names, headers: _, updated_at, ...row }: Storage.ToolRow): ChatbotTool => ({
  ...row,
  headers: Object.fromEntries(header_names.map((name) => [name, null])),
  created_at: timestamp(created_at),
  updated_at: timestamp(updated_at),
})

/** Applies a patch to a stored tool. Headers that the patch lacks, or sets to null, keep their values. */
const contentWith = Effect.fnUntraced(function* (row: Storage.ToolRow, patch: ChatbotToolPatch) {
  const { headers = {}, ...fields } = patch
  const patched = new Map(lowerCased(headers))
  const url = patch.url ?? row.url
  const kept = row.header_names.filter((name) => typeof patched.get(name) !== "string")
  // Otherwise anybody who may change tools could have a stored secret sent to a server of their own.
  if (originOf(url) !== originOf(row.url) && kept.length > 0) {
    return yield* InvalidRequest.at("headers", `Expected ${kept.join(", ")} anew, since url names another server`)
  }
  const before = kept.length === 0 ? {} : Redacted.value(yield* Effect.mapError(row.headers, () => unreadable(kept)))
  const merged = new Map(Object.entries(before))
  for (const [name, value] of patched) {
    if (value === "") merged.delete(name)
    else if (value !== null) merged.set(name, value)
    else if (!merged.has(name))
      return yield* InvalidRequest.at(`headers.${name}`, "Expected a value, since there is none")
  }
  const { description, input_schema, method, name, timeout_ms } = { ...row, ...fields }
  const content: Storage.ToolContent = {
    name,
    description,
    input_schema,
    method,
    url,
    headers: Redacted.make(Object.fromEntries(merged)),
    timeout_ms,
  }
  return content
})
