import { HttpBody, HttpServerResponse } from "effect/http"

/** The size of the buffer in which Bun collects the head and the body of a response before it writes them. */
const BUFFER_BYTES = 16_384
/** An upper bound of the size of a response's head. */
const HEAD_BYTES = 2_048

/**
 * Turns a large response into a stream, which Bun sends with two system calls.
 *
 * Bun writes a response that is larger than its buffer and comes after an `await` word by word: the headers alone take
 * forty system calls. The stream has no Content-Length. https://github.com/oven-sh/bun/pull/41341 would make this
 * unnecessary.
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
