import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { formatCompact, formatCount, formatMillis, formatShare, plural } from "../../../shared/Format.ts"
import { BarsByDay, stack } from "../../charts/BarsByDay.tsx"
import { addDays, countDays, daysBetween } from "../../charts/Days.ts"
import { openDialog } from "../../parts/Dialogs.tsx"
import { bind } from "../../parts/Field.tsx"
import { Finding, Loaded, Section, Tabs } from "../../parts/Layout.tsx"
import { type Column, Table } from "../../parts/Table.tsx"
import { href } from "../../Router.ts"
import { together, useResource } from "../../server/Resource.ts"
import { nameOfLanguage } from "../widget/Languages.ts"
import { costOf, modelsWithoutPrice, PricesDialog } from "./Prices.tsx"
import { type Advice, adviceOf, changeWords, type Counts, type Quality, qualityOf } from "./Quality.ts"
import { conversationReport, languageReport, usageReport, type UsageRow } from "./Report.ts"

interface TileProps {
  readonly label: string
  readonly value: string
  readonly now: number
  readonly before: number
  /** Whether more of it is worse. */
  readonly isBad?: boolean
  readonly isKnown?: boolean
  readonly children?: ComponentChildren
}

/** A number with how much it differs from that of the time before. */
const Tile = ({ before, children, isBad, isKnown = true, label, now, value }: TileProps) => {
  const kind = isBad === undefined || before === 0 || now === before ? "soft" : now > before === isBad ? "bad" : "good"
  return (
    <div class="tile box stack tight">
      <dt class="soft small">{label}</dt>
      <dd>
        <strong>{value}</strong>
        {isKnown && <span class={`small tile-change ${kind}`}>{changeWords(now, before)}</span>}
        {children}
      </dd>
    </div>
  )
}

const tokensOf = (rows: ReadonlyArray<UsageRow>): number =>
  rows.reduce((sum, { total_tokens }) => sum + total_tokens, 0)

interface InsightProps {
  readonly from: string
  readonly to: string
  readonly chatbotName: (id: string) => string
}

/** Quality of chatbots' answers in a time, compared with the time before, with advice. */
export const Insight = ({ chatbotName, from, to }: InsightProps) => {
  const days = countDays(from, to)
  const [earlier, until] = [addDays(from, -days), addDays(from, -1)]
  const now = useResource(conversationReport(from, to, "chatbot"))
  const before = useResource(conversationReport(earlier, until, "chatbot"))
  const languages = useResource(languageReport(from, to))
  const languagesBefore = useResource(languageReport(earlier, until))
  const tokens = useResource(usageReport(from, to, "model"))
  const tokensBefore = useResource(usageReport(earlier, until, "model"))
  return (
    <Loaded of={together(now, before, tokens, tokensBefore)}>
      {([rows, rowsBefore, used, usedBefore]) => (
        <Shown
          {...{ chatbotName, from, rows, to }}
          tokens={used}
          tokensBefore={usedBefore}
          firstWord={languages.data.value?.total.first_word_ms}
          firstWordBefore={languagesBefore.data.value?.total.first_word_ms?.median ?? 0}
          languages={languages.data.value?.data ?? []}
          before={qualityOf(rowsBefore)}
          beforeWords={`the previous ${plural(days, "day")}`}
        />
      )}
    </Loaded>
  )
}

const measures = { questions: "Questions", unanswered: "Unanswered", rated_down: "Thumbs down" }

const units = {
  questions: "questions",
  unanswered: "unanswered questions",
  rated_down: "replies with a thumbs down",
}

/** The questions of each day, of those without an answer, or of replies that were rated down. */
const ByDay = ({ chatbotName, from, to }: InsightProps) => {
  const report = useResource(conversationReport(from, to, "day,chatbot"))
  const measure = useSignal<keyof typeof measures>("questions")
  return (
    <section class="section stack" aria-label="Questions by day">
      <Tabs label="Measure" {...bind(measure)} options={measures} />
      <Loaded of={report}>
        {(rows) => (
          <BarsByDay
            title={`${measures[measure.value]} by day and chatbot`}
            stacks={stack(
              daysBetween(from, to),
              rows.map((row) => ({ day: row.day ?? "", key: row.chatbot_id ?? "", value: row[measure.value] })),
            )}
            name={chatbotName}
            unit={units[measure.value]}
          />
        )}
      </Loaded>
    </section>
  )
}

const filtersOf = (kind: Advice["kind"]) => (kind === "down" ? { rating: kind } : { show: kind })

type FirstWord = { readonly median: number; readonly p95: number } | null

type ChatbotCounts = Counts & {
  readonly chatbot_id?: string
  readonly language?: string | null
  readonly first_word_ms: FirstWord
}

const languageName = ({ language }: ChatbotCounts): string =>
  typeof language === "string" ? nameOfLanguage(language) : "Not known"

const number = (
  title: string,
  value: (row: ChatbotCounts) => number,
  isExtra = false,
  format = formatCount,
): Column<ChatbotCounts> => ({ title, kind: "number", isExtra, sort: value, cell: (row) => format(value(row)) })

