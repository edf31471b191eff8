import { HttpBody, HttpServerResponse } from "effect/http"

/** Bun gathers so many bytes of an answer, head and body, before it writes them. */
const BUFFER_BYTES = 16_384
/** More than the head of any answer takes. */
const HEAD_BYTES = 2_048

/**
 * The same answer, in as few writes as possible. One that is larger than its buffer, and comes after an `await`, Bun
 * sends word by word: its headers alone take forty system calls. A stream leaves in two, though without telling its
 * length. https://github.com/oven-sh/bun/pull/41341 would make this unnecessary.
 */
export const inFewWrites = (response: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse => {
  const { body } = response
  if (body._tag !== "Uint8Array" || body.contentLength + HEAD_BYTES <= BUFFER_BYTES) return response
  const stream = new ReadableStream({
    start: (controller) => {
      controller.enqueue(body.body)
      controller.close()
    },
  })
  return HttpServerResponse.setBody(response, HttpBody.raw(stream, { contentType: body.contentType }))
}
