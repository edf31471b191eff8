import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { highlight, rangeOf, textNodesIn } from "../../../shared/Highlights.ts"
import { piecesOf } from "./SearchResult.ts"

/** The ranges of a text below a node that are forms of the words. */
const rangesIn = (root: Node, words: ReadonlyArray<string>): ReadonlyArray<Range> =>
  textNodesIn(root).flatMap((node) => {
    let at = 0
    return piecesOf(node.data, words).flatMap(({ isMatch, text }) => {
      const start = at
      at += text.length
      return isMatch ? [rangeOf(node, start, node, at)] : []
    })
  })

interface MarkedProps {
  readonly words: ReadonlyArray<string>
  readonly children: ComponentChildren
}

/** Marks the forms of words in what it shows, whatever elements that consists of. */
export const Marked = ({ children, words }: MarkedProps) => {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => (place.current === null ? undefined : highlight(rangesIn(place.current, words))), [words.join(" ")])
  return <div ref={place}>{children}</div>
}
