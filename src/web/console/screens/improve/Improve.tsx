import { RotateCcw } from "lucide"
import { useEffect, useMemo, useRef } from "preact/hooks"
import { formatMoment, plural } from "../../../shared/Format.ts"
import { blocksOf } from "../../../shared/markdown/Blocks.ts"
import { Answer } from "../../parts/Answer.tsx"
import { Button } from "../../parts/Buttons.tsx"
import { Badge, LoadedPage, Page, Section } from "../../parts/Layout.tsx"
import { href } from "../../Router.ts"
import { useResource } from "../../server/Resource.ts"
import { can } from "../../server/Session.ts"
import { QueriedPassages } from "../knowledge/PassagesDrawer.tsx"
import { Question, Reply } from "../playground/Playground.tsx"
import { isGoingOn } from "../playground/Trace.ts"
import { Beside } from "./Beside.tsx"
import { Ground } from "./Ground.tsx"
import { KeepTest } from "./KeepTest.tsx"
import { makeMending, mayAsk, type Review, reviewOf } from "./Mending.ts"
import { Ways, type WaysProps } from "./Ways.tsx"

/** The stored answer beside the one that the chatbot gives now. */
const Answers = ({ mending, review }: WaysProps) => {
  const { answer, created_at, history, model, question } = review
  const exchange = mending.exchange.value
  const waiting = mending.waiting.value
  const trace = exchange?.trace.value
  const isBusy = waiting !== undefined || (trace !== undefined && isGoingOn(trace))
  const isFinished = trace?.state === "finished"
  const now = useRef<HTMLElement>(null)
  useEffect(() => {
    // The answer is awaited where it appears, also after a change far below.
    if (isBusy) now.current?.focus()
  }, [isBusy])
  return (
    <Section
      title="Answer"
      actions={
        mayAsk() && (
          <Button icon={RotateCcw} busy={isBusy} onClick={() => mending.again()}>
            Ask again
          </Button>
        )
      }
    >
      {history.length > 0 && (
        <details class="small">
          <summary>{plural(history.length, "message")} before the question</summary>
          <ol class="stack tight">
            {history.map(({ content, role }, index) => (
              <li key={index} class="said" dir="auto">
                <strong>{role === "user" ? "Visitor" : "Chatbot"}:</strong> {content}
              </li>
            ))}
          </ol>
        </details>
      )}
      <Question text={question} />
      <Beside texts={isFinished ? [answer, trace.text] : undefined}>
        <article class="box padded stack tight anywhere" aria-label="Old answer">
          <div class="row">
            <h3>Old answer</h3>
            <span class="soft small">{formatMoment(created_at)}</span>
            {model !== null && <Badge>{model}</Badge>}
          </div>
          {answer === "" ? <p class="soft">No text</p> : <Answer blocks={blocksOf(answer)} />}
        </article>
        <article class="box padded stack tight anywhere" aria-label="New answer" ref={now} tabIndex={-1}>
          <div class="row">
            <h3>New answer</h3>
            {mending.isTrial.value && exchange !== undefined && <Badge kind="warn">Instructions not saved</Badge>}
          </div>
          <output class={exchange === undefined ? "soft" : "visually-hidden"}>
            {waiting ??
              (exchange === undefined
                ? "Change something below, or ask again as the chatbot is now."
                : isFinished && "New answer complete.")}
          </output>
          {exchange !== undefined && <Reply exchange={exchange}>{null}</Reply>}
        </article>
      </Beside>
      {isFinished && can("chatbots:write") && <KeepTest key={exchange?.id} {...{ mending, review, trace }} />}
    </Section>
  )
}

const Improving = ({ review }: { readonly review: Review }) => {
  const { chatbot_id: chatbotId, session_id: sessionId } = review
  const mending = useMemo(() => makeMending(review), [])
  useEffect(() => mending.stop, [])
  return (
    <Page
      title="Improve answer"
      about="Change what the answer rests on, ask again, and keep the new answer as a test."
      actions={
        <a class="button secondary" href={href("conversation", { chatbotId, sessionId })}>
          Open conversation
        </a>
      }
    >
      <Answers {...{ mending, review }} />
      <Ways {...{ mending, review }} />
      <Ground review={review} />
      <QueriedPassages chatbotId={chatbotId} />
    </Page>
  )
}

/** A stored reply with what it rested on, the ways to mend it, and the answer that follows. */
const Improve = ({ chatbotId, messageId }: { readonly chatbotId: string; readonly messageId: string }) => (
  <LoadedPage title="Improve answer" of={useResource(reviewOf(chatbotId, messageId))}>
    {(review) => <Improving key={messageId} review={review} />}
  </LoadedPage>
)

export default Improve
