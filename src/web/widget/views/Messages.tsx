import { Fragment, type VNode } from "preact"
import { Attached } from "../../shared/Attachments.tsx"
import { useFollow } from "../../shared/Follow.ts"
import { fill } from "../languages/Language.ts"
import type { Entry, Question } from "../model/Entries.ts"
import { useWidget } from "./Context.ts"
import { EmailForm } from "./EmailForm.tsx"
import { FailureNote } from "./FailureNote.tsx"
import { Home } from "./Home.tsx"
import { OfflineForm } from "./People.tsx"
import { ReplyView } from "./ReplyView.tsx"

const QuestionView = ({ isLast, question }: { readonly question: Question; readonly isLast: boolean }): VNode => {
  const { chat, language } = useWidget()
  const { value: failure } = question.failure
  const { texts } = language.value
  // After a reload nothing says why there is no reply.
  const { areThere, handover } = chat.people
  const sentAt = areThere && isLast ? question.sentAt.value : undefined
  const isUnanswered =
    isLast && !areThere && chat.current.value === undefined && !chat.isLoading.value && failure === undefined
  const retry = () => void chat.retry(question)
  return (
    <article class="question">
      <span class="visually-hidden">{texts.you}: </span>
      <Attached files={question.files} root={chat.client.root} />
      {question.text !== "" && (
        <div class="bubble" dir="auto">
          {question.text}
        </div>
      )}
      {failure !== undefined && (
        <FailureNote
          failure={failure}
          onRetry={failure.kind === "refused" || failure.kind === "gone" ? undefined : retry}
        />
      )}
      {sentAt !== undefined && (
        <span class="note">{(handover.value?.read_at ?? "") >= sentAt ? texts.read : texts.delivered}</span>
      )}
      {isUnanswered && (
        <button type="button" class="link-button" onClick={retry}>
          {texts.tryAgain}
        </button>
      )}
    </article>
  )
}

export const Messages = (): VNode => {
  const { chat, language } = useWidget()
  const { texts } = language.value
  const { content, hasNew, scroller, toEnd } = useFollow()
  chat.onSend = toEnd
  const { value: entries } = chat.entries
  const last = entries.at(-1)
  return (
    <main class="main">
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- What scrolls has to be reachable by keyboard. */}
      <section class="scroller" ref={scroller} tabIndex={0} aria-label={texts.conversation}>
        <div class="content" ref={content}>
          {chat.earlier.value === undefined ? (
            <Home />
          ) : (
            <button type="button" class="quiet-button earlier" onClick={() => void chat.loadEarlier()}>
              {texts.earlier}
            </button>
          )}
          {chat.isLoading.value && <p class="note">{texts.loading}</p>}
          {entries.map((entry, index) => (
            <Fragment key={entry.key}>
              <Joined entry={entry} before={entries.slice(0, index)} />
              <EntryView entry={entry} isLast={entry === last} />
            </Fragment>
          ))}
          {chat.emailRequest.value !== undefined && <EmailForm answer={chat.emailRequest.value} />}
          <OfflineForm />
          <GeneralFailure />
        </div>
      </section>
      {hasNew.value && (
        <button type="button" class="quiet-button new-messages" onClick={toEnd}>
          {texts.newMessages} <span aria-hidden="true">↓</span>
        </button>
      )}
    </main>
  )
}

/** Says above a reply that a person has joined, or that the chatbot is back. */
const Joined = ({ before, entry }: { readonly before: ReadonlyArray<Entry>; readonly entry: Entry }): VNode | null => {
  const { config, language } = useWidget()
  const { texts } = language.value
  if (entry.kind === "question" || entry.phase.value === "waiting") return null
  const { sender } = entry
  const previous = before.findLast((each) => each.kind === "reply")?.sender
  if (sender?.name === previous?.name) return null
  return (
    <p class="note joined">
      {sender ? fill(texts.joined, { name: sender.name || config.value.name }) : texts.returned}
    </p>
  )
}

const EntryView = ({ entry, isLast }: { readonly entry: Entry; readonly isLast: boolean }): VNode =>
  entry.kind === "question" ? (
    <QuestionView question={entry} isLast={isLast} />
  ) : (
    <ReplyView reply={entry} isLast={isLast} />
  )

/** Failure of the visitor's last action, or the reason why nothing can happen any more. */
const GeneralFailure = (): VNode | null => {
  const { chat } = useWidget()
  const { value: failure } = chat.failure
  return failure === undefined ? null : (
    <FailureNote failure={failure} onRetry={failure.kind === "offline" ? () => void chat.restore() : undefined} />
  )
}
