import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { piecesOf } from "./SearchResult.ts"

const NAME = "match"

/** The ranges of a text below a node that are forms of the words. */
const rangesIn = (root: Node, words: ReadonlyArray<string>): ReadonlyArray<Range> => {
  const ranges: Array<Range> = []
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    let at = 0
    for (const { isMatch, text } of piecesOf(node.textContent ?? "", words)) {
      const range = new Range()
      range.setStart(node, at)
      range.setEnd(node, (at += text.length))
      if (isMatch) ranges.push(range)
    }
  }
  return ranges
}

interface MarkedProps {
  readonly words: ReadonlyArray<string>
  readonly children: ComponentChildren
}

/** Marks the forms of words in what it shows, whatever elements that consists of. */
export const Marked = ({ children, words }: MarkedProps) => {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (place.current === null) return undefined
    const all = CSS.highlights.get(NAME) ?? new Highlight()
    CSS.highlights.set(NAME, all)
    const ranges = rangesIn(place.current, words)
    for (const range of ranges) all.add(range)
    return () => ranges.forEach((range) => all.delete(range))
  }, [words.join(" ")])
  return <div ref={place}>{children}</div>
}
