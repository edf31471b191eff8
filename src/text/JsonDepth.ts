/**
 * How deep the arrays and objects of a JSON text nest. Brackets are counted outside of strings, without a parser that
 * could overflow its stack.
 */
export const jsonDepth = (text: string): number => scan(text).deepest

/** An upper bound of the number of values in a JSON text, counting those within other values. */
export const jsonValues = (text: string): number => scan(text).values

/** Whether a text that is not valid JSON is empty, or an object that ends too early. */
export const isCutObject = (text: string): boolean => /^\s*(?:\{|$)/.test(text) && !scan(text).isClosed

const scan = (text: string): { readonly deepest: number; readonly values: number; readonly isClosed: boolean } => {
  let depth = 0
  let deepest = 0
  // Each value but the first follows a comma or a bracket.
  let values = 1
  let inString = false
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (inString) {
      if (code === 0x5c) index++
      else if (code === 0x22) inString = false
    } else if (code === 0x22) inString = true
    else if (code === 0x2c) values++
    else if (code === 0x5b || code === 0x7b) {
      values++
      deepest = Math.max(deepest, ++depth)
    } else if (code === 0x5d || code === 0x7d) depth--
  }
  return { deepest, values, isClosed: deepest > 0 && depth <= 0 && !inString }
}
