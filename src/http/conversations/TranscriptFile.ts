import { Stream } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Notation, TranscriptFormat } from "../../domain/chat/Transcript.ts"

/** Responds with a transcript as a file to download, which is sent while its messages are read from the database. */
export const transcriptFile = <Conversation extends { readonly id: string }, Said, E>(
  notation: Notation<Conversation, Said>,
  conversation: Conversation,
  messages: Stream.Stream<Said, E>,
) => {
  const parts = Stream.make(notation.opening(conversation)).pipe(
    Stream.concat(Stream.map(Stream.zipWithIndex(messages), ([message, index]) => notation.message(message, index))),
    Stream.concat(Stream.make(notation.ending)),
  )
  const file = `conversation-${conversation.id}.${notation.fileExtension}`
  return HttpServerResponse.stream(Stream.encodeText(parts), {
    contentType: notation.mediaType,
    headers: { "content-disposition": `attachment; filename="${file}"`, "cache-control": "no-store" },
  })
}

/** The format of a transcript that a request asks for. */
export const formatOf = (
  { format }: { readonly format?: TranscriptFormat },
  { headers }: HttpServerRequest.HttpServerRequest,
): TranscriptFormat => format ?? (headers["accept"]?.includes("text/markdown") === true ? "markdown" : "json")
