import { Effect, type Schema, type Stream } from "effect"
import type { HttpServerRequest, Multipart } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Shares } from "../../admission/Shares.ts"
import { Api } from "../../api/Api.ts"
import { KeyTurn, VisitorTurn } from "../../api/voice/Voice.ts"
import { InvalidRequest } from "../../domain/Errors.ts"
import type { ChatbotId } from "../../domain/Ids.ts"
import { UTTERANCE_MAX_BYTES, utteranceOf } from "../../domain/voice/Utterance.ts"
import { Visitor } from "../../domain/widget/Visitor.ts"
import { type VoiceTurn, VoiceTurns } from "../../services/voice/VoiceTurns.ts"
import { pageOf } from "../../services/widget/VisitorChats.ts"
import { ReceivedForms } from "../ReceivedForms.ts"
import { respondWithStream, streamingOptions } from "../streams/Streaming.ts"
import { VoiceMessages } from "./VoiceMessages.ts"
import { group } from "../Group.ts"

type Fields = Omit<typeof VisitorTurn.Type & typeof KeyTurn.Type, "id"> & { readonly id?: string }

const eitherAudio = InvalidRequest.at("audio", "Expected either `audio` or `text`")
const heardTogether = InvalidRequest.at(
  "heard_message_id",
  "Expected it with one of `heard_ms` and `heard_characters`, or none of them",
)

/** Reads a turn, whose form must not contradict itself. */
const turnOf = (fields: Fields, audio: Uint8Array<ArrayBuffer> | undefined): VoiceTurn | InvalidRequest => {
  const { conversation_id, heard_characters, heard_message_id, heard_ms, hold_ms = 0, id, language, text } = fields
  const said = audio === undefined ? text : utteranceOf(audio)
  if (said === undefined || (audio !== undefined && text !== undefined)) return eitherAudio
  if (said instanceof InvalidRequest) return said
  const amount = heard_ms ?? heard_characters
  const isHeard = heard_message_id !== undefined && amount !== undefined
  if (!isHeard && (heard_message_id ?? amount) !== undefined) return heardTogether
  if (heard_ms !== undefined && heard_characters !== undefined) return heardTogether
  const { page_title: title, page_url: url } = fields
  return {
    said,
    id,
    conversation: conversation_id ?? fields.sessionToken,
    language,
    holdMillis: hold_ms,
    heard: isHeard
      ? { reply: heard_message_id, amount, unit: heard_ms === undefined ? "characters" : "ms" }
      : undefined,
    page: url === undefined ? undefined : pageOf({ page: { url, ...(title !== undefined && { title }) } }),
  }
}

/** Makes the function that responds to the form of a turn. */
const responding = Effect.gen(function* () {
  const forms = yield* ReceivedForms
  const turns = yield* VoiceTurns
  const shares = yield* Shares
  const streaming = yield* streamingOptions

  return Effect.fnUntraced(function* (
    form: Schema.ConstraintDecoder<Fields>,
    parts: Stream.Stream<Multipart.Part, Multipart.MultipartError>,
    request: HttpServerRequest.HttpServerRequest,
    chatbot: ChatbotId,
    visitor?: Visitor["Service"],
  ) {
    // Nothing is received for a chatbot that does not listen.
    const admitted = yield* turns.admit(chatbot)
    yield* shares.hold("turns")
    const { audio, fields } = yield* forms.receiveInMemory(form, parts, UTTERANCE_MAX_BYTES, request)
    const turn = turnOf(fields, audio)
    if (turn instanceof InvalidRequest) return yield* turn
    return yield* respondWithStream(
      (emit) => turns.reply(admitted, visitor, turn, emit),
      new VoiceMessages(),
      streaming,
    )
  })
})

/** The handler of a visitor's turns, which belongs to the group `widget`. */
export const turnOfVisitor = Effect.map(responding, (respond) =>
  HttpApiBuilder.handler(Api, "widget", "voiceTurn", ({ payload, request }) =>
    Visitor.use((visitor) => respond(VisitorTurn, payload, request, visitor.chatbotId, visitor)),
  ),
)

export const layer = group("voice", function* (handlers) {
  const respond = yield* responding
  return handlers.handleAll({
    turn: ({ params, payload, request }) => respond(KeyTurn, payload, request, params.chatbotId),
  })
})
