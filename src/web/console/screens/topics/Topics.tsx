import {
  CircleCheck,
  CircleDot,
  EyeOff,
  type IconNode,
  Lightbulb,
  MessageCircleQuestionMark,
  Pencil,
  Plus,
} from "lucide"
import { useSignal } from "@preact/signals"
import { formatShare, formatShortDay, plural } from "../../../shared/Format.ts"
import { Button, Menu } from "../../parts/Buttons.tsx"
import { FormDialog, openDialog, useDraft } from "../../parts/Dialogs.tsx"
import { TextField } from "../../parts/Field.tsx"
import { Ago, Badge, Card, Empty, LoadedList, Page, StateBadge, Tabs } from "../../parts/Layout.tsx"
import { attempt, toast } from "../../parts/Toast.ts"
import { bindOption, href, setQuery } from "../../Router.ts"
import { useResource } from "../../server/Resource.ts"
import { can } from "../../server/Session.ts"
import { QueriedPassages } from "../knowledge/PassagesDrawer.tsx"
import { sourceItems } from "../sources/AddKnowledge.tsx"
import { WriteAnswer, writeAnswer } from "../improve/WriteAnswer.tsx"
import {
  changeTopic,
  gapWords,
  isNew,
  latestGap,
  questionsOf,
  type Topic,
  type TopicQuestion,
  topicsOf,
  topicWords,
  type View,
  views,
} from "./TopicData.ts"

interface TopicProps {
  readonly topic: Topic
  readonly onChanged: () => unknown
}

/** Asks for an answer to a topic's typical question, which closes its gaps. */
export const answer = async ({ onChanged, topic }: TopicProps): Promise<void> => {
  const [question = topic.name, ...variants] = topic.examples
  const close = async (): Promise<void> => {
    if (can("conversations:write")) await changeTopic(topic, { state: "answered" })
    onChanged()
  }
  // Its test is that of a reply of the topic, so that it counts among the topic's.
  const messageId = await latestGap(topic)
  return writeAnswer(topic.chatbot_id, { asked: { question, variants, messageId }, onStored: () => attempt(close) })
}

const RenameDialog = ({ onChanged, topic }: TopicProps) => {
  const { draft, of } = useDraft({ name: topic.name })
  const submit = async (): Promise<void> => {
    await changeTopic(topic, draft)
    onChanged()
  }
  return (
    <FormDialog title="Rename topic" action="Save" onSubmit={submit}>
      <TextField label="Name" {...of("name")} required dir="auto" maxLength={200} />
    </FormDialog>
  )
}

/** Bars of a topic's questions by week, those that show a gap at the bottom. */
const Weeks = ({ topic, weeks }: { readonly topic: Topic; readonly weeks: ReadonlyArray<string> }) => {
  const byWeek = new Map(topic.weeks.map((each) => [each.week, each]))
  const top = Math.max(1, ...topic.weeks.map(({ questions }) => questions))
  return (
    <ol class="weeks" aria-label="By week">
      {weeks.map((week) => {
        const { gaps = 0, questions = 0 } = byWeek.get(week) ?? {}
        const words = `Week of ${formatShortDay(week)}: ${plural(questions, "question")}, ${plural(gaps, "gap")}`
        return (
          <li
            key={week}
            title={words}
            style={{ "--share": String(questions / top), "--gaps": String(gaps / Math.max(1, questions)) }}
          >
            <span class="visually-hidden">{words}</span>
          </li>
        )
      })}
    </ol>
  )
}

const QuestionRow = ({ of, topic }: { readonly of: TopicQuestion; readonly topic: Topic }) => {
  const { created_at, gap, message_id: messageId, nearest, question, session_id: sessionId, similarity } = of
  const { chatbot_id: chatbotId, examples } = topic
  return (
    <li class="source-page stack tight">
      <p class="row spread">
        <span class="anywhere" dir="auto">
          {question}
        </span>
        {gap !== null && <StateBadge of={gapWords[gap]} />}
      </p>
      <p class="row spread soft small">
        {nearest === null ? (
          "Nothing found"
        ) : (
          <span>
            Nearest:{" "}
            <button
              type="button"
              class="link"
              dir="auto"
              disabled={!can("knowledge:read")}
              onClick={() => setQuery({ document: nearest.document_id, passage: String(nearest.chunk) })}
            >
              {nearest.title}
            </button>
            {`, passage ${nearest.chunk} · ${formatShare(similarity ?? 0)} match`}
          </span>
        )}
        <Ago at={created_at} />
        <a class="inline" href={href("conversation", { chatbotId, sessionId })}>
          Conversation
        </a>
        {can("knowledge:read") && (
          <a class="inline" href={href("improve", { chatbotId, messageId })}>
            Improve answer
          </a>
        )}
        {gap !== null && gap !== "weak" && <WriteAnswer {...{ chatbotId, messageId }} variants={examples} />}
      </p>
    </li>
  )
}

