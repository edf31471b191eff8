import { findQuote } from "./Quote.ts"

/** Names of highlights, to which the style sheet gives their looks: found words, and sentences without a source. */
type Name = "match" | "unsupported"

/** The text nodes below a node, in the order of the document. */
export const textNodesIn = (root: Node): ReadonlyArray<Text> => {
  const texts: Array<Text> = []
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) if (node instanceof Text) texts.push(node)
  return texts
}

export const rangeOf = (from: Text, start: number, to: Text, end: number): Range => {
  const range = new Range()
  range.setStart(from, start)
  range.setEnd(to, end)
  return range
}

/** Range of a quote below a node; undefined where the quote is not there. */
export const rangeIn = (root: Node, quote: string): Range | undefined => {
  const nodes = textNodesIn(root)
  const found = findQuote(
    nodes.map(({ data }) => data),
    quote,
  )
  const [from, to] = [nodes[found?.first.text ?? -1], nodes[found?.last.text ?? -1]]
  return found && from && to && rangeOf(from, found.first.start, to, found.last.end)
}

/** Highlights ranges of the document until the returned function is called; without effect in browsers that cannot. */
export const highlight = (ranges: ReadonlyArray<Range>, name: Name = "match"): (() => void) => {
  if (!("highlights" in CSS)) return () => {}
  const all = CSS.highlights.get(name) ?? new Highlight()
  CSS.highlights.set(name, all)
  for (const range of ranges) all.add(range)
  return () => ranges.forEach((range) => all.delete(range))
}
