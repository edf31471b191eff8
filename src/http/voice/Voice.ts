import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Shares } from "../../admission/Shares.ts"
import { Api } from "../../api/Api.ts"
import { KeyTurn, VisitorTurn } from "../../api/voice/Voice.ts"
import { InvalidRequest } from "../../domain/Errors.ts"
import { UTTERANCE_MAX_BYTES, utteranceOf } from "../../domain/voice/Utterance.ts"
import { Visitor } from "../../domain/widget/Visitor.ts"
import { type Heard, type VoiceTurn, VoiceTurns } from "../../services/voice/VoiceTurns.ts"
import { pageOf } from "../../services/widget/VisitorChats.ts"
import { ReceivedForms } from "../ReceivedForms.ts"
import { respondWithStream, streamingOptions } from "../streams/Streaming.ts"
import { VoiceMessages } from "./VoiceMessages.ts"

type Fields = Omit<typeof VisitorTurn.Type & typeof KeyTurn.Type, "id">

const eitherAudio = InvalidRequest.at("audio", "Expected either `audio` or `text`")
const heardTogether = InvalidRequest.at(
  "heard_message_id",
  "Expected it with one of `heard_ms` and `heard_characters`, or none of them",
)

const saidIn = (audio: Uint8Array | undefined, text: string | undefined) => {
  if ((audio === undefined) === (text === undefined)) return Effect.fail(eitherAudio)
  const said = audio === undefined ? (text ?? "") : utteranceOf(audio)
  return said instanceof InvalidRequest ? Effect.fail(said) : Effect.succeed(said)
}

const heardIn = (fields: Fields): Effect.Effect<Heard | undefined, InvalidRequest> => {
  const { heard_characters: characters, heard_message_id: reply, heard_ms: ms } = fields
  const amount = ms ?? characters
  if (reply === undefined && amount === undefined) return Effect.undefined
  if (reply === undefined || amount === undefined || (ms !== undefined && characters !== undefined)) {
    return Effect.fail(heardTogether)
  }
  return Effect.succeed({ reply, amount, unit: ms === undefined ? "characters" : "ms" })
}

const turnOf = Effect.fnUntraced(function* ({
  audio,
  fields,
}: {
  readonly audio: Uint8Array | undefined
  readonly fields: Fields & { readonly id?: string }
}): Effect.fn.Return<VoiceTurn, InvalidRequest> {
  const { conversation_id, hold_ms = 0, id, language, page_title: title, page_url: url, sessionToken } = fields
  return {
    said: yield* saidIn(audio, fields.text),
    id,
    conversation: conversation_id ?? sessionToken,
    language,
    holdMillis: hold_ms,
    heard: yield* heardIn(fields),
    page: url === undefined ? undefined : pageOf({ page: { url, ...(title !== undefined && { title }) } }),
  }
})

/** The handlers of spoken turns in the groups `widget` and `voice`. */
const voiceHandlers = Effect.gen(function* () {
  const forms = yield* ReceivedForms
  const turns = yield* VoiceTurns
  const shares = yield* Shares
  const streaming = yield* streamingOptions

  return {
    turnOfVisitor: HttpApiBuilder.handler(
      Api,
      "widget",
      "voiceTurn",
      Effect.fnUntraced(function* ({ payload, request }) {
        yield* shares.hold("turns")
        const visitor = yield* Visitor
        const turn = yield* turnOf(yield* forms.receiveInMemory(VisitorTurn, payload, UTTERANCE_MAX_BYTES, request))
        return yield* respondWithStream(
          (emit) => turns.reply(visitor.chatbotId, visitor, turn, emit),
          new VoiceMessages(),
          streaming,
        )
      }),
    ),

    turnOfKey: HttpApiBuilder.handler(
      Api,
      "voice",
      "turn",
      Effect.fnUntraced(function* ({ params, payload, request }) {
        yield* shares.hold("turns")
        const turn = yield* turnOf(yield* forms.receiveInMemory(KeyTurn, payload, UTTERANCE_MAX_BYTES, request))
        return yield* respondWithStream(
          (emit) => turns.reply(params.chatbotId, undefined, turn, emit),
          new VoiceMessages(),
          streaming,
        )
      }),
    ),
  }
})

/** The handler of a visitor's turns. */
export const turnOfVisitor = Effect.map(voiceHandlers, (handlers) => handlers.turnOfVisitor)

export const layer = HttpApiBuilder.group(
  Api,
  "voice",
  Effect.fn(function* (handlers) {
    const { turnOfKey } = yield* voiceHandlers
    return handlers.handleAll({ turn: turnOfKey })
  }),
)
