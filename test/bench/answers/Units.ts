/* Takes a reply apart into the units that a reader sees: sentences, items of lists, rows of tables, and their leads. */

export interface Unit {
  readonly text: string
  /** A `lead` announces what follows it, such as a line that ends with a colon, or the head of a table. */
  readonly form: "sentence" | "item" | "row" | "lead"
  /** Whether it continues the paragraph of the unit before it. */
  readonly continues: boolean
}

/** Takes a text in a language apart. A line that begins with a name and is a quote as a whole is the row of a table. */
export const unitsOf = (text: string, language: string, quotes: ReadonlyArray<string>): ReadonlyArray<Unit> => {
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
  return lines.flatMap((line, index): ReadonlyArray<Unit> => {
    if (line.startsWith("|")) {
      if (/^\|[\s|:-]+$/.test(line)) return []
      const isHead = /^\|[\s|:-]+$/.test(lines[index + 1] ?? "")
      return [{ text: line, form: isHead ? "lead" : "row", continues: false }]
    }
    const item = /^(?:[-*+•]|\d{1,3}[.)])\s+/.exec(line)
    if (item !== null) return [{ text: line.slice(item[0].length), form: "item", continues: false }]
    if (/[:：]$/u.test(line)) return [{ text: line, form: "lead", continues: false }]
    if (isRow(line) || (isNamed(line) && quotes.includes(line))) return [{ text: line, form: "row", continues: false }]
    return sentencesOf(line, language).map((sentence, place) => ({
      text: sentence,
      form: "sentence",
      continues: place > 0,
    }))
  })
}

/** Whether a line is a row with the names of its columns, such as `Team: Price 50 EUR; Seats 5`, and no sentence. */
const isRow = (line: string): boolean => isNamed(line) && (line.includes("; ") || !SENTENCE_END.test(line))

const isNamed = (line: string): boolean => /^[^:;!?]{1,80}: \S/.test(line)

/** How a sentence ends, in any script. */
export const SENTENCE_END = /[.!?…。！？؟।۔][\p{Pe}\p{Pf}"'”’]*$/u

/** An end that is mostly none: an initial, or an abbreviation. */
const ABBREVIATED =
  /(?:^|[\s(.])(?:\p{L}|Dr|Mr|Mrs|Ms|St|Jr|Sr|Prof|Nr|No|vs|ca|bzw|approx|e\.g|i\.e|z\.B|д|г|гг|в|им)\.$/u

/** An ordinal number, in languages that write it with a point: `im 19. Jahrhundert`. */
const ORDINAL = /(?:^|[\s(])\d{1,2}\.$/
const WITH_ORDINALS: ReadonlySet<string> = new Set("cs da de fi hu no pl sk sl tr".split(" "))

const sentencesOf = (line: string, language: string): ReadonlyArray<string> => {
  const sentences: Array<string> = []
  // A citation mark closes its sentence, as a bracket does.
  const masked = line.replaceAll(/\[[^\][]{1,40}\]/g, (mark) => ")".repeat(mark.length))
  for (const { index, segment } of new Intl.Segmenter(language, { granularity: "sentence" }).segment(masked)) {
    const text = line.slice(index, index + segment.length).trim()
    const last = sentences.at(-1)
    const isOpen = last !== undefined && (ABBREVIATED.test(last) || (WITH_ORDINALS.has(language) && ORDINAL.test(last)))
    if (last !== undefined && (isOpen || /^[\p{Ll}\p{Pe}\p{Pf},;]/u.test(text))) {
      sentences[sentences.length - 1] = `${last} ${text}`
    } else if (text !== "") sentences.push(text)
  }
  return sentences
}
