import { Effect } from "effect"
import type { SecureRandom } from "effect/crypto"
import { clean } from "../../agent/Generation.ts"
import type { Caller } from "../../domain/Caller.ts"
import { CHAT_INPUT_MAX_LENGTH } from "../../domain/chat/Chat.ts"
import { Conflict } from "../../domain/Errors.ts"
import { MessageId, type SessionId } from "../../domain/Ids.ts"
import type { HandoverReason } from "../../domain/inbox/Handover.ts"
import { addTokens, type ModelCost, noTokens } from "../../domain/organizations/Usage.ts"
import { cutAtHeard } from "../../domain/voice/Heard.ts"
import type { Visitor } from "../../domain/widget/Visitor.ts"
import { languageShownIn } from "../../languages/Detection.ts"
import type { RealtimeEvent, RealtimeResponse, RealtimeUsage } from "../../models/voice/RealtimeChannel.ts"
import type { Conversations } from "../../storage/conversations/Conversations.ts"
import type { BotMessage } from "../../storage/conversations/ConversationWrites.ts"
import type { Usage } from "../../storage/usage/Usage.ts"
import { bounded, MESSAGE_MAX_LENGTH } from "../../text/BoundedText.ts"
import { cut } from "../../text/Cut.ts"
import { STEP_GAP } from "../conversations/ChatAnswer.ts"
import { PLATFORM } from "../widget/VisitorChats.ts"

/** Milliseconds of speech of a token, and of a character of a reply whose tokens are not known. */
const TOKEN_MILLIS = 50
const CHARACTER_MILLIS = 65
/** More tokens than a response has. */
const TOKENS_MAX = 1_000_000

const finishReasons = new Map([
  ["completed", "stop"],
  ["incomplete", "length"],
  ["failed", "error"],
])

/** What one side says without a pause of its own. */
interface Utterance {
  readonly isReply: boolean
  text: string
  /** Whether it can be stored: that of the visitor once it is transcribed, a reply once the model waits for an answer. */
  isOver: boolean
  isStored: boolean
  finishReason: string
  /** Milliseconds of the whole, and those that were heard of an interrupted one. */
  audioMillis: number
  heardMillis: number | undefined
  cost: ModelCost | undefined
  /** What is said up to the visitor's next message is one reply, as the steps of a reply in a chat are. */
  reply: Reply | undefined
}

interface Reply {
  readonly id: MessageId
  readonly parts: Array<Utterance>
  tools: Pick<BotMessage, "tool_calls" | "tool_results">
}

interface RecordedCall {
  readonly conversations: Conversations["Service"]
  readonly random: SecureRandom.SecureRandom["Service"]
  readonly usage: Usage["Service"]
  readonly caller: Caller["Service"]
  readonly conversation: SessionId
  readonly model: string
  readonly visitor: Visitor["Service"]
}

const peopleAnswer = new Conflict({ detail: "People answer in this conversation." })

/**
 * Records a call as messages, in the order of the conversation: the provider often completes a reply before it has
 * transcribed the question. Fails when people have the conversation, or it is deleted.
 */
