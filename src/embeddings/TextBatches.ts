/** The most texts of one request: the lowest limit of the known providers. */
const TEXTS_MAX = 128
/**
 * The most bytes of one request's texts. In every script a token has at least three bytes, except for rare signs, so
 * these are at most 60,000 tokens, half of what the strictest provider accepts.
 */
const BYTES_MAX = 180_000

/**
 * Groups texts into the batches of requests, in order. A text that is too long for any batch is alone in its own.
 *
 * @param max the most texts of a batch that the server takes, if it is known to take fewer than all others
 */
export const textBatches = (texts: ReadonlyArray<string>, max = TEXTS_MAX): ReadonlyArray<ReadonlyArray<string>> => {
  const batches: Array<Array<string>> = []
  let bytes = 0
  for (const text of texts) {
    const size = Buffer.byteLength(text)
    const last = batches.at(-1)
    if (last === undefined || last.length >= Math.min(max, TEXTS_MAX) || bytes + size > BYTES_MAX) {
      batches.push([text])
      bytes = size
    } else {
      last.push(text)
      bytes += size
    }
  }
  return batches
}
