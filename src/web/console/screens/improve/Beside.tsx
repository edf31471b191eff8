import { useSignal } from "@preact/signals"
import { diffArrays } from "diff"
import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { highlight, rangeOf, textNodesIn } from "../../../shared/Highlights.ts"

const segmenter = new Intl.Segmenter("en", { granularity: "word" })

/** The words of a text with their places, also in languages that do not divide them by blanks. */
const wordsIn = (text: string) => Array.from(segmenter.segment(text)).filter(({ isWordLike }) => isWordLike === true)

/** Texts that differ in more words than this are taken for others altogether. */
const CHANGES_MAX = 1_000

/** The words of each list that the other one lacks at their place; undefined where they are too many. */
export const differing = <A extends { readonly segment: string }>(one: ReadonlyArray<A>, other: ReadonlyArray<A>) => {
  const comparator = (a: A, b: A): boolean => a.segment.toLowerCase() === b.segment.toLowerCase()
  const parts = diffArrays([...one], [...other], { comparator, maxEditLength: CHANGES_MAX })
  const wordsOf = (kind: "added" | "removed") => parts?.flatMap((part) => (part[kind] ? part.value : [])) ?? []
  return parts && { before: wordsOf("removed"), now: wordsOf("added") }
}

const LISTED_MAX = 100

const listed = (words: ReadonlyArray<{ readonly segment: string }>): string =>
  words.length === 0
    ? "nothing"
    : `“${words
        .map(({ segment }) => segment)
        .join(" ")
        .slice(0, LISTED_MAX)}”`

interface BesideProps {
  /** Two articles, each with a text in Markdown. */
  readonly children: ComponentChildren
  /** Both texts; undefined while one of them is not complete. */
  readonly texts: readonly [string, string] | undefined
}

/** Two texts beside each other. The words in which they differ are marked, and named below for who does not see marks. */
export const Beside = ({ children, texts }: BesideProps) => {
  const place = useRef<HTMLDivElement>(null)
  const said = useSignal("")
  useEffect(() => {
    said.value = ""
    if (texts === undefined) return undefined
    const [one = [], other = []] = Array.from(place.current?.querySelectorAll("article") ?? [], (side) =>
      textNodesIn(side.querySelector(".markdown") ?? new Text()).flatMap((node) =>
        wordsIn(node.data).map(({ index, segment }) => ({ index, node, segment })),
      ),
    )
    const { before, now } = differing(one, other) ?? { before: one, now: other }
    const isSame = before.length + now.length === 0
    said.value = isSame ? "Both say the same." : `Only before: ${listed(before)}. Only now: ${listed(now)}.`
    return highlight(
      [...before, ...now].map(({ index, node, segment }) => rangeOf(node, index, node, index + segment.length)),
    )
  }, [texts?.join("\n")])
  return (
    <div class="stack tight">
      <div class="columns wide" ref={place}>
        {children}
      </div>
      <output class="soft small anywhere">{said}</output>
    </div>
  )
}
