/*
 * Whether a text holds an answer. Case, accents, spaces, and marks of Markdown make no difference; an answer stands for
 * itself, so `4` is not in `14`, nor in `4.5`, nor `art` in `start`.
 */

interface Folded {
  readonly text: string
  /** Whether a word or a number may begin at a position, or end before it. */
  readonly edges: ReadonlyArray<boolean>
}

/** Whether a text holds an answer. */
export const holds = (text: string, answer: string): boolean => holdsFolded(fold(text), answer)

/** Whether a text holds any of some answers. */
export const holdsAny = (text: string, answers: ReadonlyArray<string>): boolean => {
  const folded = fold(text)
  return answers.some((answer) => holdsFolded(folded, answer))
}

const holdsFolded = ({ edges, text }: Folded, answer: string): boolean => {
  const wanted = fold(answer.replace(ENDS, "")).text
  if (wanted === "") return false
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    if (edges[at] === true && edges[at + wanted.length] === true) return true
  }
  return false
}

/** Punctuation around an answer that is no part of it. */
const ENDS =
  /^[\s.,;:!?…"'“”„«»‘’()[\]。，；：！？、؟،؛「」『』《》]+|[\s.,;:!?…"'“”„«»‘’()[\]。，；：！？、؟،؛「」『』《》]+$/gu

const IGNORED = /[*_`\\\p{M}\p{Cf}]/u
const EQUAL: Readonly<Record<string, string>> = {
  ı: "i",
  "“": '"',
  "”": '"',
  "„": '"',
  "’": "'",
  "‘": "'",
  "–": "-",
  "—": "-",
  "−": "-",
}

const fold = (whole: string): Folded => {
  const characters = [...whole.toLowerCase().normalize("NFKD")]
  const edges: Array<boolean> = []
  let text = ""
  let previous = ""
  for (const [index, character] of characters.entries()) {
    if (IGNORED.test(character)) continue
    if (!/\s/u.test(character)) {
      const folded = EQUAL[character] ?? character
      edges.push(isEdge(previous, character) && !isDecimal(characters, index))
      for (let unit = 1; unit < folded.length; unit++) edges.push(false)
      text += folded
    }
    previous = character
  }
  edges.push(true)
  return { text, edges }
}

/** Whether a word or a number ends between two characters. */
const isEdge = (before: string, after: string): boolean => {
  const [left, right] = [classOf(before), classOf(after)]
  return left !== right || left === "other"
}

/**
 * Scripts without spaces have no edges to look at; Arabic writes articles and prepositions as a part of the next word,
 * and Korean writes endings as a part of the word before.
 */
const classOf = (character: string): "digit" | "letter" | "other" =>
  /\p{N}/u.test(character)
    ? "digit"
    : /\p{L}/u.test(character) &&
        !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Arabic}]/u.test(
          character,
        )
      ? "letter"
      : "other"

/** Whether a number goes on across a position, by a point or comma between digits. */
const isDecimal = (characters: ReadonlyArray<string>, index: number): boolean => {
  const isDigit = (at: number) => /\p{N}/u.test(characters[at] ?? "")
  const isPoint = (at: number) => /[.,٫٬]/u.test(characters[at] ?? "")
  return (
    (isPoint(index) && isDigit(index - 1) && isDigit(index + 1)) ||
    (isDigit(index) && isPoint(index - 1) && isDigit(index - 2))
  )
}
