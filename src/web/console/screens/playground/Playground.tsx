import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useEffect } from "preact/hooks"
import { ArrowUp, FlaskConical, Plus, Square } from "lucide"
import { formatMillis, plural } from "../../../shared/Format.ts"
import { useFollow } from "../../../shared/Follow.ts"
import { Scroller } from "../../../shared/Scroller.tsx"
import { chatbotResource } from "../../data/Chatbots.ts"
import { Answer } from "../../parts/Answer.tsx"
import { Explained } from "../../parts/Explained.tsx"
import { Badge, Empty, Page } from "../../parts/Layout.tsx"
import { Button, IconButton } from "../../parts/Buttons.tsx"
import { randomUuid } from "../../../shared/Random.ts"
import { useResource } from "../../server/Resource.ts"
import { href, place, screenAddress } from "../../Router.ts"
import { can } from "../../server/Session.ts"
import { ModelOffer } from "../models/ModelOffer.tsx"
import { ask, type Exchange } from "./Exchange.ts"
import { Inspector } from "./Inspector.tsx"
import { Passages } from "./Passages.tsx"
import { isGoingOn } from "./Trace.ts"

/** A conversation with a chatbot, as its visitors have it, beside how each reply came about. */
const Playground = ({ chatbotId }: { readonly chatbotId: string }) => {
  const chatbot = useResource(chatbotResource(chatbotId)).data.value?.chatbot
  const token = useSignal(randomUuid())
  const exchanges = useSignal<ReadonlyArray<Exchange>>([])
  const chosen = useSignal<string | undefined>(undefined)
  const { content, scroller, toEnd } = useFollow()
  const last = exchanges.value.at(-1)
  const isBusy = last !== undefined && isGoingOn(last.trace.value)
  const session = exchanges.value.map(({ trace }) => trace.value.sessionId).findLast((id) => id !== undefined)
  const inspected = exchanges.value.find(({ id }) => id === chosen.value) ?? last
  const say = (question: string): void => {
    exchanges.value = [...exchanges.value, ask(chatbotId, token.value, question)]
    chosen.value = undefined
    toEnd()
  }
  const begin = (): void => {
    last?.stop()
    exchanges.value = []
    token.value = randomUuid()
  }
  useEffect(() => () => exchanges.value.at(-1)?.stop(), [])
  return (
    <Page
      title="Playground"
      about={
        <>
          Chat with the chatbot and inspect how it answers.{" "}
          {chatbot !== undefined && <Badge>{chatbot.settings.model}</Badge>}
        </>
      }
      actions={
        <>
          {session !== undefined && can("conversations:read") && (
            <a class="button quiet" href={href("conversation", { chatbotId, sessionId: session })}>
              Open conversation
            </a>
          )}
          {can("chatbots:write") && (
            <a class="button secondary" href={href("compare", { chatbotId })}>
              Compare
            </a>
          )}
          <Button icon={Plus} disabled={exchanges.value.length === 0} onClick={begin}>
            New conversation
          </Button>
        </>
      }
    >
      <ModelOffer chatbotId={chatbotId} />
      <div class="playground stack">
        <div class="playground-chat box">
          <Scroller label="Conversation" of={scroller}>
            <div ref={content}>
              {exchanges.value.length === 0 ? (
                <Empty icon={FlaskConical} title="Ask a question">
                  Conversations are stored under the platform “playground” and count towards usage.
                </Empty>
              ) : (
                <ol class="stack loose">
                  {exchanges.value.map((exchange) => (
                    <Turn
                      key={exchange.id}
                      exchange={exchange}
                      isInspected={exchange === inspected}
                      onInspect={() => (chosen.value = exchange.id)}
                      onAgain={isBusy ? undefined : () => say(exchange.question)}
                    />
                  ))}
                </ol>
              )}
            </div>
          </Scroller>
          <Composer isBusy={isBusy} onSend={say} onStop={() => last?.stop()} />
          <output class="visually-hidden">{last !== undefined && !isBusy && "Reply complete."}</output>
        </div>
        {inspected === undefined ? (
          <div class="empty centred">
            The steps of a reply appear here: model and tool calls, passages, tokens and timing.
          </div>
        ) : (
          <Inspector key={inspected.id} exchange={inspected} />
        )}
      </div>
    </Page>
  )
}

