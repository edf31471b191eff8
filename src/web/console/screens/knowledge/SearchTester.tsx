import { useSignal } from "@preact/signals"
import { Search, SearchX } from "lucide"
import { formatMillis, formatShare, plural } from "../../../shared/Format.ts"
import { request } from "../../server/Api.ts"
import { PassageText } from "../../parts/Answer.tsx"
import { Button } from "../../parts/Buttons.tsx"
import { bind, SelectField, TextField } from "../../parts/Field.tsx"
import { Empty, FactList, Loaded } from "../../parts/Layout.tsx"
import { resources, useResource } from "../../server/Resource.ts"
import { bindOption, queryText, setQuery } from "../../Router.ts"
import { Marked } from "./Marked.tsx"
import { partsOf, type SearchAnswer, type SearchResult } from "./SearchResult.ts"

/** Time of the search, as the server writes it in `Server-Timing`. */
const searchMillis = (timing: string | null): number | undefined => {
  const [, millis] = /\bdur=([\d.]+)/.exec(timing ?? "") ?? []
  return millis === undefined ? undefined : Number(millis)
}

const reasons = {
  below_threshold: "Below the match threshold",
  beyond_top_k: "Not among the top results",
} as const

/** A rank in words; 1 is the best. */
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

const Results = ({ left_out: leftOut = [], millis, results, similarity_threshold_setting: threshold }: Found) => {
  return (
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
}

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
        class="search-form"
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
