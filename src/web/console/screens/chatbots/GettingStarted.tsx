import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useEffect } from "preact/hooks"
import { Circle, CircleCheck } from "lucide"
import { formatMillis } from "../../../shared/Format.ts"
import { Icon } from "../../../shared/Icon.tsx"
import { allChatbots, type ChatbotSummary } from "../../data/Chatbots.ts"
import { kept } from "../../data/Kept.ts"
import { Button } from "../../parts/Buttons.tsx"
import { Section } from "../../parts/Layout.tsx"
import { href } from "../../Router.ts"
import { call } from "../../server/Api.ts"
import { toFailure } from "../../server/Failure.ts"
import { listen, soon } from "../../server/Live.ts"
import { resources, useResource } from "../../server/Resource.ts"
import { can, session } from "../../server/Session.ts"
import { ModelOffer } from "../models/ModelOffer.tsx"

const isClosed = kept("getting-started-closed", false, (stored) => stored === true)

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

/** Time in which changes that come together are one reason to ask again what has been done. */
const GATHERING_MILLIS = 2_000

/** What has been done, asked for again whenever something has changed that may be a step, until all of them are done. */
const useProgress = (isShown: boolean) => {
  const progress = progressResource()
  const isAwaited = isShown && progress.data.value?.isLive !== true
  useResource(progress, isAwaited)
  useEffect(() => {
    if (!isAwaited) return undefined
    const again = soon(progress.reload, GATHERING_MILLIS)
    return listen(undefined, ({ type }) => {
      if (type === "chatbot") void allChatbots().reload()
      if (type !== "document") again()
    })
  }, [isAwaited, progress])
  return progress.data.value
}

const nothingDone = { knows: false, asked: false, hasWebsite: false, isLive: false }

const ModelTest = ({ chatbot: { id: chatbotId, settings } }: { readonly chatbot: ChatbotSummary }) => {
  const isAsking = useSignal(false)
  const result = useSignal({ isBad: false, text: "" })
  const ask = async (): Promise<void> => {
    const begun = performance.now()
    isAsking.value = true
    try {
      await call("POST /api/external/chatbot/:chatbotId/chat/try", {
        params: { chatbotId },
        body: { messages: [{ role: "user", content: "Hello" }], model: settings.model },
      })
      const time = formatMillis(performance.now() - begun)
      result.value = { isBad: false, text: `${settings.model} answered in ${time}.` }
    } catch (error) {
      result.value = { isBad: true, text: `${settings.model}: ${toFailure(error).message}` }
    }
    isAsking.value = false
  }
  const { isBad, text } = result.value
  return (
    <div class="row">
      <Button small busy={isAsking.value} onClick={() => void ask()}>
        Test the model
      </Button>
      <output class={isBad ? "field-error" : "small"}>{text}</output>
    </div>
  )
}

interface GettingStartedProps {
  readonly chatbots: ReadonlyArray<ChatbotSummary>
  readonly create: ComponentChildren
}

/** The first steps, each ticked once what it makes is there, for those who may take them all. */
export const GettingStarted = ({ chatbots, create }: GettingStartedProps) => {
  const mayAll =
    session.value?.chatbot_id === null &&
    (["chat", "chatbots:write", "knowledge:write", "conversations:read", "admin"] as const).every((scope) => can(scope))
  const [chatbot] = chatbots
  const known = useProgress(mayAll && !isClosed.value)
  const progress = chatbot === undefined ? nothingDone : known
  if (!mayAll || progress === undefined || isClosed.value || progress.isLive) return null
  const to = (screen: "knowledge" | "playground" | "widget") => chatbot && href(screen, { chatbotId: chatbot.id })
  const steps = [
    {
      title: "Create a chatbot",
      text: "It answers from your documents, and needs only a name to begin with.",
      isDone: chatbot !== undefined,
    },
    {
      title: "Add knowledge",
      text: "Add a website, files, texts or answers for the chatbot to answer from.",
      isDone: progress.knows,
      to: to("knowledge"),
    },
    {
      title: "Ask a question",
      text: "Try the chatbot in the playground and inspect its answers.",
      isDone: progress.asked,
      to: to("playground"),
    },
    {
      title: "Put it on a website",
      text: "Add the website, then paste one line into its pages.",
      // A public chatbot is embedded by its id, without a key for the website.
      isDone: progress.hasWebsite || chatbots.some(({ is_public }) => is_public),
      to: to("widget"),
    },
    {
      title: "See it live",
      text: "Ask a question on the website. It appears under Conversations.",
      isDone: progress.isLive,
      to: chatbot && href("conversations", {}),
    },
  ]
  return (
    <Section
      title="Getting started"
      about="From your documents to a chatbot on your website."
      actions={
        <Button small onClick={() => (isClosed.value = true)}>
          Dismiss
        </Button>
      }
    >
      <ol class="stack tight">
        {steps.map(({ isDone, text, title, to: screen }) => (
          <li key={title} class={`finding row nowrap start ${isDone ? "good" : ""}`}>
            <Icon nodes={isDone ? CircleCheck : Circle} size={18} />
            <div>
              {isDone ? (
                <span class="soft">{title}</span>
              ) : (
                <strong>{screen ? <a href={screen}>{title}</a> : title}</strong>
              )}
              {isDone && <span class="visually-hidden"> (done)</span>}
              <div class="soft small stack tight">
                <p>{text}</p>
                {chatbot === undefined && title === "Create a chatbot" && create}
              </div>
            </div>
          </li>
        ))}
      </ol>
      {chatbot !== undefined && <ModelOffer chatbotId={chatbot.id} />}
      {chatbot !== undefined && <ModelTest chatbot={chatbot} />}
    </Section>
  )
}
