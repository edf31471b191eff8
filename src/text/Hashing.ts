/**
 * A hash of 32 bits, unsigned and the same on every machine: FNV-1a over UTF-16 code units, with MurmurHash3's
 * finalizer.
 */
export const hash = (text: string, from = 0, to = text.length, seed = 0x811c9dc5): number => {
  let state = seed
  for (let index = from; index < to; index++) state = Math.imul(state ^ text.charCodeAt(index), 0x01000193)
  return scramble(state)
}

/** Spreads every bit of a hash over all others: the finalizer of MurmurHash3. */
export const scramble = (bits: number): number => {
  let mixed = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
