import { ArrowLeft, Bot, CircleCheck, CircleDot, Eraser, MessageCircleQuestionMark, ThumbsDown, ThumbsUp } from "lucide"
import type { ComponentChildren } from "preact"
import { useEffect } from "preact/hooks"
import { Attached } from "../../../shared/Attachments.tsx"
import { formatCount, formatMoment, plural } from "../../../shared/Format.ts"
import { Icon } from "../../../shared/Icon.tsx"
import { blocksOf } from "../../../shared/markdown/Blocks.ts"
import { useChatbotNames } from "../../data/Admin.ts"
import { titleOf } from "../../data/Texts.ts"
import { Answer } from "../../parts/Answer.tsx"
import { Button, deleteItem, Menu } from "../../parts/Buttons.tsx"
import { Json } from "../../parts/Copy.tsx"
import { confirmed } from "../../parts/Dialogs.tsx"
import { Explained } from "../../parts/Explained.tsx"
import { Ago, Badge, Loaded, More, useTitle } from "../../parts/Layout.tsx"
import { toast } from "../../parts/Toast.ts"
import { href, mailboxOf, place } from "../../Router.ts"
import { call } from "../../server/Api.ts"
import { root } from "../../server/Root.ts"
import { useResource } from "../../server/Resource.ts"
import { can } from "../../server/Session.ts"
import { fieldsIn, isFields, textIn } from "../../server/Unknown.ts"
import { briefly, type FoundPassage, passageOf, Passages, passagesIn } from "../playground/Passages.tsx"
import { WriteAnswer, writeAnswer } from "../improve/WriteAnswer.tsx"
import {
  type Conversation as Session,
  conversationOf,
  eventsOf,
  exportItems,
  mayWrite,
  type Message,
  messagesOf,
  toggleState,
  visitorOf,
} from "./ConversationData.ts"
import { Happened, questionBefore, timelineOf } from "./Timeline.tsx"
import { markRead } from "./Unread.ts"

/*
 * Things that are stored with a reply beside its text, whose form the API leaves open.
 */

/** The calls of tools for a reply, each with its result and, where it has failed, the reason. */
const resultsIn = (stored: ReadonlyArray<unknown> | null) =>
  (stored ?? []).filter(isFields).map(({ args, result, toolCallId, toolName }, index) => {
    const error = textIn(fieldsIn(result)["error"])
    return { id: `${index} ${String(toolCallId)}`, name: textIn(toolName) ?? "", input: args, output: result, error }
  })

/** The quotes on which a reply rests, where they are stored with it. */
const sourcesIn = (message: object): ReadonlyArray<FoundPassage> => {
  const sources = "sources" in message && Array.isArray(message.sources) ? message.sources : []
  return sources.filter(isFields).map(passageOf)
}

const languages = new Intl.DisplayNames("en", { type: "language" })

const nameOf = ({ session_token, user_info }: Session) =>
  user_info.email !== undefined ? { email: user_info.email } : session_token !== null ? { session_token } : undefined

const erase = (name: NonNullable<ReturnType<typeof nameOf>>, onGone: () => void): Promise<void> =>
  confirmed(
    {
      title: "Erase this visitor?",
      text:
        "email" in name
          ? `Every conversation of ${name.email} with any chatbot is deleted, with all messages and ratings. This cannot be undone.`
          : "Every conversation with the same session token is deleted, with all messages and ratings. This cannot be undone.",
      action: "Erase",
      ...("email" in name && { typed: name.email }),
    },
    async () => {
      const { erased } = await call("POST /api/external/erasures", { body: name })
      toast(`Erased ${plural(erased.conversations, "conversation")} with ${plural(erased.messages, "message")}.`)
      onGone()
    },
  )

export interface ThreadProps {
  readonly chatbotId: string
  readonly sessionId: string
  readonly back: string
  readonly onGone: () => void
  readonly onDelete: (conversation: Session) => void
  /** What stands between the title and the messages. */
  readonly above?: ComponentChildren
  readonly children?: ComponentChildren
}

