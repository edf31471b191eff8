import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { Search, SearchX } from "lucide"
import { formatMillis, plural } from "../../../shared/Format.ts"
import { request } from "../../server/Api.ts"
import { type Failure, toFailure } from "../../server/Failure.ts"
import { Button } from "../../parts/Buttons.tsx"
import { bind, SelectField, TextField } from "../../parts/Field.tsx"
import { Empty, Problem } from "../../parts/Layout.tsx"
import { place, setQuery } from "../../Router.ts"
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

const Scores = ({ result: { ranks, scores, similarity } }: { readonly result: SearchResult }) => {
  const rows = [
    { name: "Similarity", value: similarity.toFixed(2), rank: undefined },
    ...(scores === undefined
      ? []
      : [
          { name: "Words", value: scores.lexical.toFixed(1), rank: ranks?.lexical },
          { name: "Meaning", value: scores.vector?.toFixed(2) ?? "–", rank: ranks?.vector },
          { name: "Together", value: scores.fused.toFixed(2), rank: undefined },
        ]),
  ]
  return (
    <dl class="facts">
      {rows.map(({ name, rank, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {value}
            {rank != null && <span class="soft"> #{rank}</span>}
          </dd>
        </div>
      ))}
    </dl>
  )
}

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

interface Found {
  readonly answer: SearchAnswer
  readonly millis: number | undefined
}

const Results = ({ answer, millis }: Found) => {
  const { left_out: leftOut = [], results, similarity_threshold_setting: threshold } = answer
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

const amounts = ["3", "5", "10", "20", "50"] as const

/** Asks the documents as a chatbot would, and shows what is found, and why. */
export const SearchTester = ({ chatbotId }: { readonly chatbotId: string }) => {
  const query = place.value.query
  const question = useSignal(query.get("q") ?? "")
  const amount = useSignal<(typeof amounts)[number]>("5")
  const found = useSignal<Found | undefined>(undefined)
  const failure = useSignal<Failure | undefined>(undefined)
  const busy = useSignal(false)
  const ask = async (): Promise<void> => {
    const text = question.value.trim()
    if (text === "") return
    setQuery({ q: text })
    busy.value = true
    failure.value = undefined
    try {
      const { body, headers } = await request("POST /api/external/chatbot/:chatbotId/query-knowledge", {
        params: { chatbotId },
        body: { query: text, top_k: Number(amount.value), explain: true },
      })
      found.value = { answer: body, millis: searchMillis(headers.get("server-timing")) }
    } catch (error) {
      failure.value = toFailure(error)
    }
    busy.value = false
  }
  useEffect(() => void ask(), [])
  return (
    <>
      <form
        class="search-form"
        onSubmit={(event) => {
          event.preventDefault()
          void ask()
        }}
      >
        <TextField
          label="Question"
          placeholder="How do I reset my password?"
          type="search"
          takesFocus
          maxLength={2_000}
          {...bind(question)}
        />
        <SelectField
          label="At most"
          {...bind(amount)}
          options={amounts.map((value) => ({ value, label: `${value} passages` }))}
        />
        <Button type="submit" kind="primary" icon={Search} busy={busy.value}>
          Search
        </Button>
      </form>
      {failure.value !== undefined && <Problem failure={failure.value} onRetry={() => void ask()} />}
      {found.value !== undefined && <Results {...found.value} />}
    </>
  )
}
