import back from "icon:arrow-left"
import download from "icon:download"
import eraser from "icon:eraser"
import thumbsDown from "icon:thumbs-down"
import thumbsUp from "icon:thumbs-up"
import trash from "icon:trash"
import ellipsis from "icon:ellipsis"
import { formatCount, formatMoment, plural } from "../../../shared/Format.ts"
import { Icon } from "../../../shared/Icon.tsx"
import { blocksOf } from "../../../shared/markdown/Blocks.ts"
import { Markdown } from "../../../shared/markdown/Markdown.tsx"
import { call } from "../../Api.ts"
import { useChatbotNames } from "../../Names.ts"
import { Badge } from "../../parts/Badge.tsx"
import { Button, LinkButton } from "../../parts/Button.tsx"
import { confirm } from "../../parts/Confirm.tsx"
import { Json } from "../../parts/Json.tsx"
import { Menu } from "../../parts/Menu.tsx"
import { Page } from "../../parts/Page.tsx"
import { Loaded } from "../../parts/States.tsx"
import { toast, toastFailure } from "../../parts/Toast.tsx"
import { useResource } from "../../Resource.ts"
import { href, navigate } from "../../Router.ts"
import { can } from "../../Session.ts"
import { Passages } from "../playground/Passages.tsx"
import { briefly, passagesIn } from "../playground/Waterfall.ts"
import {
  exportConversation,
  type Message,
  type Thread,
  thread,
  visitorOf,
  withNextMessages,
} from "./ConversationData.ts"
import { resultsIn, sourcesIn } from "./Stored.ts"

/** The texts that Markdown needs. */
export const markdownTexts = { copy: "Copy", copied: "Copied", table: "Table" }

interface ConversationProps {
  readonly chatbotId: string
  readonly sessionId: string
}

const tried = async (what: () => Promise<void>): Promise<void> => {
  try {
    await what()
  } catch (error) {
    toastFailure(error)
  }
}

const remove = async ({ session }: Thread): Promise<void> => {
  const isSure = await confirm({
    title: "Delete this conversation?",
    text: "It is deleted with all its messages and ratings, and cannot be brought back.",
    action: "Delete",
    isDangerous: true,
  })
  if (!isSure) return
  await call("DELETE /api/external/chatbot/:chatbotId/conversations/:sessionId", {
    params: { chatbotId: session.chatbot_id, sessionId: session.id },
  })
  toast("The conversation is deleted.")
  await navigate(href("conversations"))
}

/** By which name a visitor can be erased. */
const nameOf = ({ session: { session_token, user_info } }: Thread) =>
  user_info.email !== undefined ? { email: user_info.email } : session_token !== null ? { session_token } : undefined

const erase = async (conversation: Thread): Promise<void> => {
  const name = nameOf(conversation)
  if (name === undefined) return
  const { email } = conversation.session.user_info
  const isSure = await confirm({
    title: "Erase this visitor?",
    text:
      email === undefined
        ? "Every conversation that was opened with this one's session token is deleted, with all messages and ratings. This cannot be undone."
        : `Every conversation of ${email}, with every chatbot, is deleted with all messages and ratings. This cannot be undone.`,
    action: "Erase",
    isDangerous: true,
    ...(email !== undefined && { typed: email }),
  })
  if (!isSure) return
  const { erased } = await call("POST /api/external/erasures", { body: name })
  toast(`Erased ${plural(erased.conversations, "conversation")} with ${plural(erased.messages, "message")}.`)
  await navigate(href("conversations"))
}

