import { scaleToUnit } from "./UnitVector.ts"

/** Divides a text into parts of at most so many bytes, between words where it has any. */
export const divided = (text: string, bytesMax: number): ReadonlyArray<string> => {
  if (text.length < 2 || Buffer.byteLength(text) <= bytesMax) return [text]
  const middle = Math.floor(text.length / 2)
  const space = text.lastIndexOf(" ", middle)
  const at = space > middle / 2 ? space : middle
  return [...divided(text.slice(0, at), bytesMax), ...divided(text.slice(at), bytesMax)]
}

/** The vector of a text by the vectors of its parts: their direction in the mean. */
export const meanOf = (vectors: ReadonlyArray<Float32Array>): Float32Array => {
  const [first = new Float32Array(), ...others] = vectors
  const sum = first.map((value, at) => others.reduce((total, other) => total + (other[at] ?? 0), value))
  return scaleToUnit(sum) ? sum : first
}
