import { Clock, Context, Effect, Exit, Layer, Schedule } from "effect"
import { SecureRandom } from "effect/crypto"
import { Budgets } from "../../admission/Budgets.ts"
import { allEmitted, emitted } from "../../agent/AgentEvent.ts"
import { Caller } from "../../domain/Caller.ts"
import type { VisitedPage } from "../../domain/chat/Conversation.ts"
import { sessionOfVisitor, sessionToContinue } from "../../domain/chat/SessionToken.ts"
import { DEFAULT_VOICE } from "../../domain/chatbot/VoiceWidget.ts"
import { Conflict, Forbidden, InvalidRequest, NotFound } from "../../domain/Errors.ts"
import { type ChatbotId, isUuid, MessageId, SessionId } from "../../domain/Ids.ts"
import { noTokens, type TokenCounts } from "../../domain/organizations/Usage.ts"
import { cutAtHeard, type Spoken } from "../../domain/voice/Heard.ts"
import type { Utterance } from "../../domain/voice/Utterance.ts"
import { replyIds } from "../../domain/widget/ReplyIds.ts"
import type { Visitor } from "../../domain/widget/Visitor.ts"
import { VISITOR_MESSAGE_MAX_LENGTH } from "../../domain/widget/Widget.ts"
import { toProviderError } from "../../models/ClientFailures.ts"
import { Speaker } from "../../models/voice/Speaker.ts"
import { Transcriber, type Transcript } from "../../models/voice/Transcriber.ts"
import { type ChatbotRow, Chatbots } from "../../storage/chatbots/Chatbots.ts"
import { SpokenReplies } from "../../storage/conversations/SpokenReplies.ts"
import { Usage } from "../../storage/usage/Usage.ts"
import { VisitorConversations } from "../../storage/widget/VisitorConversations.ts"
import { monotonicMillis } from "../../system/Monotonic.ts"
import { TRANSCRIPTION_BASE_URL, TRANSCRIPTION_MODEL } from "../../system/Variables.ts"
import { Chat } from "../conversations/Chat.ts"
import { ensureActive } from "../conversations/ChatAdmission.ts"
import type { ChatEvent } from "../conversations/ChatAnswer.ts"
import { LiveReplies } from "../widget/LiveReplies.ts"
import { isAnswer, PLATFORM } from "../widget/VisitorChats.ts"
import { VisitorEvents } from "../widget/VisitorEvents.ts"
import { makeSpeech } from "./Speech.ts"
import type { VoiceEmit } from "./VoiceEvent.ts"

/** What was heard of a reply before its user began to speak. */
export interface Heard {
  readonly reply: MessageId
  readonly unit: Spoken["unit"]
  readonly amount: number
}

/** One turn of a user who speaks. */
export interface VoiceTurn {
  /** What was said: audio, or the text that the client has recognized. */
  readonly said: Utterance | string
  /** The client's id of the message; a visitor's turn always has one. */
  readonly id: string | undefined
  /** The conversation: its id for a visitor, and its token for a key; undefined for a new one. */
  readonly conversation: string | undefined
  readonly language: string | undefined
  readonly page?: VisitedPage | undefined
  /** Time from the arrival of the turn before which the chat does not begin. */
  readonly holdMillis: number
  readonly heard: Heard | undefined
}

/** A chatbot that listens, with its voice. */
interface Listening {
  readonly chatbot: ChatbotRow
  readonly config: NonNullable<ChatbotRow["voice_widget_config"]>
}

/** Tokens for a second of what is heard and spoken, as OpenAI's realtime models count them. */
const HEARD_TOKENS = 10
const SPOKEN_TOKENS = 20

/** Looks for what an aborted turn still stores, before a turn takes it that there is nothing. */
export const EndingLooks: Context.Reference<number> = Context.Reference<number>("parley/services/voice/EndingLooks", {
  defaultValue: () => 40,
})
/** Waits for so many milliseconds before the chat of a turn that is held. */
export const Holding: Context.Reference<(millis: number) => Effect.Effect<void>> = Context.Reference<
  (millis: number) => Effect.Effect<void>
>("parley/services/voice/Holding", { defaultValue: () => Effect.sleep })
/** The place of the version in a UUID, and the versions that are mostly random. */
const VERSION_AT = 14
const RANDOM_VERSIONS: ReadonlySet<string> = new Set(["4", "7"])
/** Looks for a reply of which nothing was heard: mostly there was none. */
const UNHEARD_LOOKS = 5
const endingWithin = (times: number) => ({ schedule: Schedule.spaced("50 millis"), times })