/** Columns of what was asked, how well it was answered, and how soon. */
const measured = (): ReadonlyArray<Column<ChatbotCounts>> => [
  number("Questions", ({ questions }) => questions),
  number("Unanswered", (row) => qualityOf([row]).unansweredShare, false, formatShare),
  number(
    "Time to first word",
    ({ first_word_ms: word }) => word?.median ?? 0,
    true,
    (millis) => (millis === 0 ? "–" : formatMillis(millis)),
  ),
]

interface ShownProps extends InsightProps {
  readonly firstWord: FirstWord | undefined
  readonly firstWordBefore: number
  readonly languages: ReadonlyArray<ChatbotCounts>
  readonly rows: ReadonlyArray<ChatbotCounts>
  readonly before: Quality
  readonly beforeWords: string
  readonly tokens: ReadonlyArray<UsageRow>
  readonly tokensBefore: ReadonlyArray<UsageRow>
}

const Shown = ({
  before,
  beforeWords,
  chatbotName,
  firstWord,
  firstWordBefore,
  from,
  languages,
  rows,
  to,
  tokens,
  tokensBefore,
}: ShownProps) => {
  const models = Array.from(new Set(tokens.map(({ model = "" }) => model))).toSorted()
  const enterPrices = () => openDialog(<PricesDialog models={models} />)
  const now = qualityOf(rows)
  const cost = costOf(tokens)
  const unpriced = modelsWithoutPrice(tokens)
  const [used, usedBefore] = [tokensOf(tokens), tokensOf(tokensBefore)]
  const advice = adviceOf(rows, { used, usedBefore, questions: now.questions, questionsBefore: before.questions })
  return (
    <>
      <p class="soft small">Compared with {beforeWords}.</p>
      <dl class="tiles">
        <Tile label="Questions" value={formatCount(now.questions)} now={now.questions} before={before.questions} />
        <Tile
          label="Unanswered"
          value={formatShare(now.unansweredShare)}
          now={now.unansweredShare}
          before={before.unansweredShare}
          isBad
        />
        <Tile
          label="Thumbs up"
          value={now.rated === 0 ? "–" : formatShare(now.upShare)}
          now={now.upShare}
          before={before.upShare}
          isBad={false}
        >
          {now.rated > 0 && <span class="soft small">of {plural(now.rated, "rating")}</span>}
        </Tile>
        <Tile
          label="Time to first word"
          value={firstWord ? formatMillis(firstWord.median) : "–"}
          isKnown={Boolean(firstWord)}
          now={firstWord?.median ?? 0}
          before={firstWordBefore}
          isBad
        >
          {firstWord && <span class="soft small">95% within {formatMillis(firstWord.p95)}</span>}
        </Tile>
        <Tile label="Tokens" value={formatCompact(used)} now={used} before={usedBefore} />
        <Tile
          label="Cost"
          value={cost === undefined ? "–" : cost.toFixed(2)}
          isKnown={cost !== undefined}
          now={cost ?? 0}
          before={costOf(tokensBefore) ?? 0}
        >
          {tokens.length > 0 && (
            <button type="button" class="link small" onClick={enterPrices}>
              {cost === undefined ? "Enter prices" : "Edit prices"}
            </button>
          )}
          {cost !== undefined && unpriced.length > 0 && (
            <span class="soft small anywhere">No price: {unpriced.join(", ")}</span>
          )}
        </Tile>
      </dl>
      <Section title="Recommendations">
        <ul class="stack tight">
          {advice.length === 0 && <Finding kind="good">Nothing needs your attention.</Finding>}
          {advice.map(({ chatbotId, kind, text }) => (
            <Finding key={kind + String(chatbotId)} kind="warn">
              <div>
                {chatbotId !== undefined && <strong>{chatbotName(chatbotId)}: </strong>}
                {text}{" "}
                {kind !== "tokens" && (
                  <a
                    class="inline"
                    href={href("conversations", {}, { ...filtersOf(kind), from, to, chatbot: chatbotId })}
                  >
                    View conversations
                  </a>
                )}
                {kind === "unanswered" && chatbotId !== undefined && (
                  <>
                    {" · "}
                    <a class="inline" href={href("knowledge", { chatbotId })}>
                      Add knowledge
                    </a>
                  </>
                )}
              </div>
            </Finding>
          ))}
        </ul>
      </Section>
      {rows.length > 0 && <ByDay {...{ chatbotName, from, to }} />}
      {rows.length > 0 && (
        <Table
          label="Conversations by chatbot"
          rows={rows}
          keyOf={({ chatbot_id }) => chatbot_id ?? ""}
          columns={[
            {
              title: "Chatbot",
              kind: "main",
              sort: ({ chatbot_id }) => chatbotName(chatbot_id ?? ""),
              cell: ({ chatbot_id }) => chatbotName(chatbot_id ?? ""),
            },
            number("Conversations", ({ conversations }) => conversations, true),
            ...measured(),
            number("Thumbs up", ({ rated_up }) => rated_up, true),
            number("Thumbs down", ({ rated_down }) => rated_down, true),
          ]}
        />
      )}
      {languages.some(({ language }) => language !== null) && (
        <Table
          label="Questions by language"
          rows={languages}
          keyOf={languageName}
          columns={[{ title: "Language", kind: "main", sort: languageName, cell: languageName }, ...measured()]}
        />
      )}
    </>
  )
}
