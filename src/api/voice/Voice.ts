import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { isHttpUrl, isLanguageTag } from "../../domain/chatbot/FieldTypes.ts"
import { AnyUuid, ChatbotId, MessageId, SessionId } from "../../domain/Ids.ts"
import { requestCosts } from "../../domain/organizations/RateLimit.ts"
import { textBetween, textUpTo } from "../../domain/schema/Text.ts"
import { unexpressed } from "../../domain/schema/Unexpressed.ts"
import { PAGE_TITLE_MAX_LENGTH, PAGE_URL_MAX_LENGTH, VISITOR_MESSAGE_MAX_LENGTH } from "../../domain/widget/Widget.ts"
import { chatFailures, SessionToken } from "../conversations/Chat.ts"
import { Problem } from "../failures/Problem.ts"
import { Authorization, Problems, RequestBody, RequiredScope } from "../Middleware.ts"
import { slow } from "../parts/Annotations.ts"
import { alsoStream } from "../parts/EventStream.ts"
import { FormFile } from "../parts/FormFile.ts"
import { integer } from "../parts/Paging.ts"

const HOLD_MAX = 10_000
const HEARD_MAX = 10_000_000

const audio = Schema.optionalKey(
  FormFile.annotate({
    description:
      "WAV with samples of 16 bits, or Opus in Ogg or WebM, told by its content, at most 60 seconds and 6 MiB. Absent where `text` is sent.",
  }),
)

const turn = {
  text: Schema.optionalKey(textBetween(1, VISITOR_MESSAGE_MAX_LENGTH)).annotate({
    description: "What the client itself has understood, in place of `audio`.",
  }),
  language: Schema.optionalKey(
    Schema.String.check(
      Schema.makeFilter((tag: string) => isLanguageTag(tag) || "Expected a BCP 47 language tag", unexpressed),
    ).annotate({ description: "The language of what is said, if it is known.", examples: ["de-AT"] }),
  ),
  hold_ms: Schema.optionalKey(
    integer(0, HOLD_MAX, {
      description:
        "Milliseconds before which the chat does not begin. A client that sends a turn before it is sure that it has ended cancels the request when it goes on: until then nothing is stored.",
      default: 0,
    }),
  ),
  heard_message_id: Schema.optionalKey(MessageId).annotate({
    description: "The reply that was being spoken when this turn began. It is cut to what was heard of it.",
  }),
  heard_ms: Schema.optionalKey(
    integer(0, HEARD_MAX, { description: "Milliseconds of the audio of that reply that were played." }),
  ),
  heard_characters: Schema.optionalKey(
    integer(0, HEARD_MAX, {
      description: "Characters of the clauses of that reply that were spoken, where the browser speaks them.",
    }),
  ),
}

/** The fields of a visitor's turn, without its audio. */
export const VisitorTurn = Schema.Struct({
  ...turn,
  id: AnyUuid.annotate({ description: "Made by the widget. A message that was answered is refused (409)." }),
  conversation_id: Schema.optionalKey(SessionId).annotate({ description: "Absent: a new conversation." }),
  page_url: Schema.optionalKey(
    textUpTo(PAGE_URL_MAX_LENGTH).check(
      Schema.makeFilter((text: string) => isHttpUrl(text) || "Expected an http(s) URL", unexpressed),
    ),
  ).annotate({ description: "The page on which the visitor speaks." }),
  page_title: Schema.optionalKey(textUpTo(PAGE_TITLE_MAX_LENGTH)),
})

/** The fields of a turn with an API key, without its audio. */
export const KeyTurn = Schema.Struct({
  ...turn,
  id: Schema.optionalKey(textBetween(1, 200)).annotate({
    description:
      "The client's id of the message. A turn that is sent again with the same UUID, of version 4 or 7, is stored once.",
  }),
  sessionToken: Schema.optionalKey(SessionToken).annotate({
    description: "Names the conversation, as in a chat. Absent: a new one.",
  }),
})

const description = [
  "Answers what somebody says, by voice. What was said becomes text, the chatbot answers it as in a chat, and the reply is spoken clause by clause while it is made. Audio is stored nowhere. Where the server has no model that listens, `audio` is refused (400); where it has none that speaks, there is no `data-audio`, and browsers speak the clauses. A chatbot without a voice agent is refused (403).",
  "A client that is interrupted while it plays the reply cancels the request, and sends with the next turn what was heard: the stored reply ends after the last word that was heard.",
].join("\n\n")

const stream = alsoStream(
  "The AI SDK's UI message stream, version 1, as of a chat, with data that clients do not keep. `data-transcript` (`text`, `language`) comes first: what was understood; where that is nothing, the stream just ends, and nothing is stored. `data-clause` (`text`, what is spoken; `end`, the characters of the reply up to there) comes before the `data-audio` of its clause (`audio`: base64 of samples of 16 bits, mono, 24 kHz, at most 200 ms). `data-notice` (`code`: `speech_failed`, `detail`) says that there is no audio from there on. `data-timings` (`transcription_ms`, `first_text_ms`, `first_audio_ms`, `listened_ms`, `spoken_ms`) comes before `finish`.",
)

const failures = [...chatFailures(Problem), Problem.Conflict, Problem.TooManyAtOnce]

/** A turn of a visitor. The endpoint belongs to the group `widget`. */
export const turnOfVisitor = HttpApiEndpoint.post("voiceTurn", "/api/widget/voice/turns", {
  payload: Schema.Struct({ ...VisitorTurn.fields, audio }).pipe(HttpApiSchema.asMultipartStream()),
  success: HttpApiSchema.Empty(200),
  error: failures,
})
  .middleware(RequestBody)
  .annotateMerge(slow(requestCosts.chat))
  .annotateMerge(
    OpenApi.annotations({
      summary: "Speak as a visitor",
      description: `${description} While a reply is made in the conversation, another turn is refused (409).`,
      transform: stream,
    }),
  )

const turnOfKey = HttpApiEndpoint.post("turn", "/api/external/chatbot/:chatbotId/voice/turns", {
  params: { chatbotId: ChatbotId },
  payload: Schema.Struct({ ...KeyTurn.fields, audio }).pipe(HttpApiSchema.asMultipartStream()),
  success: HttpApiSchema.Empty(200),
  error: failures,
})
  // Without idempotency keys: the audio of an answer would be stored for as long as its key.
  .middleware(RequestBody)
  .annotateMerge(slow(requestCosts.chat))
  .annotate(RequiredScope, "chat")
  .annotateMerge(OpenApi.annotations({ summary: "Speak", description, transform: stream }))

/** The endpoint of spoken turns with an API key. */
export class VoiceApi extends HttpApiGroup.make("voice")
  .add(turnOfKey)
  .annotateEndpoints(HttpApi.PayloadParseOptions, { onExcessProperty: "error" })
  .annotateMerge(OpenApi.annotations({ title: "Voice", description: "Conversations by voice." }))
  .middleware(Authorization)
  .middleware(Problems) {}
