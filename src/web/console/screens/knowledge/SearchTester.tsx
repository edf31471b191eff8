import { useSignal } from "@preact/signals"
import { Search, SearchX } from "lucide"
import { formatMillis, plural } from "../../../shared/Format.ts"
import { request } from "../../server/Api.ts"
import { Button } from "../../parts/Buttons.tsx"
import { bind, SelectField, TextField } from "../../parts/Field.tsx"
import { Empty, FactList, Loaded } from "../../parts/Layout.tsx"
import { resources, useResource } from "../../server/Resource.ts"
import { bindQuery, queryText, setQuery } from "../../Router.ts"
import { partsOf, piecesOf, type SearchAnswer, type SearchResult } from "./SearchResult.ts"

/** Time of the search, as the server writes it in `Server-Timing`. */
const searchMillis = (timing: string | null): number | undefined => {
  const [, millis] = /\bdur=([\d.]+)/.exec(timing ?? "") ?? []
  return millis === undefined ? undefined : Number(millis)
}

const reasons = {
  below_threshold: "Not similar enough",
  beyond_top_k: "There are enough better ones",
} as const

const ranked = (value: string, rank: number | null | undefined) => (
  <>
    {value}
    {rank != null && <span class="soft"> #{rank}</span>}
  </>
)

const Scores = ({ result: { ranks, reranked, scores, similarity } }: { readonly result: SearchResult }) => (
  <FactList
    facts={{
      Similarity: similarity.toFixed(2),
      Words: scores !== undefined && ranked(scores.lexical.toFixed(1), ranks?.lexical),
      Meaning: scores !== undefined && ranked(scores.vector?.toFixed(2) ?? "–", ranks?.vector),
      Together: scores !== undefined && ranked(scores.fused.toFixed(2), reranked?.from),
      Reranked: reranked != null && reranked.score.toFixed(2),
    }}
  />
)

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
      </div>
      <meter
        min={0}
        max={1}
        value={result.similarity}
        low={threshold}
        aria-label={`Similarity of passage ${chunk ?? ""} of ${title}`}
      />
      <p class="said" dir="auto">
        {piecesOf(text, result.matched_words ?? []).map((piece, index) =>
          piece.isMatch ? <mark key={index}>{piece.text}</mark> : piece.text,
        )}
      </p>
      <Scores result={result} />
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
        {plural(results.length, "passage")} of at least {threshold.toFixed(2)}
        {millis !== undefined && `, found in ${formatMillis(millis)}`}
      </output>
      {results.length === 0 && (
        <Empty icon={SearchX} title="Nothing is similar enough">
          The chatbot would say that it does not know. Below is what came closest.
        </Empty>
      )}
      <h2 class="visually-hidden">Found</h2>
      <ol class="stack">
        {results.map((result, index) => (
          <Result key={index} result={result} threshold={threshold} />
        ))}
      </ol>
      {leftOut.length > 0 && (
        <>
          <h2>Left out</h2>
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

const amounts = ["3", "5", "10", "20", "50"]

/** Asks the documents as a chatbot would, and shows what is found, and why. */
export const SearchTester = ({ chatbotId }: { readonly chatbotId: string }) => {
  const asked = queryText("q")
  const amount = queryText("amount") || "5"
  const question = useSignal(asked)
  const found = useResource(searchFor(chatbotId, asked, amount), asked !== "")
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
        <SelectField
          label="At most"
          {...bindQuery("amount")}
          value={amount}
          options={amounts.map((value) => ({ value, label: `${value} passages` }))}
        />
        <Button type="submit" kind="primary" icon={Search} busy={found.isLoading.value}>
          Search
        </Button>
      </form>
      {asked !== "" && <Loaded of={found}>{(answer) => <Results {...answer} />}</Loaded>}
    </>
  )
}
