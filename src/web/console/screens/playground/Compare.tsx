import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { formatCount, formatMillis } from "../../../shared/Format.ts"
import { randomUuid } from "../../../shared/Random.ts"
import { chatbotResource, type VersionedChatbot } from "../../data/Chatbots.ts"
import { useChatbotForm } from "../../forms/ChatbotForm.ts"
import { EditForm } from "../../forms/EditForm.tsx"
import { ModelField } from "../../forms/ModelField.tsx"
import { TextArea } from "../../parts/Field.tsx"
import { Badge, LoadedPage, Page, Section } from "../../parts/Layout.tsx"
import { href } from "../../Router.ts"
import { useResource } from "../../server/Resource.ts"
import { askVariant, type Exchange } from "./Exchange.ts"
import { Inspector } from "./Inspector.tsx"
import { Composer, Question, Reply } from "./Playground.tsx"
import { isGoingOn, tokensOf } from "./Trace.ts"

interface Side {
  readonly title: "Saved" | "Variant"
  readonly model: string
  readonly exchange: Exchange
}

interface Round {
  readonly id: string
  readonly question: string
  readonly sides: ReadonlyArray<Side>
}

const Column = ({ side }: { readonly side: Side }) => {
  const { exchange, model, title } = side
  const trace = exchange.trace.value
  const { input, output } = tokensOf(trace)
  return (
    <article class="stack tight anywhere" aria-label={title}>
      <h3 class="row">
        {title} <Badge>{model}</Badge>
      </h3>
      <Reply exchange={exchange}>
        <details class="small">
          <summary>
            {formatMillis(trace.latest)} · {formatCount(input)} tokens in · {formatCount(output)} out
          </summary>
          <Inspector exchange={exchange} />
        </details>
      </Reply>
    </article>
  )
}

const Comparing = ({ chatbotId, first }: { readonly chatbotId: string; readonly first: VersionedChatbot }) => {
  const form = useChatbotForm(chatbotId, first)
  const saved = chatbotResource(chatbotId).data.value?.chatbot.settings ?? first.chatbot.settings
  const rounds = useSignal<ReadonlyArray<Round>>([])
  const running = (): ReadonlyArray<Exchange> =>
    (rounds.value[0]?.sides ?? []).map(({ exchange }) => exchange).filter(({ trace }) => isGoingOn(trace.value))
  const stop = (): void => running().forEach((exchange) => exchange.stop())
  const say = (question: string): void => {
    const changed = form.changes.value
    const model = form.text("settings.model")
    const variant = {
      ...(changed.includes("settings.model") && { model }),
      ...(changed.includes("settings.prompt") && { prompt: form.text("settings.prompt") }),
    }
    const sides: ReadonlyArray<Side> = [
      { title: "Saved", model: saved.model, exchange: askVariant(chatbotId, question, {}) },
      { title: "Variant", model, exchange: askVariant(chatbotId, question, variant) },
    ]
    rounds.value = [{ id: randomUuid(), question, sides }, ...rounds.value]
  }
  useEffect(() => stop, [])
  const isBusy = running().length > 0
  return (
    <Page
      title="Compare"
      about="Ask the chatbot as it is saved and a variant of it the same question."
      actions={
        <a class="button secondary" href={href("playground", { chatbotId })}>
          Playground
        </a>
      }
    >
      <EditForm form={form} label="Variant" action="Save to chatbot">
        <Section title="Variant" about="Visitors get the saved settings until you save these.">
          <ModelField form={form} />
          <TextArea {...form.line("settings.prompt")} label="Instructions" maxLength={32_000} rows={4} />
        </Section>
        <Section
          title="Answers"
          about="Each question is asked by itself, and not stored as a conversation. Tokens count, and tools are called, in both columns."
        >
          <Composer isBusy={isBusy} onSend={say} onStop={stop} />
          <output class="visually-hidden">{rounds.value.length > 0 && !isBusy && "Both answers are finished."}</output>
          <ol class="stack loose" aria-label="Questions">
            {rounds.value.map(({ id, question, sides }) => (
              <li key={id} class="stack">
                <Question text={question} />
                <div class="columns wide">
                  {sides.map((side) => (
                    <Column key={side.title} side={side} />
                  ))}
                </div>
              </li>
            ))}
          </ol>
        </Section>
      </EditForm>
    </Page>
  )
}

/** The answers of a chatbot as it is saved beside those of a variant, whose model and prompt are changed on the spot. */
const Compare = ({ chatbotId }: { readonly chatbotId: string }) => (
  <LoadedPage title="Compare" of={useResource(chatbotResource(chatbotId))}>
    {(first) => <Comparing chatbotId={chatbotId} first={first} />}
  </LoadedPage>
)

export default Compare
