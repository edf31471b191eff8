/*
 * Search in the sections of the documentation, in the browser.
 */

/** A section of a page, as the index lists it. */
export interface Section {
  /** The path of the page, without the slash before it. */
  readonly page: string
  readonly title: string
  readonly heading: string
  readonly id: string
  readonly text: string
}

export interface Found {
  readonly section: Section
  /** The text around the first word of the query. */
  readonly snippet: string
}

const FOUND_MAX = 20
/** Characters of a snippet, and those of them before the word. */
const SNIPPET_LENGTH = 120
const SNIPPET_BEFORE = 40

/** The weight of a word where it is found. A heading says what a section is about. */
const weightOf = ({ heading, text, title }: Section, word: string): number => {
  if (heading.toLowerCase().includes(word)) return 5
  if (title.toLowerCase().includes(word)) return 3
  return text.toLowerCase().includes(word) ? 1 : 0
}

const snippetOf = (text: string, word: string): string => {
  const start = Math.max(0, text.toLowerCase().indexOf(word) - SNIPPET_BEFORE)
  return `${start > 0 ? "… " : ""}${text.slice(start, start + SNIPPET_LENGTH)}`
}

/** Finds the sections that have every word of a query, those with the words in headings first. */
export const find = (sections: ReadonlyArray<Section>, query: string): ReadonlyArray<Found> => {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "")
  const [first] = words
  if (first === undefined) return []
  return sections
    .flatMap((section) => {
      const weights = words.map((word) => weightOf(section, word))
      return weights.includes(0) ? [] : [{ section, weight: weights.reduce((sum, weight) => sum + weight, 0) }]
    })
    .toSorted((one, other) => other.weight - one.weight)
    .slice(0, FOUND_MAX)
    .map(({ section }) => ({ section, snippet: snippetOf(section.text, first) }))
}
