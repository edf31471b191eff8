import { Context, Data, Deferred, Duration, Effect, Fiber, FiberMap, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { Budgets } from "../../admission/Budgets.ts"
import { Shares } from "../../admission/Shares.ts"
import { ChatbotAgent } from "../../agent/ChatbotAgent.ts"
import { readCall } from "../../agent/Generation.ts"
import { toolResultsOf } from "../../agent/Steps.ts"
import { type AgentTool, runTool, toolSizes } from "../../agent/tools/AgentTool.ts"
import { Caller } from "../../domain/Caller.ts"
import { sessionOfVisitor } from "../../domain/chat/SessionToken.ts"
import { defaultVad, DEFAULT_VOICE, type VoiceWidgetConfig } from "../../domain/chatbot/VoiceWidget.ts"
import { type Conflict, Forbidden, InvalidRequest, NotFound, Unavailable } from "../../domain/Errors.ts"
import { SessionId } from "../../domain/Ids.ts"
import type { HandoverReason } from "../../domain/inbox/Handover.ts"
import type { CurrentOrganization } from "../../domain/Tenancy.ts"
import type { Visitor } from "../../domain/widget/Visitor.ts"
import type { VoiceCall, VoiceCallRequest } from "../../domain/widget/Widget.ts"
import { LOGGED_MAX_LENGTH, toProviderError } from "../../models/ClientFailures.ts"
import { noAnswerMark } from "../../models/NoAnswer.ts"
import { earlierItem, type FunctionCall, makeRealtime, type RealtimeEvent } from "../../models/voice/RealtimeChannel.ts"
import { VoiceServers } from "../../models/voice/VoiceServers.ts"
import { type ChatbotRow, Chatbots } from "../../storage/chatbots/Chatbots.ts"
import { Conversations, type OpenSession } from "../../storage/conversations/Conversations.ts"
import { sessionNotFound } from "../../storage/conversations/Messages.ts"
import { Quotas } from "../../storage/organizations/Quotas.ts"
import { Usage } from "../../storage/usage/Usage.ts"
import { VisitorHandovers } from "../../storage/widget/VisitorHandovers.ts"
import { unguessableUuid } from "../../system/UnguessableId.ts"
import { parseJson } from "../../text/Json.ts"
import type { ChatFailure } from "../conversations/Chat.ts"
import { ensureActive } from "../conversations/ChatAdmission.ts"
import { toPromptTurn } from "../conversations/ChatHistory.ts"
import { VisitorTokens } from "../widget/VisitorTokens.ts"
import { makeCallRecord } from "./CallRecord.ts"
import { lastingContext } from "../LastingContext.ts"

const CALL_MAX = Duration.minutes(30)
/** Time between two looks whether a call may go on. */
export const CallLooks: Context.Reference<Duration.Input> = Context.Reference<Duration.Input>(
  "parley/services/voice/CallLooks",
  { defaultValue: () => "2 seconds" },
)
/** Longest time that the last words before a handover take. */
const LEAVING_MAX_MILLIS = 10_000
/** Most times in a row that the model may call tools. */
const ROUNDS_MAX = 8
const HISTORY_BOUNDS = { messages: 40, bytes: 32 * 1024, characters: 8_000 }
const TRANSCRIPTION_MODEL = "gpt-4o-mini-transcribe"

const unheardGuide = `Do not say ${noAnswerMark}: it would be heard.`

const noCalls = new Forbidden({ detail: "This chatbot takes no realtime calls." })
const noCall = new NotFound({ detail: "There is no such call. It may have ended." })
const ended = new Unavailable({ detail: "The call ended before it began.", retry_after_seconds: 5 })
const notAudio = InvalidRequest.at("sdp", "Expected an offer of one audio stream, and nothing else")

/** The end of a call that the server decides. */
class CallOver extends Data.TaggedError("CallOver")<{ readonly reason: string }> {}
const over = (reason: string) => Effect.fail(new CallOver({ reason }))

/**
 * Whether an offer is of audio alone. By a data channel, a page could read our instructions and give the provider others,
 * which nobody could refuse.
 */
const isAudioAlone = (sdp: string): boolean => {
  const media = sdp.split(/[\r\n]+/).filter((line) => /^\s*m\s*=/i.test(line))
  return media.length === 1 && media[0]?.startsWith("m=audio ") === true
}

/** Realtime calls of visitors with a provider's model, which the server follows and steers by a side channel. */
export class RealtimeCalls extends Context.Service<RealtimeCalls>()("parley/services/voice/RealtimeCalls", {
  make: Effect.gen(function* () {
    const lookEvery = yield* CallLooks
    const agent = yield* ChatbotAgent
    const chatbots = yield* Chatbots
    const conversations = yield* Conversations
    const handovers = yield* VisitorHandovers
    const quotas = yield* Quotas
    const random = yield* SecureRandom.SecureRandom
    const shares = yield* Shares
    const tokens = yield* VisitorTokens
    const usage = yield* Usage
    const { realtime: server } = yield* VoiceServers
    const services = yield* Effect.context<never>()
    const ensureBudget = (yield* Budgets).within(() => [])(Effect.void)
    /** The calls of visitors, each of whom has one, and their ids. */
    const fibers = yield* FiberMap.make<string, unknown, unknown>()
    const ids = new Map<string, string>()

    /** Ends a call that may not go on. While the database cannot say, it does. */
    const look = Effect.fnUntraced(
      function* (visitor: Visitor["Service"], conversation: SessionId) {
        if (!(yield* tokens.isLive(visitor.token ?? ""))) return yield* over("The visitor's token has ended")
        const [state] = yield* handovers.look([conversation])
        if (state?.visitor !== visitor.id) return yield* over("The conversation is gone")
        if (state.handover?.owner === "people") return yield* over("People have the conversation")
        if (!(yield* chatbots.get(visitor.chatbotId)).active) return yield* over("The chatbot is not active")
      },
      Effect.catchTag("Unavailable", () => Effect.void),
    )

    /** Makes a call, from its beginning to its end. */
    const makeCall = Effect.fnUntraced(function* (
      visitor: Visitor["Service"],
      chatbot: ChatbotRow,
      known: OpenSession | undefined,
      offer: string,
      onBegin: (call: VoiceCall) => Effect.Effect<unknown>,
    ) {
      const { voice_widget_config: voice } = chatbot
      if (server === undefined || voice === null) return yield* noCalls
      yield* shares.hold("calls")
      const provider = makeRealtime(server)
      const scope = yield* Effect.scope
      const conversation = known?.id ?? SessionId.make(yield* unguessableUuid(random))
      const { model } = server
      const record = makeCallRecord({
        conversations,
        random,
        usage,
        caller: yield* Caller,
        conversation,
        model,
        visitor,
      })
      const answered = new Set<string>()
      let channel: Effect.Success<ReturnType<typeof provider.attach>> | undefined
      let handover: HandoverReason | undefined
      let rounds = 0
      let isOpen = false

      const { instructions, tools } = yield* agent.equip(chatbot, {
        application: unheardGuide,
        isSpoken: true,
        onHumanRequested: (reason) => {
          handover = reason
        },
      })
      const session = sessionOf(voice, model, instructions, tools)

      const runCalls = Effect.fnUntraced(function* (calls: ReadonlyArray<FunctionCall>) {
        const made = calls.map(({ arguments: text, call_id: id, name }) =>
          readCall({ type: "tool-call", id, name, params: parseJson(text) ?? null, providerExecuted: false }),
        )
        const outcomes = yield* Effect.forEach(
          made,
          ({ args, toolName }) => runTool({ name: toolName, params: args }, tools, toolSizes),
          { concurrency: toolSizes.concurrency },
        )
        record.addTools(made, toolResultsOf(made, outcomes))
        const outputs = outcomes.map(({ result }, index) => ({
          type: "conversation.item.create",
          item: { type: "function_call_output", call_id: made[index]?.toolCallId, output: JSON.stringify(result) },
        }))
        yield* channel?.send([...outputs, { type: "response.create" }]) ?? Effect.void
      })

      const onEvent = Effect.fnUntraced(function* (event: RealtimeEvent) {
        if (event.type === "session.updated")
          return event.session.instructions === instructions ? undefined : yield* over("Its instructions were changed")
        if (event.type !== "response.done") return yield* record.add(event)
        const { id, output } = event.response
        if (answered.has(id)) return
        answered.add(id)
        const calls = output.filter((one): one is FunctionCall => one.type === "function_call")
        const spokenMillis = yield* record.addResponse(event.response, calls.length === 0)
        yield* Effect.catchTag(ensureBudget, ["TooManyChats", "Unavailable"], () => Effect.void)
        rounds = calls.length === 0 ? 0 : rounds + 1
        if (rounds > ROUNDS_MAX || calls.length > toolSizes.callsMax) return yield* over("The model only calls tools")
        if (calls.length > 0) return yield* Effect.forkIn(runCalls(calls), scope)
        if (handover === undefined) return
        yield* Effect.sleep(Math.min(spokenMillis, LEAVING_MAX_MILLIS))
        return yield* over("A person is asked for")
      })

      const { id, sdp } = yield* Effect.acquireRelease(provider.open(offer, session), (opened) => {
        if (ids.get(visitor.id) === opened.id) ids.delete(visitor.id)
        return provider.hangUp(opened.id)
      })
      /** Follows the call until its side channel is lost. */
      const follow = Effect.gen(function* () {
        const attached = yield* provider.attach(id)
        channel = attached
        if (!isOpen) {
          yield* record.open(known !== undefined)
          yield* attached.send((known?.history ?? []).map((said, index) => earlierItem(toPromptTurn(said), index)))
          isOpen = true
          ids.set(visitor.id, id)
          yield* onBegin({ call_id: id, conversation_id: conversation, sdp })
        }
        while (true) yield* Effect.forEach(yield* attached.read, onEvent, { discard: true })
      }).pipe(
        Effect.scoped,
        Effect.catchTag("SocketError", () => Effect.void),
      )
      const looking = Effect.suspend(() => (isOpen ? look(visitor, conversation) : Effect.void))
      yield* Effect.raceFirst(Effect.andThen(follow, follow), Effect.forever(Effect.delay(looking, lookEvery))).pipe(
        Effect.timeoutOption(CALL_MAX),
        Effect.onExit(() => Effect.ignore(record.end(handover))),
      )
    }, Effect.scoped)

    return {
      /** Begins a call of the visitor, who has no other one then. Returns the provider's answer for the browser. */
      start: Effect.fn("RealtimeCalls.start")(function* (
        visitor: Visitor["Service"],
        { conversation_id, sdp }: VoiceCallRequest,
      ) {
        const caller = yield* Caller
        const chatbot = yield* chatbots.get(visitor.chatbotId)
        yield* ensureActive(chatbot)
        if (server === undefined || chatbot.voice_widget_config === null) return yield* noCalls
        if (!isAudioAlone(sdp)) return yield* notAudio
        const name = conversation_id && sessionOfVisitor(caller, visitor.id, conversation_id)
        const known = name && (yield* conversations.find(chatbot.id, name, HISTORY_BOUNDS))
        if (name !== undefined && known === undefined) return yield* sessionNotFound
        if (known === undefined) yield* quotas.ensureConversation
        yield* ensureBudget
        const context = yield* Effect.context<Caller | CurrentOrganization>()
        const begun = Deferred.makeUnsafe<VoiceCall, CallFailure>()
        const call = makeCall(visitor, chatbot, known, sdp, (call) => Deferred.succeed(begun, call)).pipe(
          Effect.tapErrorTag("ProviderFailure", ({ description }) =>
            Effect.logWarning("A realtime call failed", { detail: description.slice(0, LOGGED_MAX_LENGTH) }),
          ),
          Effect.catchTags({
            CallOver: ({ reason }) => Effect.logInfo("A realtime call is ended", { reason }),
            ProviderFailure: (failure) => Effect.fail(toProviderError(failure)),
          }),
          Effect.tapError((failure) => Deferred.fail(begun, failure)),
          Effect.ensuring(Deferred.fail(begun, ended)),
        )
        const fiber = Effect.runForkWith(lastingContext(services, context))(call)
        FiberMap.setUnsafe(fibers, visitor.id, fiber)
        return yield* Effect.onInterrupt(Deferred.await(begun), () => Fiber.interrupt(fiber))
      }),

      /** Ends a call of the visitor, and waits until what was said is stored. */
      hangUp: (visitor: Visitor["Service"], id: string) =>
        Effect.suspend(() => (ids.get(visitor.id) === id ? FiberMap.remove(fibers, visitor.id) : noCall)),
    }
  }),
}) {
  static readonly layer = Layer.effect(this, this.make).pipe(Layer.provide(ChatbotAgent.layer))
}

/** The ways in which a call does not begin. */
type CallFailure = ChatFailure | Conflict | Forbidden

const sessionOf = (
  { model: bounds, vad, voice = DEFAULT_VOICE }: VoiceWidgetConfig,
  model: string,
  instructions: string,
  tools: ReadonlyArray<AgentTool>,
) => ({
  type: "realtime",
  model,
  instructions,
  ...(bounds?.max_output_tokens !== undefined && { max_output_tokens: bounds.max_output_tokens }),
  audio: {
    input: {
      transcription: { model: TRANSCRIPTION_MODEL },
      turn_detection: { type: "server_vad", ...defaultVad, ...vad },
    },
    output: { voice },
  },
  tools: tools.map(({ description, inputSchema, name }) => ({
    type: "function",
    name,
    description,
    parameters: inputSchema,
  })),
  tool_choice: "auto",
})
