import { useSignal } from "@preact/signals"
import { blocksOf } from "../../../shared/markdown/Blocks.ts"
import { Answer } from "../../parts/Answer.tsx"
import { Badge, Finding, StateBadge } from "../../parts/Layout.tsx"
import { Beside } from "../improve/Beside.tsx"
import { SearchView } from "../improve/Ground.tsx"
import { answerOf, findWords, sayWords } from "./ResultWords.ts"
import { changeWords, outcomeWords, type TestResult } from "./TestData.ts"

/*
 * The result of a test beside the one before: what was expected, what was said and what was found.
 */

type Said = TestResult["answers"][number]

const AnswerView = ({ answer: { model, refused, text }, title }: { readonly answer: Said; readonly title: string }) => (
  <article class="box padded stack tight anywhere">
    <div class="row">
      <strong>{title}</strong>
      <span class="soft small">{model}</span>
      {refused && <Badge>No answer</Badge>}
    </div>
    <Answer blocks={blocksOf(text)} />
  </article>
)

const Details = ({ result }: { readonly result: TestResult }) => {
  const { answers, before, error, find, found, question } = result
  const now = answerOf(answers)
  const then = answerOf(before?.answers ?? [])
  return (
    <div class="stack">
      {error !== undefined && <p class="notice warn">{error}</p>}
      <ul class="stack tight" aria-label="Expectations">
        {[
          ...find.map((check) => ({ reason: "", ...check, words: findWords(check) })),
          ...(now?.say ?? []).map((check) => ({ reason: "", ...check, words: sayWords(check) })),
        ].map(({ passed, reason, words }, index) => (
          <Finding key={index} kind={passed ? "good" : "bad"}>
            <div dir="auto">
              {words} <span class="soft small">{reason}</span>
            </div>
          </Finding>
        ))}
      </ul>
      {now !== undefined && (
        <Beside texts={then && [then.text, now.text]}>
          {then !== undefined && <AnswerView title="Answer before" answer={then} />}
          <AnswerView title="Answer now" answer={now} />
        </Beside>
      )}
      {answers.length > 1 && (
        <details>
          <summary>{`${answers.filter(({ passed }) => passed).length} of ${answers.length} answers passed`}</summary>
          <div class="stack tight">
            {answers.map((answer, index) => (
              <AnswerView key={index} title={answer.passed ? "Passed" : "Failed"} answer={answer} />
            ))}
          </div>
        </details>
      )}
      <SearchView
        now={{ query: question, passages: found }}
        then={before === null ? undefined : { query: question, passages: before.found }}
      />
    </div>
  )
}

/** Whether a test has passed, and how that differs from the result before. */
export const ResultState = ({ of: { change, outcome } }: { readonly of: Pick<TestResult, "change" | "outcome"> }) => (
  <>
    <StateBadge of={outcomeWords[outcome]} />
    <StateBadge of={changeWords[change ?? "same"]} />
  </>
)

export const Tags = ({ of: { tags } }: { readonly of: Pick<TestResult, "tags"> }) => (
  <span class="row">
    {tags.map((tag) => (
      <Badge key={tag}>{tag}</Badge>
    ))}
  </span>
)

export const ResultRow = ({ result }: { readonly result: TestResult }) => {
  const isOpen = useSignal(result.change === "worse")
  return (
    <li class="padded">
      <details open={isOpen.value} onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
        <summary>
          <span class="row spread">
            <strong dir="auto">{result.question}</strong>
            <ResultState of={result} />
            <Tags of={result} />
          </span>
        </summary>
        {isOpen.value && <Details result={result} />}
      </details>
    </li>
  )
}
