import { useSignal } from "@preact/signals"
import { Search, SearchX } from "lucide"
import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { formatMillis, formatShare, plural } from "../../../shared/Format.ts"
import { highlight, rangeOf, textNodesIn } from "../../../shared/Highlights.ts"
import { PassageText } from "../../parts/Answer.tsx"
import { Button } from "../../parts/Buttons.tsx"
import { bind, SelectField, TextField } from "../../parts/Field.tsx"
import { Empty, FactList, Loaded } from "../../parts/Layout.tsx"
import { bindOption, queryText, setQuery } from "../../Router.ts"
import { type Answer, request } from "../../server/Api.ts"
import { resources, useResource } from "../../server/Resource.ts"

type SearchAnswer = Answer<"POST /api/external/chatbot/:chatbotId/query-knowledge">
type SearchResult = SearchAnswer["results"][number]

export const partsOf = (content: string): { readonly title: string; readonly text: string } => {
  const [, title, text] = /^Title: (.*)\nChunk: \d+\n\n([^]*)$/u.exec(content) ?? []
  return { title: title ?? "", text: text ?? content }
}

interface Piece {
  readonly text: string
  readonly isMatch: boolean
}

const word = /[\p{L}\p{M}\p{N}]+/gu
/** The beginning of a word that its other forms share with it. */
const stemOf = (text: string): string => {
  const lower = text.toLowerCase()
  return lower.length <= 4 ? lower : lower.slice(0, Math.max(4, Math.ceil(lower.length * 0.7)))
}

/** The pieces of a text, of which those that are forms of the words match. */
export const piecesOf = (text: string, words: ReadonlyArray<string>): ReadonlyArray<Piece> => {
  const exact = new Set(words.map((each) => each.toLowerCase()))
  const stems = words.map(stemOf).filter((stem) => stem.length >= 4)
  const pieces: Array<Piece> = []
  let at = 0
  for (const match of text.matchAll(word)) {
    const found = match[0].toLowerCase()
    if (!exact.has(found) && !stems.some((stem) => found.startsWith(stem))) continue
    if (match.index > at) pieces.push({ text: text.slice(at, match.index), isMatch: false })
    pieces.push({ text: match[0], isMatch: true })
    at = match.index + match[0].length
  }
  if (at < text.length) pieces.push({ text: text.slice(at), isMatch: false })
  return pieces
}

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

/** Marks the forms of words in what it shows, in elements of all kinds. */
const Marked = ({ children, words }: MarkedProps) => {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => (place.current === null ? undefined : highlight(rangesIn(place.current, words))), [words.join(" ")])
  return <div ref={place}>{children}</div>
}

/** Time of the search, as the server writes it in `Server-Timing`. */
const searchMillis = (timing: string | null): number | undefined => {
  const [, millis] = /\bdur=([\d.]+)/.exec(timing ?? "") ?? []
  return millis === undefined ? undefined : Number(millis)
}

const reasons = {
  below_threshold: "Below the match threshold",
  beyond_top_k: "Not among the top results",
} as const

const rankWords = (by: string, rank: number | null | undefined): string =>
  rank == null ? `${by}: no match` : `${by}: #${rank}`

/** The reason for a passage's place, in words, and the figures that it rests on for who wants them. */
const Why = ({
  result: { matched_synonyms: synonyms = [], ranks, reranked, scores },
}: {
  readonly result: SearchResult
}) => {
  if (scores === undefined) return null
  const words = [
    rankWords("Keywords", ranks?.lexical),
    ...(scores.vector == null ? [] : [rankWords("Meaning", ranks?.vector)]),
    ...(reranked == null ? [] : [`Reranked from #${reranked.from}`]),
  ]
  return (
    <details class="small">
      <summary>{words.join(" · ")}</summary>
      <div class="stack tight">
        <FactList
          facts={{
            "Keyword score": scores.lexical.toFixed(1),
            "Semantic similarity": scores.vector == null ? "–" : scores.vector.toFixed(2),
            "Combined score": scores.fused.toFixed(2),
            "Matched synonyms": synonyms.length > 0 && synonyms.join(", "),
            "Reranking score": reranked != null && reranked.score.toFixed(2),
          }}
        />
        <p class="soft">
          The keyword score grows with the number and rarity of the question's words in the passage. The semantic
          similarity is at most 1. Passages are sorted by the combined score, so the best match may not come first.
        </p>
      </div>
    </details>
  )
}