export const makeCallRecord = (call: RecordedCall) => {
  const { caller, conversation, conversations, model, random, usage, visitor } = call
  const { chatbotId, email, id: visitorId, name } = visitor
  const said = new Map<string, Utterance>()
  let tools = noTools
  let latest: Reply | undefined

  const usageOf = (cost: ModelCost) => ({ apiKeyId: caller.apiKeyId, chatbotId, costs: [cost] })
  const newId = Effect.map(random.uuidV7(), (id) => MessageId.make(id))

  const find = (item: string, isReply: boolean): Utterance => {
    const known = said.get(item)
    if (known !== undefined) return known
    const begun = { isReply, text: "", isOver: false, isStored: false, finishReason: "aborted", audioMillis: 0 }
    const utterance = { ...begun, heardMillis: undefined, cost: undefined, reply: undefined }
    said.set(item, utterance)
    return utterance
  }

  /** Opens the conversation, or adds a message of the visitor, or hands it over. */
  const append = Effect.fnUntraced(function* (text: string | undefined, isKnown: boolean, reason?: HandoverReason) {
    const language = languageShownIn(bounded(text ?? "", MESSAGE_MAX_LENGTH))
    const target = { id: conversation, token: null, tokenKey: null, platform: PLATFORM, visitor: visitorId, name }
    const { owner } = yield* conversations.append(
      chatbotId,
      { ...target, language, isKnown },
      text === undefined ? [] : [{ id: yield* newId, sender_type: "user", content: text, mid: undefined }],
      email === undefined ? undefined : { email, mayAskAgain: true },
      reason && { reason },
    )
    if (owner === "people" && reason === undefined) return yield* peopleAnswer
  })

  const saveReply = Effect.fnUntraced(function* (
    { id, parts, tools }: Reply,
    spent: ModelCost | undefined,
    isNew: boolean,
  ) {
    const contents = parts.map(heardOf)
    const counts = parts.flatMap(({ cost }) => Object.values(cost?.tokens ?? {}))
    const message: BotMessage = {
      ...tools,
      id,
      content: contents.filter((content) => content !== "").join(STEP_GAP),
      model,
      provider: "realtime",
      tokens_used: counts.reduce((sum, count) => sum + count, 0),
      usage: { ...parts.map(({ cost }) => cost?.tokens ?? noTokens).reduce(addTokens) },
      finish_reason: contents.at(-1) === parts.at(-1)?.text ? (parts.at(-1)?.finishReason ?? "stop") : "aborted",
      sources: [],
      unanswered: false,
      isSeen: true,
    }
    const stored = yield* conversations.reply(
      conversation,
      message,
      isNew && spent ? usageOf(spent) : undefined,
      !isNew,
    )
    if (!isNew && spent !== undefined) yield* usage.add(yield* newId, usageOf(spent))
    if (stored?.owner !== "bot") return yield* peopleAnswer
  })

  const store = Effect.fnUntraced(function* (one: Utterance) {
    one.isStored = true
    if (one.text === "") return
    if (!one.isReply) {
      latest = undefined
      return yield* append(one.text, true)
    }
    const isNew = latest === undefined
    latest ??= { id: yield* newId, parts: [], tools: noTools }
    latest.parts.push(one)
    latest.tools = together(latest.tools, tools)
    tools = noTools
    one.reply = latest
    yield* saveReply(latest, one.cost, isNew)
  })

  /** Stores what is over, up to what is not. */
  const settle = Effect.fnUntraced(function* (isEnd: boolean) {
    for (const one of said.values()) {
      if (!(one.isOver || isEnd)) return
      if (!one.isStored) yield* store(one)
    }
  })

  /** Notes the text of an utterance. That of a reply is over with its response. */
  const transcribe = Effect.fnUntraced(function* (item: string, isReply: boolean, transcript: string) {
    const one = find(item, isReply)
    if (one.isStored) return
    one.text = cut(clean(transcript).trim(), CHAT_INPUT_MAX_LENGTH)
    one.isOver ||= !isReply
    yield* settle(false)
  })

  return {
    open: (isKnown: boolean) => append(undefined, isKnown),

    add: Effect.fnUntraced(function* (event: RealtimeEvent) {
      switch (event.type) {
        case "conversation.item.added":
          return void find(event.item.id, event.item.role === "assistant")
        case "conversation.item.input_audio_transcription.completed":
          return yield* transcribe(event.item_id, false, event.transcript)
        case "conversation.item.input_audio_transcription.failed":
          return yield* transcribe(event.item_id, false, "")
        case "response.output_audio_transcript.done":
          return yield* transcribe(event.item_id, true, event.transcript)
        case "conversation.item.truncated": {
          const one = said.get(event.item_id)
          if (one !== undefined) one.heardMillis = Math.max(0, event.audio_end_ms)
          if (one?.reply !== undefined) yield* saveReply(one.reply, undefined, false)
        }
      }
    }),

    /** Adds the end of a response. Returns the milliseconds of its speech. */
    addResponse: Effect.fnUntraced(function* ({ output, status, usage: used }: RealtimeResponse, isLast: boolean) {
      const cost = { model, provider: "realtime", tokens: tokensOf(used ?? {}) }
      const audioMillis = countOf(used?.output_token_details?.audio_tokens) * TOKEN_MILLIS
      const item = output.find((one) => one.type === "message")
      const one = item !== undefined && "id" in item ? find(item.id, true) : undefined
      if (one === undefined || one.text === "" || one.isStored) yield* usage.add(yield* newId, usageOf(cost))
      if (one !== undefined && !one.isStored)
        Object.assign(one, { audioMillis, cost, finishReason: finishReasons.get(status) ?? "aborted" })
      if (isLast) for (const reply of said.values()) reply.isOver ||= reply.isReply
      yield* settle(false)
      return audioMillis
    }),

    addTools: (tool_calls: BotMessage["tool_calls"], tool_results: BotMessage["tool_results"]) => {
      tools = together(tools, { tool_calls, tool_results })
    },

    /** Stores what is left, and hands the conversation over if there is a reason. */
    end: (reason: HandoverReason | undefined) =>
      Effect.andThen(settle(true), reason === undefined ? Effect.void : append(undefined, true, reason)),
  }
}

type Tools = Reply["tools"]
const noTools: Tools = { tool_calls: [], tool_results: [] }
const together = (a: Tools, b: Tools): Tools => ({
  tool_calls: [...a.tool_calls, ...b.tool_calls],
  tool_results: [...a.tool_results, ...b.tool_results],
})

/** The part of a reply that was heard. */
const heardOf = ({ audioMillis, heardMillis, text }: Utterance): string => {
  const millis = audioMillis || text.length * CHARACTER_MILLIS
  if (heardMillis === undefined) return text
  return cutAtHeard(text, { unit: "ms", marks: [[text.length, millis]] }, heardMillis)?.content ?? text
}

const countOf = (tokens = 0): number => Math.min(Math.max(0, Math.round(tokens)), TOKENS_MAX)

const tokensOf = ({ input_token_details: details, input_tokens, output_tokens }: NonNullable<RealtimeUsage>) => {
  const cacheRead = countOf(details?.cached_tokens)
  const input = Math.max(0, countOf(input_tokens) - cacheRead)
  return { input, output: countOf(output_tokens), cacheRead, cacheWrite: 0 }
}