/** Actions on the conversation that is read. */
const Actions = ({ of, onDelete, onGone }: Pick<ThreadProps, "onDelete" | "onGone"> & { readonly of: Session }) => {
  const name = nameOf(of)
  return (
    <div class="row nowrap">
      {mayWrite() && (
        <Button icon={of.state === "open" ? CircleCheck : CircleDot} onClick={() => toggleState(of)}>
          {of.state === "open" ? "Mark as closed" : "Mark as open"}
        </Button>
      )}
      <Menu
        label="More actions"
        items={[
          ...exportItems([of]),
          mayWrite() &&
            name !== undefined && {
              label: "Erase visitor…",
              icon: Eraser,
              isDangerous: true,
              onChoose: () => erase(name, onGone),
            },
          mayWrite() && deleteItem(() => onDelete(of), "Delete conversation…"),
        ]}
      />
    </div>
  )
}

export const Thread = ({ above, back, chatbotId, children, onDelete, onGone, sessionId }: ThreadProps) => {
  const session = useResource(conversationOf(chatbotId, sessionId))
  const messages = useResource(messagesOf(chatbotId, sessionId))
  const events = useResource(eventsOf(chatbotId, sessionId)).data.value ?? []
  const mailbox = mailboxOf(place.value.screen)
  const chatbotName = useChatbotNames()
  const shown = session.data.value
  const title = shown === undefined ? "Conversation" : titleOf(shown)
  useTitle(title, mailbox === "inbox" ? "Inbox" : "Conversations")
  // A change without new messages leaves the conversation unread when it has been marked so.
  useEffect(() => {
    if (shown !== undefined) markRead([shown])
  }, [shown?.id, shown?.updated_at])
  return (
    <div class="inbox-thread stack loose">
      <a class="back button quiet small" href={back}>
        <Icon nodes={ArrowLeft} size={16} />
        {mailbox === "inbox" ? "Inbox" : "All conversations"}
      </a>
      <header class="stack tight anywhere">
        <div class="row nowrap apart start">
          <h1 dir="auto">{title}</h1>
          {shown !== undefined && <Actions of={shown} {...{ onDelete, onGone }} />}
        </div>
        {shown !== undefined && (
          <p class="soft small">
            {[
              visitorOf(shown),
              shown.user_info.name && shown.user_info.email,
              chatbotName(chatbotId),
              shown.platform,
              `started ${formatMoment(shown.created_at)}`,
              plural(shown.message_count, "message"),
              shown.language && languages.of(shown.language),
            ]
              .filter(Boolean)
              .join(" · ")}{" "}
            {shown.state === "closed" && <Badge>Closed</Badge>}
          </p>
        )}
        {shown?.page !== undefined && (
          <p class="soft small">
            On{" "}
            <a class="inline" href={shown.page.url} target="_blank" rel="noopener noreferrer">
              {shown.page.url}
            </a>{" "}
            <bdi>{shown.page.title}</bdi>
          </p>
        )}
        {above}
      </header>
      <Loaded of={messages}>
        {({ items, next, total }) => (
          <>
            <ol class="thread stack">
              {timelineOf(items, events, next === null).map((each, index, all) =>
                "sender_type" in each ? (
                  <Said
                    key={each.id}
                    message={each}
                    chatbotId={chatbotId}
                    chatbot={chatbotName(chatbotId)}
                    visitor={shown === undefined ? "Visitor" : visitorOf(shown)}
                    question={() => questionBefore(all.slice(0, index))}
                  />
                ) : (
                  <Happened key={each.id} event={each} />
                ),
              )}
            </ol>
            {next !== null && (
              <More
                of={messages}
                onMore={messages.more}
                note={`${formatCount(items.length)} of ${formatCount(total)} messages`}
              />
            )}
          </>
        )}
      </Loaded>
      {children}
    </div>
  )
}

