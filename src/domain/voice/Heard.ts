import { Schema } from "effect"
import { spokenIn, wordEnd } from "./Clauses.ts"

/**
 * How far the speech of a reply had come: at the end of each clause, the characters of the reply, in UTF-16 code units,
 * and the milliseconds of audio (`ms`), or the characters that a browser had spoken (`characters`).
 */
export const Spoken = Schema.Struct({
  unit: Schema.Literals(["ms", "characters"]),
  marks: Schema.Array(Schema.Tuple([Schema.Finite, Schema.Finite])),
})
export type Spoken = typeof Spoken.Type

/** A fraction of a character that is no more than the inexactness of numbers. */
const EPSILON = 1e-6

/**
 * Cuts a reply at the end of the last word that was heard whole. Returns what is left, with its marks, or undefined where
 * the whole reply was heard.
 */
export const cutAtHeard = (content: string, { marks, unit }: Spoken, heard: number) => {
  let [start, before] = [0, 0]
  const kept: Array<readonly [number, number]> = []
  for (const mark of marks) {
    const [end, until] = mark
    if (heard < until) {
      const { at, text } = spokenIn(content.slice(start, end))
      const most = Math.floor((text.length * (heard - before)) / (until - before) + EPSILON)
      const last = text.slice(0, wordEnd(text, Math.max(0, most))).trimEnd().length
      if (last === 0) break
      start += (at[last - 1] ?? 0) + 1
      kept.push([start, before + (last / text.length) * (until - before)])
      break
    }
    kept.push(mark)
    ;[start, before] = mark
  }
  if (start >= content.trimEnd().length) return undefined
  return { content: content.slice(0, start).trimEnd(), spoken: { unit, marks: kept } }
}