const wordsOf = ({ matched_synonyms: synonyms = [], matched_words: words = [] }: SearchResult) => [
  ...words,
  ...synonyms.flatMap((synonym) => synonym.split(/\s+/u)),
]

interface ResultProps {
  readonly result: SearchResult
  readonly threshold: number
  readonly reason?: keyof typeof reasons
}

const Result = ({ reason, result, threshold }: ResultProps) => {
  const { text, title } = partsOf(result.content)
  const { chunk, document_id: documentId, page } = result
  return (
    <li class={`result box stack tight${reason === undefined ? "" : " left-out"}`}>
      <div class="row spread">
        <h3>
          {documentId === undefined ? (
            title
          ) : (
            <button
              type="button"
              class="link"
              onClick={() => setQuery({ document: documentId, passage: String(chunk ?? 1) })}
            >
              {title}
            </button>
          )}
        </h3>
        <span class="soft small">
          {page != null && `page ${page}, `}passage {chunk}
        </span>
        {reason !== undefined && <span class="soft small">{reasons[reason]}</span>}
        <span class="result-match row nowrap small number" title="How well the passage matches the question">
          <meter aria-hidden="true" min={0} max={1} value={result.similarity} low={threshold} />
          {formatShare(result.similarity)} match
        </span>
      </div>
      <Marked words={wordsOf(result)}>
        <PassageText text={text} />
      </Marked>
      <Why result={result} />
    </li>
  )
}

/** Asks the documents; the answer has the time that the search took, where the server tells it. */
const searchFor = resources(async (chatbotId: string, query: string, amount: string) => {
  const { body, headers } = await request("POST /api/external/chatbot/:chatbotId/query-knowledge", {
    params: { chatbotId },
    body: { query, top_k: Number(amount), explain: true },
  })
  return { ...body, millis: searchMillis(headers.get("server-timing")) }
})

type Found = SearchAnswer & { readonly millis: number | undefined }

const Results = ({ left_out: leftOut = [], millis, results, similarity_threshold_setting: threshold }: Found) => (
  <>
    <output class="soft small">
      {plural(results.length, "passage")}
      {millis !== undefined && ` in ${formatMillis(millis)}`}. The chatbot answers from passages with a match of{" "}
      {formatShare(threshold)} or more.
    </output>
    {results.length === 0 && (
      <Empty icon={SearchX} title="No passage matches well enough">
        The chatbot would say that it does not know.
      </Empty>
    )}
    <h2 class="visually-hidden">Results</h2>
    <ol class="stack">
      {results.map((result, index) => (
        <Result key={index} result={result} threshold={threshold} />
      ))}
    </ol>
    {leftOut.length > 0 && (
      <>
        <h2>Not used</h2>
        <ol class="stack">
          {leftOut.map((result, index) => (
            <Result key={index} result={result} threshold={threshold} reason={result.reason} />
          ))}
        </ol>
      </>
    )}
  </>
)

const amounts = { 3: "3 passages", 5: "5 passages", 10: "10 passages", 20: "20 passages", 50: "50 passages" }

/** Asks the documents as a chatbot would, and shows what is found, and why. */
export const SearchTester = ({ chatbotId }: { readonly chatbotId: string }) => {
  const asked = queryText("q")
  const amount = bindOption("amount", amounts, "5")
  const question = useSignal(asked)
  const found = useResource(searchFor(chatbotId, asked, amount.value), asked !== "")
  const ask = (): void => {
    const text = question.value.trim()
    if (text === asked) void found.reload()
    else setQuery({ q: text })
  }
  return (
    <>
      <form
        class="search-form row row-fields"
        onSubmit={(event) => {
          event.preventDefault()
          ask()
        }}
      >
        <TextField
          label="Question"
          placeholder="How do I reset my password?"
          type="search"
          autofocus
          required
          maxLength={2_000}
          {...bind(question)}
        />
        <SelectField label="Show" {...amount} options={amounts} />
        <Button type="submit" kind="primary" icon={Search} busy={found.isLoading.value}>
          Search
        </Button>
      </form>
      {asked !== "" && <Loaded of={found}>{(answer) => <Results {...answer} />}</Loaded>}
    </>
  )
}