interface SaidProps {
  readonly message: Message
  readonly chatbotId: string
  readonly chatbot: string
  readonly visitor: string
  /** What the visitor has written last before it. */
  readonly question: () => string
}

/** A message, with what it rests on and what was thought of it. */
const Said = ({ chatbot, chatbotId, message, question, visitor }: SaidProps) => {
  const { content, created_at, feedback, id: messageId, sender, sender_type, unanswered } = message
  const isBot = sender_type === "bot"
  const isVisitor = sender_type === "user"
  return (
    <li class={`box stack tight ${sender_type}`}>
      <div class="row spread soft small">
        {isBot && <Icon nodes={Bot} size={14} />}
        <strong>{isBot ? chatbot : isVisitor ? visitor : (sender?.name ?? "Team")}</strong>
        <Ago at={created_at} />
        {unanswered === true && <Badge kind="warn">Unanswered</Badge>}
      </div>
      <Attached files={message.attachments} root={root} />
      {isVisitor && content !== "" && (
        <p class="said" dir="auto">
          {content}
        </p>
      )}
      {isBot && content === "" && <p class="soft">No text</p>}
      {!isVisitor && content !== "" && (
        <Answer blocks={blocksOf(content)} unsupported={message.unsupported?.map(({ sentence }) => sentence)} />
      )}
      {message.metadata.failure !== undefined && (
        <div>
          <p class="field-error">{isBot ? "The model failed before it had finished." : "The model did not answer."}</p>
          <Explained of={message.metadata.failure} />
        </div>
      )}
      {isBot && <Foot message={message} />}
      {feedback !== undefined && (
        <div class="row anywhere">
          <Badge kind={feedback.rating === "up" ? "good" : "bad"}>
            <Icon nodes={feedback.rating === "up" ? ThumbsUp : ThumbsDown} size={12} /> Thumbs {feedback.rating}
          </Badge>
          {feedback.comment !== null && <span>“{feedback.comment}”</span>}
        </div>
      )}
      {isBot && can("knowledge:read") && (
        <div class="row">
          {(unanswered === true || feedback?.rating === "down") && <WriteAnswer {...{ chatbotId, messageId }} />}
          <a class="button secondary small" href={href("improve", { chatbotId, messageId })}>
            Improve this answer
          </a>
        </div>
      )}
      {sender_type === "agent" && can("knowledge:write") && (
        <div class="row">
          <Button
            small
            icon={MessageCircleQuestionMark}
            onClick={() => writeAnswer(chatbotId, { asked: { question: question(), answer: content } })}
          >
            Keep this answer
          </Button>
        </div>
      )}
    </li>
  )
}

/** What made a reply, folded: people who answer visitors rarely need it. */
const Foot = ({ message }: { readonly message: Message }) => {
  const { model, tokens_used } = message
  const sources = sourcesIn(message)
  const results = resultsIn(message.tool_results)
  const made = [model, tokens_used > 0 && plural(tokens_used, "token")].filter(Boolean).join(" · ")
  if (sources.length + results.length === 0 && made === "") return null
  return (
    <details class="small">
      <summary>Details</summary>
      <p class="soft">{made}</p>
      {sources.length > 0 && (
        <details open>
          <summary>{plural(sources.length, "source")}</summary>
          <Passages passages={sources} />
        </details>
      )}
      {results.map(({ error, id, input, name, output }) => {
        const passages = passagesIn(name, output)
        return (
          <details key={id}>
            <summary>
              {name}: {briefly(input)}
              {passages !== undefined && ` · ${plural(passages.length, "passage")}`}
              {error !== undefined && " · failed"}
            </summary>
            {passages === undefined ? (
              <div>
                <Json label="Input" value={input} />
                <Json label={error === undefined ? "Result" : "Error"} value={error ?? output} />
              </div>
            ) : (
              <Passages passages={passages} />
            )}
          </details>
        )
      })}
    </details>
  )
}
