/** How deep arrays and objects nest. Counts brackets outside of strings, so it needs no parser that could overflow. */
export const jsonDepth = (text: string): number => scan(text).deepest

/** About how many values are in it, those in values counted too: at least as many as there are, where it is JSON. */
export const jsonValues = (text: string): number => scan(text).values

/** Whether it is a JSON object that ends too early, or nothing at all. To be asked of what is no JSON only. */
export const isCutObject = (text: string): boolean => /^\s*(?:\{|$)/.test(text) && !scan(text).isClosed

const scan = (text: string): { readonly deepest: number; readonly values: number; readonly isClosed: boolean } => {
  let depth = 0
  let deepest = 0
  // Each but the first comes after a comma or a bracket.
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