const Questions = ({ topic, view }: { readonly topic: Topic; readonly view: View }) => (
  <LoadedList of={useResource(questionsOf(topic.chatbot_id, topic.id, view))}>
    {({ items }) => (
      <ul class="rows" aria-label="Questions">
        {items.map((question) => (
          <QuestionRow key={question.id} of={question} topic={topic} />
        ))}
      </ul>
    )}
  </LoadedList>
)

const stateWords = { answered: "Answered", ignored: "Ignored" } as const

interface TopicCardProps extends TopicProps {
  readonly view: View
  readonly weeks: ReadonlyArray<string>
}

const TopicCard = ({ onChanged, topic, view, weeks }: TopicCardProps) => {
  const isOpen = useSignal(false)
  const { chatbot_id: chatbotId, examples, name, state } = topic
  const become = (label: string, icon: IconNode, next: Topic["state"]) =>
    state !== next && {
      label,
      icon,
      onChoose: async () => {
        await changeTopic(topic, { state: next })
        toast(`“${name}” is ${next}.`)
        onChanged()
      },
    }
  const rename = () => openDialog(<RenameDialog {...{ onChanged, topic }} />)
  return (
    <Card
      title={name}
      actions={
        <>
          {view === "gaps" && isNew(topic) && <Badge kind="busy">New</Badge>}
          {state !== "open" && <Badge>{stateWords[state]}</Badge>}
          {can("knowledge:write") && view === "gaps" && (
            <>
              <Button icon={MessageCircleQuestionMark} onClick={() => answer({ onChanged, topic })}>
                Write the answer
              </Button>
              <Menu label="Add a source" icon={Plus} kind="secondary" items={sourceItems(chatbotId)} />
            </>
          )}
          {can("conversations:write") && (
            <Menu
              label={`Actions for ${name}`}
              items={[
                { label: "Rename…", icon: Pencil, onChoose: rename },
                become("Mark as answered", CircleCheck, "answered"),
                become("Ignore", EyeOff, "ignored"),
                become("Open again", CircleDot, "open"),
              ]}
            />
          )}
        </>
      }
    >
      <div class="row">
        <Weeks topic={topic} weeks={weeks} />
        <span class="soft small">
          {topicWords(topic)}
          {topic.last_at !== null && " · last "}
          {topic.last_at !== null && <Ago at={topic.last_at} />}
        </span>
      </div>
      <ul>
        {examples.map((example) => (
          <li key={example} dir="auto">
            “{example}”
          </li>
        ))}
      </ul>
      <details onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
        <summary>{view === "all" ? "All questions" : "Questions with gaps"}</summary>
        {isOpen.value && <Questions topic={topic} view={view} />}
      </details>
    </Card>
  )
}

const emptyWords = {
  gaps: ["No gaps", "Questions that the documents do not answer, or whose answers get a thumbs down, appear here."],
  all: ["No topics yet", "Questions of visitors are grouped by subject here, a few minutes after they are asked."],
} as const

/** What the users of a chatbot ask, by subject, those first that its documents do not answer. */
const Topics = ({ chatbotId }: { readonly chatbotId: string }) => {
  const view = bindOption("view", views, "gaps")
  const list = useResource(topicsOf(chatbotId, view.value))
  const [title, about] = emptyWords[view.value]
  return (
    <Page
      title="Gaps and topics"
      docs="answers"
      about="What visitors asked in the last twelve weeks, by subject, and what the documents do not answer."
    >
      <Tabs label="View" {...view} options={views} />
      <LoadedList of={list}>
        {({ items, ungrouped, weeks }) => (
          <>
            {ungrouped > 0 && (
              <p class="soft small">
                {plural(ungrouped, "question")} {ungrouped === 1 ? "is" : "are"} not grouped yet.
              </p>
            )}
            {items.length === 0 ? (
              <Empty icon={Lightbulb} title={title}>
                {about}
              </Empty>
            ) : (
              <ul class="stack" aria-label="Topics">
                {items.map((topic) => (
                  <TopicCard
                    key={topic.id}
                    topic={topic}
                    view={view.value}
                    weeks={weeks}
                    onChanged={() => void list.reload()}
                  />
                ))}
              </ul>
            )}
          </>
        )}
      </LoadedList>
      <QueriedPassages chatbotId={chatbotId} />
    </Page>
  )
}

export default Topics
