/** Name of the highlight, which the style sheet gives a colour. */
const NAME = "match"

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

/** Highlights ranges of the document until the returned function is called; without effect in browsers that cannot. */
export const highlight = (ranges: ReadonlyArray<Range>): (() => void) => {
  if (!("highlights" in CSS)) return () => {}
  const all = CSS.highlights.get(NAME) ?? new Highlight()
  CSS.highlights.set(NAME, all)
  for (const range of ranges) all.add(range)
  return () => ranges.forEach((range) => all.delete(range))
}