const noVoiceAgent = new Forbidden({ detail: "This chatbot has no voice agent: set it with PATCH …/voice-agent." })
const noTranscription = InvalidRequest.at(
  "audio",
  `Expected \`text\`: this server understands no speech. Its operator can set ${TRANSCRIPTION_MODEL} or ${TRANSCRIPTION_BASE_URL}`,
)
const noConversation = InvalidRequest.at("heard_message_id", "Expected the conversation of this reply beside it")
const noReply = new NotFound({ detail: "There is no such reply in this conversation." })
const isAnswered = new Conflict({ detail: "This message was answered already." })

/** Spoken turns: what was said becomes text, the chat answers it, and its reply is spoken while it is made. */
export class VoiceTurns extends Context.Service<VoiceTurns>()("parley/services/voice/VoiceTurns", {
  make: Effect.gen(function* () {
    const endingLooks = yield* EndingLooks
    const holding = yield* Holding
    const budgets = yield* Budgets
    const chat = yield* Chat
    const chatbots = yield* Chatbots
    const conversations = yield* VisitorConversations
    const replies = yield* LiveReplies
    const spokenReplies = yield* SpokenReplies
    const usage = yield* Usage
    const random = yield* SecureRandom.SecureRandom
    const transcriber = yield* Transcriber
    const speaker = yield* Speaker

    const count = Effect.fnUntraced(
      function* (
        { id: chatbotId }: ChatbotRow,
        used: { readonly provider: string; readonly model: string; readonly tokens: Partial<TokenCounts> },
      ) {
        const { apiKeyId } = yield* Caller
        const id = MessageId.make(yield* random.uuidV7())
        yield* usage.add(id, { apiKeyId, chatbotId, costs: [{ ...used, tokens: { ...noTokens, ...used.tokens } }] })
      },
      (counting) => Effect.ignore(counting),
    )

    /** Understands what was said. The budget is checked before anything is paid. */
    const listen = Effect.fnUntraced(function* (chatbot: ChatbotRow, { language, said }: VoiceTurn) {
      if (typeof said === "string") {
        const transcript: Transcript = { text: said.trim(), ...(language !== undefined && { language }) }
        return transcript
      }
      if (transcriber === undefined) return yield* noTranscription
      const { model, transcribe } = transcriber
      const tokens = { input: Math.ceil(said.seconds * HEARD_TOKENS) }
      return yield* transcribe(said, language).pipe(
        Effect.mapError(toProviderError),
        // A provider that is not waited for has worked all the same.
        Effect.onExit((exit) =>
          Exit.isSuccess(exit) || Exit.hasInterrupts(exit)
            ? count(chatbot, { provider: "transcription", model, tokens })
            : Effect.void,
        ),
        budgets.within(() => [], tokens.input),
      )
    })

    /** Finds the reply that was heard in part, once it is stored how far its speech had come. */
    const findHeard = Effect.fnUntraced(function* (
      chatbot: ChatbotRow,
      visitor: string | undefined,
      { conversation, heard }: VoiceTurn,
    ) {
      if (heard === undefined) return undefined
      if (conversation === undefined) return yield* noConversation
      const caller = yield* Caller
      const name =
        visitor === undefined
          ? sessionToContinue(caller, conversation)
          : sessionOfVisitor(caller, visitor, conversation)
      const found = yield* Effect.repeat(spokenReplies.find(chatbot.id, name, heard.reply), {
        ...endingWithin(heard.amount === 0 ? UNHEARD_LOOKS : endingLooks),
        until: (row) => row !== undefined && row.voice !== null,
      })
      if (found === undefined && heard.amount > 0) return yield* noReply
      return found?.voice?.unit === heard.unit ? cutAtHeard(found.content, found.voice, heard.amount) : undefined
    })

    /** Keeps other replies out of the visitor's conversation, and a message from being answered twice. */
    const claim = Effect.fnUntraced(function* (visitor: Visitor["Service"], { conversation, id = "" }: VoiceTurn) {
      const of = { chatbot: visitor.chatbotId, visitor: visitor.id }
      const ids = replyIds(visitor.id, id)
      const session = conversation === undefined ? ids.session : SessionId.make(conversation)
      if (conversation !== undefined) yield* conversations.get(of, session)
      yield* Effect.retry(replies.hold(visitor.id, session), endingWithin(endingLooks))
      if ((yield* conversations.sent(of, [ids.reply])).some(isAnswer)) return yield* isAnswered
      return { ...ids, session, isResumed: true }
    })

    /**
     * Keeps a turn that a key sends again from being stored twice. Only a UUID that nobody else makes tells the users
     * behind a key apart: one that merely counts would bring two of them into one conversation.
     */
    const claimOfKey = Effect.fnUntraced(function* ({ conversation = "", id = "" }: VoiceTurn) {
      if (!isUuid(id) || !RANDOM_VERSIONS.has(id.charAt(VERSION_AT))) return undefined
      const { apiKeyId } = yield* Caller
      const ids = replyIds(apiKeyId, `${conversation}\n${id}`)
      yield* Effect.retry(replies.hold(apiKeyId, ids.session), endingWithin(endingLooks))
      return { ...ids, isResumed: true }
    })

    const admit = Effect.fnUntraced(function* (id: ChatbotId) {
      const chatbot = yield* chatbots.get(id)
      const { voice_widget_config: config } = chatbot
      if (config === null) return yield* noVoiceAgent
      yield* ensureActive(chatbot)
      return { chatbot, config } satisfies Listening
    })

    const reply = Effect.fnUntraced(function* (
      { chatbot, config }: Listening,
      visitor: Visitor["Service"] | undefined,
      turn: VoiceTurn,
      emit: VoiceEmit,
    ) {
      const clock = yield* Clock.Clock
      const begin = monotonicMillis(clock)
      const since = () => monotonicMillis(clock) - begin
      const attempt = visitor === undefined ? yield* claimOfKey(turn) : yield* claim(visitor, turn)
      const [{ transcript, ms: transcription_ms }, cut] = yield* Effect.all(
        [
          Effect.map(listen(chatbot, turn), (transcript) => ({ transcript, ms: since() })),
          findHeard(chatbot, visitor?.id, turn),
          holding(turn.holdMillis),
        ],
        { concurrency: "unbounded" },
      )
      if (cut !== undefined && turn.heard !== undefined) {
        yield* spokenReplies.cut(turn.heard.reply, cut.content, cut.spoken)
      }
      const text = transcript.text.slice(0, VISITOR_MESSAGE_MAX_LENGTH).toWellFormed()
      const understood = { type: "transcript" as const, ...transcript, text }
      if (text === "")
        return yield* Effect.as(emitted(emit, understood), { finish_reason: "stop" as const, written_by: undefined })

      const { voice = DEFAULT_VOICE, model: bounds = {} } = config
      let firstAudio: number | undefined
      let firstText: number | undefined
      const speech = yield* makeSpeech(
        speaker && ((clause, onAudio) => speaker.speak(clause, voice, onAudio)),
        (event) => {
          if (event.type === "audio") firstAudio ??= since()
          return emit(event)
        },
      )
      let id: MessageId | undefined
      let length = 0
      const texts = new VisitorEvents()
      const onEvent = (event: ChatEvent) => {
        if (event.type === "start") {
          id = event.message_id
          return allEmitted(emit, [event, understood])
        }
        const seen = texts.of(event)
        if (seen?.type === "text") {
          firstText ??= since()
          length += seen.text.length
          speech.add(seen.text)
        }
        return emit(event)
      }
      const request = {
        messages: [{ role: "user" as const, content: text, id: turn.id }],
        platform: visitor === undefined ? "voice" : PLATFORM,
        sessionToken: visitor === undefined ? turn.conversation : undefined,
        attempt,
        spoken: bounds,
        ...(visitor !== undefined && {
          visitor: {
            id: visitor.id,
            conversation: turn.conversation === undefined ? undefined : attempt?.session,
            email: visitor.email,
            name: visitor.name,
            page: turn.page,
          },
        }),
      }
      const [{ finish_reason, written_by }] = yield* Effect.all(
        [Effect.tap(chat.reply(chatbot.id, request, onEvent), speech.end), speech.run],
        { concurrency: "unbounded" },
      ).pipe(
        Effect.onExit((exit) =>
          Effect.gen(function* () {
            const spoken = yield* speech.spoken(Exit.isSuccess(exit) ? length : undefined)
            if (id !== undefined) yield* Effect.ignore(spokenReplies.mark(id, spoken))
            if (speaker === undefined || speech.times.made === 0) return
            const output = Math.ceil((speech.times.made / 1_000) * SPOKEN_TOKENS)
            yield* count(chatbot, { provider: "speech", model: speaker.model, tokens: { output } })
          }),
        ),
      )
      const timings = {
        transcription_ms,
        first_text_ms: firstText,
        first_audio_ms: firstAudio,
        listened_ms: typeof turn.said === "string" ? 0 : Math.round(turn.said.seconds * 1_000),
        spoken_ms: Math.round(speech.times.spoken),
      }
      yield* emitted(emit, { type: "timings", timings })
      return { finish_reason, written_by }
    }, Effect.scoped)

    return {
      /**
       * Finds a chatbot that may answer spoken turns, before one is received: `Forbidden` where it has no voice agent, and
       * `ChatbotInactive` where it is switched off.
       */
      admit,
      /**
       * Answers a spoken turn. Interruption stores what there is of the reply, and how far its speech had come; before the
       * chat has begun it leaves nothing behind. `Conflict` while another reply is made in the visitor's conversation.
       */
      reply,
    }
  }),
}) {
  static readonly layer = Layer.effect(this, this.make).pipe(Layer.provide([Transcriber.layer, Speaker.layer]))
}
