import { useSignal } from "@preact/signals"
import { formatCompact, formatMillis, plural } from "../../../shared/Format.ts"
import { BarsByDay, stack } from "../../charts/BarsByDay.tsx"
import { addDays, countDays, daysBetween } from "../../charts/Days.ts"
import { openDialog } from "../../parts/Dialogs.tsx"
import { bind } from "../../parts/Field.tsx"
import { Loaded, Tabs } from "../../parts/Layout.tsx"
import { together, useResource } from "../../server/Resource.ts"
import { Groups } from "./Groups.tsx"
import { costOf, modelsWithoutPrice, PricesDialog } from "./Prices.tsx"
import {
  audioOf,
  chatbotReport,
  type ConversationRow,
  type Conversations,
  dailyReport,
  tokensOf,
  usageReport,
  type UsageRow,
} from "./Report.ts"
import { QualityTiles, Tile } from "./Tile.tsx"

interface InsightProps {
  readonly from: string
  readonly to: string
  readonly chatbotName: (id: string) => string
}

/** Quality of chatbots' answers in a time, compared with the time before, with advice. */
export const Insight = ({ chatbotName, from, to }: InsightProps) => {
  const days = countDays(from, to)
  const report = useResource(chatbotReport(from, to))
  const tokens = useResource(usageReport(from, to, "model"))
  const tokensBefore = useResource(usageReport(addDays(from, -days), addDays(from, -1), "model"))
  return (
    <Loaded of={together(report, tokens, tokensBefore)}>
      {([{ previous, rows, total }, now, before]) => (
        <>
          <p class="soft small">Compared with the previous {plural(days, "day")}.</p>
          <Shown
            {...{ chatbotName, from, rows, to }}
            now={{ counts: total, tokens: now }}
            before={{ counts: previous ?? total, tokens: before }}
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
  rated_down: "thumbs down",
}

/** The questions of each day, of those without an answer, or of replies that were rated down. */
const ByDay = ({ chatbotName, from, to }: InsightProps) => {
  const report = useResource(dailyReport(from, to))
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

/** Numbers of a time. */
interface Period {
  readonly counts: Conversations["total"]
  readonly tokens: ReadonlyArray<UsageRow>
}

interface ShownProps extends InsightProps {
  readonly rows: ReadonlyArray<ConversationRow>
  readonly now: Period
  readonly before: Period
}

/** The numbers of a time that are compared. */
const totalsOf = ({ counts, tokens }: Period) => ({
  firstWord: counts.first_word_ms,
  used: tokensOf(tokens),
  cost: costOf(tokens),
})

const Shown = ({ before: periodBefore, chatbotName, from, now: period, rows, to }: ShownProps) => {
  const { tokens } = period
  const now = totalsOf(period)
  const before = totalsOf(periodBefore)
  const { cost, firstWord } = now
  const compared = (field: Exclude<keyof typeof now, "firstWord">) => ({ now: now[field], before: before[field] })
  const models = Array.from(new Set(tokens.map(({ model = "" }) => model))).toSorted()
  const enterPrices = () =>
    openDialog(<PricesDialog models={models} hasAudio={tokens.some((row) => audioOf(row) !== undefined)} />)
  const unpriced = modelsWithoutPrice(tokens)
  return (
    <>
      <dl class="tiles">
        <QualityTiles now={period.counts} before={periodBefore.counts} />
        <Tile
          label="Time to first word"
          now={firstWord?.median}
          before={before.firstWord?.median}
          format={formatMillis}
          isBad
        >
          {firstWord && <span class="soft small">95% within {formatMillis(firstWord.p95)}</span>}
        </Tile>
        <Tile label="Tokens" {...compared("used")} format={formatCompact} />
        <Tile label="Cost" {...compared("cost")} format={(cost) => cost.toFixed(2)}>
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
      {rows.length > 0 && <ByDay {...{ chatbotName, from, to }} />}
      {rows.length > 0 && <Groups from={from} to={to} />}
    </>
  )
}