const mayReview = (): boolean => can("conversations:read") && can("knowledge:read")

interface TurnProps {
  readonly exchange: Exchange
  readonly isInspected: boolean
  readonly onInspect: () => void
  readonly onAgain: (() => void) | undefined
}

const Turn = ({ exchange, isInspected, onAgain, onInspect }: TurnProps) => {
  const trace = exchange.trace.value
  return (
    <li class="stack tight">
      <Question text={exchange.question} />
      <Reply exchange={exchange}>
        <div class="row">
          <Button kind="quiet" small aria-pressed={isInspected} onClick={onInspect}>
            {`${plural(trace.rows.length, "step")} · ${formatMillis(trace.latest)}`}
          </Button>
          {trace.state === "finished" && trace.messageId !== undefined && mayReview() && (
            <a
              class="button quiet small"
              href={screenAddress("improve", { ...place.value.params, messageId: trace.messageId })}
            >
              Improve this answer
            </a>
          )}
          {(trace.state === "failed" || trace.state === "stopped") && onAgain !== undefined && (
            <Button kind="quiet" small onClick={onAgain}>
              Ask again
            </Button>
          )}
        </div>
      </Reply>
    </li>
  )
}

export const Question = ({ text }: { readonly text: string }) => (
  <p class="playground-question said" dir="auto">
    <span class="visually-hidden">You: </span>
    {text}
  </p>
)

interface ReplyProps {
  readonly exchange: Exchange
  readonly children: ComponentChildren
}

export const Reply = ({ children, exchange }: ReplyProps) => {
  const trace = exchange.trace.value
  const blocks = exchange.blocks.value
  const goesOn = isGoingOn(trace)
  const running = trace.rows.findLast((row) => row.kind === "tool" && row.end === undefined)
  return (
    <div class="stack tight">
      {blocks.length > 0 && <Answer blocks={blocks} unsupported={trace.unsupported} />}
      {running?.kind === "tool" && <p class="soft">{running.name}…</p>}
      {goesOn && running === undefined && blocks.length === 0 && <p class="soft">Thinking…</p>}
      {trace.state === "stopped" && <p class="soft small">Stopped.</p>}
      {trace.error !== undefined && (
        <p class="field-error" role="alert">
          {trace.error}
        </p>
      )}
      <Explained of={trace.explanation} />
      {trace.quotes.length > 0 && (
        <details class="small">
          <summary>{plural(trace.quotes.length, "source")}</summary>
          <Passages passages={trace.quotes} />
        </details>
      )}
      {!goesOn && children}
    </div>
  )
}

interface ComposerProps {
  readonly isBusy: boolean
  readonly onSend: (text: string) => void
  readonly onStop: () => void
}

const QUESTION_MAX_LENGTH = 32_000

export const Composer = ({ isBusy, onSend, onStop }: ComposerProps) => {
  const text = useSignal("")
  const submit = (): void => {
    const question = text.value.trim()
    if (question === "" || isBusy) return
    text.value = ""
    onSend(question)
  }
  return (
    <form
      class="composer row nowrap"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <textarea
        aria-label="Message"
        class="input"
        rows={1}
        placeholder="Ask a question…"
        maxLength={QUESTION_MAX_LENGTH}
        value={text.value}
        onInput={({ currentTarget }) => (text.value = currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || event.isComposing) return
          event.preventDefault()
          submit()
        }}
      />
      {isBusy ? (
        <IconButton icon={Square} label="Stop" onClick={onStop} />
      ) : (
        <IconButton icon={ArrowUp} label="Send" class="primary" type="submit" disabled={text.value.trim() === ""} />
      )}
    </form>
  )
}

export default Playground