/** One conversation, to be read. */
const Conversation = ({ chatbotId, sessionId }: ConversationProps) => {
  const resource = useResource(thread(chatbotId, sessionId))
  const chatbotName = useChatbotNames()
  const shown = resource.data.value
  return (
    <Page
      title={shown === undefined ? "Conversation" : visitorOf(shown.session)}
      of="Conversations"
      about={
        shown !== undefined && (
          <>
            {chatbotName(chatbotId)} · {shown.session.platform} · begun {formatMoment(shown.session.created_at)} ·{" "}
            {plural(shown.total, "message")}
          </>
        )
      }
      actions={
        <>
          <LinkButton icon={back} kind="quiet" href={href("conversations")}>
            All conversations
          </LinkButton>
          {shown !== undefined && (
            <>
              <Button icon={download} onClick={() => void tried(() => exportConversation(shown, "markdown"))}>
                Export
              </Button>
              <Menu
                label="More"
                items={[
                  {
                    label: "Export as JSON",
                    icon: download,
                    onChoose: () => void tried(() => exportConversation(shown, "json")),
                  },
                  can("conversations:write") &&
                    nameOf(shown) !== undefined && {
                      label: "Erase the visitor …",
                      icon: eraser,
                      isDangerous: true,
                      onChoose: () => void tried(() => erase(shown)),
                    },
                  can("conversations:write") && {
                    label: "Delete the conversation …",
                    icon: trash,
                    isDangerous: true,
                    onChoose: () => void tried(() => remove(shown)),
                  },
                ]}
              >
                <Icon nodes={ellipsis} size={18} />
              </Menu>
            </>
          )}
        </>
      }
    >
      <Loaded of={resource} lines={6}>
        {(known) => (
          <>
            <ol class="thread">
              {known.messages.map((message) => (
                <Said key={message.id} message={message} chatbotId={chatbotId} chatbot={chatbotName(chatbotId)} />
              ))}
            </ol>
            {known.messages.length < known.total && (
              <div class="conversation-more">
                <p class="soft small">
                  {formatCount(known.messages.length)} of {formatCount(known.total)} messages
                </p>
                <Button
                  busy={resource.isExtending.value}
                  onClick={() => void resource.extend(known, () => withNextMessages(known))}
                >
                  Show more
                </Button>
              </div>
            )}
          </>
        )}
      </Loaded>
    </Page>
  )
}

interface SaidProps {
  readonly message: Message
  readonly chatbotId: string
  readonly chatbot: string
}

/** A message, with what it rests on and what was thought of it. */
const Said = ({ chatbot, chatbotId, message }: SaidProps) => {
  const { content, created_at, feedback, model, sender_type, tokens_used, unanswered } = message
  const isBot = sender_type === "bot"
  return (
    <li class={`thread-message ${sender_type}`}>
      <div class="thread-head">
        <strong>{isBot ? chatbot : "Visitor"}</strong>
        <time dateTime={created_at}>{formatMoment(created_at)}</time>
        {isBot && model !== null && <span>{model}</span>}
        {isBot && tokens_used > 0 && <span>{plural(tokens_used, "token")}</span>}
        {unanswered === true && <Badge kind="warn">No answer</Badge>}
      </div>
      {isBot ? (
        <div class="answer">
          {content === "" ? (
            <p class="soft">Nothing was said.</p>
          ) : (
            <Markdown blocks={blocksOf(content)} texts={markdownTexts} />
          )}
        </div>
      ) : (
        <p class="said" dir="auto">
          {content}
        </p>
      )}
      {isBot && <Foot message={message} chatbotId={chatbotId} />}
      {feedback !== undefined && (
        <div class="thread-rating">
          <Badge kind={feedback.rating === "up" ? "good" : "bad"}>
            <Icon nodes={feedback.rating === "up" ? thumbsUp : thumbsDown} size={12} /> Rated {feedback.rating}
          </Badge>
          {feedback.comment !== null && <span>“{feedback.comment}”</span>}
        </div>
      )}
    </li>
  )
}

const Foot = ({ chatbotId, message }: { readonly message: Message; readonly chatbotId: string }) => {
  const sources = sourcesIn(message)
  const results = resultsIn(message.tool_results)
  return (
    <div class="thread-foot">
      {sources.length > 0 && (
        <details class="disclosure">
          <summary>{plural(sources.length, "source")}</summary>
          <div>
            <Passages chatbotId={chatbotId} passages={sources} />
          </div>
        </details>
      )}
      {results.map(({ error, id, input, name, output }) => {
        const passages = passagesIn(name, output)
        return (
          <details class="disclosure" key={id}>
            <summary>
              {name}: {briefly(input)}
              {passages !== undefined && ` · ${plural(passages.length, "passage")}`}
              {error !== undefined && " · failed"}
            </summary>
            <div>
              {passages === undefined ? (
                <>
                  <Json label="Input" value={input} />
                  <Json label={error === undefined ? "Result" : "Error"} value={error ?? output} />
                </>
              ) : (
                <Passages chatbotId={chatbotId} passages={passages} />
              )}
            </div>
          </details>
        )
      })}
    </div>
  )
}

export default Conversation
