import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { formatCount } from "../../../shared/Format.ts"
import { highlight, rangeOf, textNodesIn } from "../../../shared/Highlights.ts"
import { differing, wordsIn } from "./Words.ts"

const wordsBelow = (root: Element | null) =>
  root === null ? [] : textNodesIn(root).flatMap((node) => wordsIn(node.data).map((word) => ({ ...word, node })))

const LISTED_MAX = 8

const listed = (words: ReadonlyArray<{ readonly text: string }>): string => {
  if (words.length === 0) return "nothing"
  const more = words.length - LISTED_MAX
  const shown = words.slice(0, LISTED_MAX).map(({ text }) => text)
  return `“${shown.join(" … ")}”${more > 0 ? ` and ${formatCount(more)} more` : ""}`
}

interface BesideProps {
  /** Two articles, each with a text in Markdown. */
  readonly children: ComponentChildren
  /** Both texts; undefined while one of them is not complete. */
  readonly texts: readonly [string, string] | undefined
}

/** Two texts beside each other. The words in which they differ are marked, and named below. */
export const Beside = ({ children, texts }: BesideProps) => {
  const place = useRef<HTMLDivElement>(null)
  const words = useSignal("")
  useEffect(() => {
    words.value = ""
    if (texts === undefined || place.current === null) return undefined
    const [one = [], other = []] = Array.from(place.current.querySelectorAll("article"), (side) =>
      wordsBelow(side.querySelector(".markdown")),
    )
    const [before, now] = differing(one, other)
    words.value =
      before.length + now.length === 0
        ? "Both say the same."
        : `Only before: ${listed(before)}. Only now: ${listed(now)}.`
    return highlight([...before, ...now].map(({ end, node, start }) => rangeOf(node, start, node, end)))
  }, [texts?.join("\n")])
  return (
    <div class="stack tight">
      <div class="columns wide" ref={place}>
        {children}
      </div>
      <output class="soft small anywhere">{words}</output>
    </div>
  )
}
