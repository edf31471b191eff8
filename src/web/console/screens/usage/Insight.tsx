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
import type { Answer } from "../../server/Api.ts"
import { together, useResource } from "../../server/Resource.ts"
import { nameOfLanguage } from "../widget/Languages.ts"
import { costOf, modelsWithoutPrice, PricesDialog } from "./Prices.tsx"
import { type Advice, adviceOf, changeWords, qualityOf } from "./Quality.ts"
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

/** The reports of a time. */
const useReports = (from: string, to: string) => ({
  conversations: useResource(conversationReport(from, to, "chatbot")),
  tokens: useResource(usageReport(from, to, "model")),
  languages: useResource(languageReport(from, to)).data.value,
})

/** Quality of chatbots' answers in a time, compared with the time before, with advice. */
export const Insight = ({ chatbotName, from, to }: InsightProps) => {
  const days = countDays(from, to)
  const now = useReports(from, to)
  const before = useReports(addDays(from, -days), addDays(from, -1))
  return (
    <Loaded of={together(now.conversations, now.tokens, before.conversations, before.tokens)}>
      {([rows, tokens, rowsBefore, tokensBefore]) => (
        <>
          <p class="soft small">Compared with the previous {plural(days, "day")}.</p>
          <Shown
            {...{ chatbotName, from, to }}
            now={{ rows, tokens, languages: now.languages }}
            before={{ rows: rowsBefore, tokens: tokensBefore, languages: before.languages }}
          />
        </>
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

type ConversationRow = Answer<"GET /api/external/usage/conversations">["data"][number]

const languageName = ({ language }: ConversationRow): string =>
  typeof language === "string" ? nameOfLanguage(language) : "Not known"

const number = (
  title: string,
  value: (row: ConversationRow) => number,
  isExtra = false,
  format = formatCount,
): Column<ConversationRow> => ({ title, kind: "number", isExtra, sort: value, cell: (row) => format(value(row)) })

/** Columns of what was asked, how well it was answered, and how soon. */
const measured = (): ReadonlyArray<Column<ConversationRow>> => [
  number("Questions", ({ questions }) => questions),
  number("Unanswered", (row) => qualityOf([row]).unansweredShare, false, formatShare),
  number(
    "Time to first word",
    ({ first_word_ms: word }) => word?.median ?? 0,
    true,
    (millis) => (millis === 0 ? "–" : formatMillis(millis)),
  ),
]

/** Numbers of a time; languages are there as soon as they are known. */
interface Period {
  readonly rows: ReadonlyArray<ConversationRow>
  readonly tokens: ReadonlyArray<UsageRow>
  readonly languages: Answer<"GET /api/external/usage/conversations"> | undefined
}

interface ShownProps extends InsightProps {
  readonly now: Period
  readonly before: Period
}

/** The numbers of a time that are compared. */
const totalsOf = ({ languages, rows, tokens }: Period) => ({
  ...qualityOf(rows),
  firstWord: languages?.total.first_word_ms,
  used: tokensOf(tokens),
  cost: costOf(tokens),
})

const Shown = ({ before: periodBefore, chatbotName, from, now: { languages, ...period }, to }: ShownProps) => {
  const { rows, tokens } = period
  const now = totalsOf({ languages, ...period })
  const before = totalsOf(periodBefore)
  const { cost, firstWord } = now
  const models = Array.from(new Set(tokens.map(({ model = "" }) => model))).toSorted()
  const enterPrices = () => openDialog(<PricesDialog models={models} />)
  const unpriced = modelsWithoutPrice(tokens)
  const advice = adviceOf(rows, now, before)
  return (
    <>
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
          before={before.firstWord?.median ?? 0}
          isBad
        >
          {firstWord && <span class="soft small">95% within {formatMillis(firstWord.p95)}</span>}
        </Tile>
        <Tile label="Tokens" value={formatCompact(now.used)} now={now.used} before={before.used} />
        <Tile
          label="Cost"
          value={cost === undefined ? "–" : cost.toFixed(2)}
          isKnown={cost !== undefined}
          now={cost ?? 0}
          before={before.cost ?? 0}
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
      {languages?.data.some(({ language }) => language !== null) && (
        <Table
          label="Questions by language"
          rows={languages.data}
          keyOf={languageName}
          columns={[{ title: "Language", kind: "main", sort: languageName, cell: languageName }, ...measured()]}
        />
      )}
    </>
  )
}
