import { plain } from "../../text/Markup.ts"

/** A passage longer than twice this, in UTF-16 code units, is found by its first and its last words. */
const MAX_END = 40

/** The shortest run of words that is looked for. A shorter one may be anywhere on the page. */
const MIN_RUN = 12

/** Matches lines that are not the same on a page: headings, rows of tables, rules, and lines that are only a picture. */
const notProse = /^\s*(?:#{1,6}\s|\||[-=*_]{3,}\s*$|!\[)/

const fence = /^\s*(?:`{3,}|~{3,})/

/** Matches words that are marks of Markdown or addresses, or have some. */
const notPlain = /(?<!\S)\S*?(?:[`*|<>[\]\\]|__|:\/\/)\S*/g

/** The lines of a Markdown text that a page shows as they are, without the marks of lists, links and emphasis. */
const proseOf = (markdown: string): ReadonlyArray<string> => {
  let isCode = false
  return markdown.split("\n").flatMap((line) => {
    const isFence = fence.test(line)
    if (isFence) isCode = !isCode
    return isFence || isCode || notProse.test(line) ? [] : [plain(line.trim())]
  })
}

/** The runs of plain words in a line, without punctuation at their ends. */
const runsOf = (line: string): ReadonlyArray<string> =>
  line
    .split(notPlain)
    .map((run) => run.replace(/^[^\p{L}\p{N}]+/u, "").replace(/(?<![^\p{L}\p{N}])[^\p{L}\p{N}]+$/u, ""))

/** The first or the last words of a run: as many as fit into `MAX_END`, also in scripts that do not separate words. */
const endOf = (run: string, side: "first" | "last"): string => {
  const part = side === "first" ? run.slice(0, MAX_END + 1) : run.slice(-MAX_END - 1)
  const words = Array.from(
    new Intl.Segmenter(undefined, { granularity: "word" }).segment(part),
    ({ segment }) => segment,
  )
  // The outermost word may have been cut.
  return (side === "first" ? words.slice(0, -1) : words.slice(1)).join("").trim()
}

/** Encodes a text for a text directive, in which hyphens, commas and ampersands have a meaning. */
const encoded = (text: string): string => encodeURIComponent(text.toWellFormed()).replaceAll("-", "%2D")

/**
 * Adds to the address of a page a text fragment, by which a browser scrolls to a quote and highlights it. The quote is a
 * passage or a sentence in Markdown as it was read from the page. A fragment that the address has stays. The address is
 * returned as it is when the quote has no words that the page shows in the same way.
 *
 * @see https://wicg.github.io/scroll-to-text-fragment/
 */
export const withTextFragment = (url: string, quote: string): string => {
  const runs = proseOf(quote).flatMap(runsOf)
  const run = runs.reduce((longest, each) => (each.length > longest.length ? each : longest), "")
  if (run.length < MIN_RUN || !/^https?:/i.test(url)) return url
  const ends = run.length > 2 * MAX_END ? [endOf(run, "first"), endOf(run, "last")] : [run]
  if (ends.includes("")) return url
  const [address = url] = url.split(":~:")
  return `${address}${address.includes("#") ? "" : "#"}:~:text=${ends.map(encoded).join(",")}`
}
