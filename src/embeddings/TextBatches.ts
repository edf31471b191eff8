/** Texts of one request, at most: the least that a known provider takes. */
const TEXTS_MAX = 128
/**
 * Bytes of one request's texts, at most. A token is three bytes at the least, in any script, but for rare signs; so this
 * is 60,000 tokens, half of what the strictest provider takes.
 */
const BYTES_MAX = 180_000

/** The texts in their order, cut into requests. A text that is too long for any is alone in its own. */
export const textBatches = (texts: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  const batches: Array<Array<string>> = []
  let bytes = 0
  for (const text of texts) {
    const size = Buffer.byteLength(text)
    const last = batches.at(-1)
    if (last === undefined || last.length === TEXTS_MAX || bytes + size > BYTES_MAX) {
      batches.push([text])
      bytes = size
    } else {
      last.push(text)
      bytes += size
    }
  }
  return batches
}
