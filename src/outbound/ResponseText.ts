/*
 * Reads the bodies of services' responses as text, up to a limit of bytes. These are plain promises: `effect/http`'s client
 * takes ten times the processor time of `fetch` (measured: .75 ms for a small request, and .08).
 */

/** The failure of a body that is longer than is read. */
export class Oversized extends Error {
  override readonly name = "Oversized"
  constructor(bytesMax: number) {
    super(`The response is longer than ${bytesMax} bytes`)
  }
}

/** Reads a whole body as text. Throws when it is longer than `bytesMax`. */
export const readText = async (response: Response, bytesMax: number): Promise<string> => {
  const announced = Number(response.headers.get("content-length") ?? Number.NaN)
  if (announced > bytesMax) throw new Oversized(bytesMax)
  // `fetch` ends the body at its announced length, which for a compressed body is not the length of the text.
  if (announced >= 0 && !response.headers.has("content-encoding")) return response.text()
  const { text, isWhole } = await readUpTo(response, bytesMax)
  if (!isWhole) throw new Oversized(bytesMax)
  return text
}

/** Reads the beginning of a body as text, and cancels the rest. */
export const readStart = async (response: Response, bytesMax: number): Promise<string> =>
  (await readUpTo(response, bytesMax)).text

const readUpTo = async ({ body }: Response, bytesMax: number) => {
  if (body === null) return { text: "", isWhole: true }
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let text = ""
  let bytes = 0
  while (true) {
    const { done, value } = await reader.read()
    if (done) return { text: text + decoder.decode(), isWhole: true }
    bytes += value.length
    text += decoder.decode(value, { stream: true })
    if (bytes > bytesMax) {
      void reader.cancel().catch(() => {})
      return { text, isWhole: false }
    }
  }
}
