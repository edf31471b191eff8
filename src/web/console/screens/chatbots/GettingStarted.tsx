import { useSignal } from "@preact/signals"
import { Circle, CircleCheck } from "lucide"
import { Icon } from "../../../shared/Icon.tsx"
import type { ChatbotSummary } from "../../data/Chatbots.ts"
import { kept } from "../../data/Kept.ts"
import { Button } from "../../parts/Buttons.tsx"
import { Finding, Loaded, Section } from "../../parts/Layout.tsx"
import { href } from "../../Router.ts"
import { call } from "../../server/Api.ts"
import { resources, useResource } from "../../server/Resource.ts"
import { atRoot } from "../../server/Root.ts"
import { can, session } from "../../server/Session.ts"
import { serverChecks } from "../system/SystemData.ts"

/** Whether the person has closed the steps in this browser. */
const isClosed = kept("getting-started-closed", false, (stored) => stored === true)

/** What of the first steps has been done, by anybody in the organization. */
const progressResource = resources(async () => {
  const [{ totals }, asked, live, { api_keys }] = await Promise.all([
    call("GET /api/external/chatbots/totals"),
    call("GET /api/external/conversations", { query: { limit: "1" } }),
    call("GET /api/external/conversations", { query: { limit: "1", platform: "widget" } }),
    call("GET /api/admin/api-keys", { query: { limit: "200" } }),
  ])
  return {
    knows: totals.some(({ documents }) => (documents?.total ?? 0) > 0),
    asked: asked.conversations.length > 0,
    hasWebsite: api_keys.some(({ kind, revoked_at }) => kind === "publishable" && revoked_at === null),
    isLive: live.conversations.length > 0,
  }
})

interface StepProps {
  readonly title: string
  readonly text: string
  readonly isDone: boolean
  /** Where it is done; undefined until there is a chatbot. */
  readonly to: string | undefined
}

const Step = ({ isDone, text, title, to }: StepProps) => (
  <li class={`finding row nowrap start ${isDone ? "good" : ""}`}>
    <Icon nodes={isDone ? CircleCheck : Circle} size={18} />
    <div>
      {to === undefined || isDone ? <strong>{title}</strong> : <a href={to}>{title}</a>}
      {isDone && <span class="visually-hidden"> (done)</span>}
      <p class="soft small">{text}</p>
    </div>
  </li>
)

/** Says that the server's own model only quotes, and lets the operator look for others. */
const ModelNote = () => {
  const isAsked = useSignal(false)
  return (
    <div class="stack tight">
      <p class="small">
        Chatbots answer with <code>local/extractive</code>, which only quotes the documents. For answers in a model's
        own words, give the server a key of Anthropic or OpenAI, or the address of Ollama:{" "}
        <a class="inline" href={atRoot("/docs/guide#choose-a-language-model")} target="_blank" rel="noopener">
          how to choose a language model
        </a>
        .
      </p>
      {can("operator") && (
        <Button small onClick={() => (isAsked.value = true)} disabled={isAsked.value}>
          Look for a model
        </Button>
      )}
      {isAsked.value && <ModelChecks />}
    </div>
  )
}

/** What the server's checks find about models: whether keys are accepted, and what listens on its machine. */
const ModelChecks = () => (
  <Loaded of={useResource(serverChecks())}>
    {(all) => (
      <ul class="stack tight">
        {all.map(
          ({ part, state, text }) =>
            part === "models" && (
              <Finding key={text} kind={({ ok: "good", note: "warn", wrong: "bad" } as const)[state]}>
                <div>{text}</div>
              </Finding>
            ),
        )}
      </ul>
    )}
  </Loaded>
)

interface GettingStartedProps {
  /** The chatbots of the organization, newest first. */
  readonly chatbots: ReadonlyArray<ChatbotSummary>
}

/** The first steps, each ticked once what it makes is there, for whoever may take them all. */
export const GettingStarted = ({ chatbots }: GettingStartedProps) => {
  const mayAll =
    session.value?.chatbot_id === null &&
    (["chatbots:write", "knowledge:write", "conversations:read", "admin"] as const).every(can)
  const progress = useResource(progressResource(), mayAll && !isClosed.value).data.value
  const [chatbot] = chatbots
  if (progress === undefined || isClosed.value || chatbot === undefined || progress.isLive) return null
  const params = { chatbotId: chatbot.id }
  return (
    <Section
      title="Getting started"
      about="From documents to a chatbot on a website."
      actions={
        <Button small onClick={() => (isClosed.value = true)}>
          Close
        </Button>
      }
    >
      <ol class="stack tight">
        <Step
          title="Add knowledge"
          text="Drop the documents that the chatbot answers from."
          isDone={progress.knows}
          to={href("knowledge", params)}
        />
        <Step
          title="Ask a question"
          text="In the playground, which shows how the answer comes about."
          isDone={progress.asked}
          to={href("playground", params)}
        />
        <Step
          title="Put it on a website"
          text="Name the website, and paste one line into its pages."
          isDone={progress.hasWebsite}
          to={href("widget", params)}
        />
        <Step
          title="See it live"
          text="Ask on the website: the conversation appears under Conversations."
          isDone={progress.isLive}
          to={href("conversations", {})}
        />
      </ol>
      {chatbot.settings.model === "local/extractive" && <ModelNote />}
    </Section>
  )
}
