import { useSignal } from "@preact/signals"
import { ChartColumn, Download } from "lucide"
import { saveFile } from "../../../shared/Download.ts"
import { formatBytes, formatCount, formatMillis, formatShare } from "../../../shared/Format.ts"
import { BarsByDay, stack } from "../../charts/BarsByDay.tsx"
import { addDays, countDays, dayAt, daysBetween, isDay } from "../../charts/Days.ts"
import { MeterBar } from "../../charts/MeterBar.tsx"
import {
  allKeys,
  allOrganizations,
  type ApiKey,
  type Organization,
  stateOf,
  useChatbotNames,
  useKeyNames,
} from "../../data/Admin.ts"
import { Button } from "../../parts/Buttons.tsx"
import { SelectField, TextField } from "../../parts/Field.tsx"
import { quotaFields } from "../../parts/LimitFields.tsx"
import { keysOf } from "../../server/Unknown.ts"
import { Empty, Loaded, type Options, Page, Section, Tabs } from "../../parts/Layout.tsx"
import { numberColumn, Table } from "../../parts/Table.tsx"
import { attempt } from "../../parts/Toast.ts"
import { bindOption, queryText, setQuery } from "../../Router.ts"
import { together, useResource } from "../../server/Resource.ts"
import { can, session } from "../../server/Session.ts"
import { Insight } from "./Insight.tsx"
import {
  audioOf,
  csvOf,
  type Division,
  divisions,
  fetchReport,
  measures,
  type Part,
  partsOf,
  readings,
  sheetOf,
  tokensOf,
  units,
  usageReport,
  type UsageRow,
  usageToday,
} from "./Report.ts"

const untilMidnight = (): string => {
  const day = 86_400_000
  return `Resets in ${formatMillis(Math.ceil((day - (Date.now() % day)) / 60_000) * 60_000)}`
}

const isBudgeted = (key: ApiKey): boolean => stateOf(key) === "active" && typeof key.budget.tokens_per_day === "number"

/** The budgets of the organization and its keys today, and the rest of them. */
const BudgetsToday = () => {
  const own = session.value?.organization.id ?? ""
  const organizations = useResource(allOrganizations())
  const keys = useResource(allKeys(own))
  const usage = useResource(usageToday())
  return (
    <Loaded of={organizations}>
      {(all) => {
        const organization = all.find(({ id }) => id === own)
        return (
          organization !== undefined && (
            <>
              <Section title="Today" about="Tokens used since midnight UTC.">
                <Loaded of={together(usage, keys)}>
                  {([today, known]) => (
                    <div class="columns">
                      <MeterBar
                        label="Organization"
                        used={tokensOf(today)}
                        limit={organization.budget.tokens_per_day}
                        note={untilMidnight()}
                      />
                      {known.filter(isBudgeted).map((key) => (
                        <MeterBar
                          key={key.id}
                          label={key.name}
                          used={tokensOf(today, key.id)}
                          limit={key.budget.tokens_per_day}
                        />
                      ))}
                    </div>
                  )}
                </Loaded>
              </Section>
              <Stored organization={organization} />
            </>
          )
        )
      }}
    </Loaded>
  )
}

const Stored = ({ organization: { quota, used } }: { readonly organization: Organization }) => (
  <Section title="Storage" about="What the organization stores, and its quotas.">
    <div class="columns">
      {keysOf(quotaFields).map((kind) => (
        <MeterBar
          key={kind}
          label={quotaFields[kind]}
          used={used[kind]}
          limit={quota[kind]}
          format={kind === "bytes" ? formatBytes : formatCount}
        />
      ))}
    </div>
  </Section>
)

const ranges = { 7: "7 days", 30: "30 days", 90: "90 days" }

const DAYS_MAX = 366

interface Range {
  readonly from: string
  readonly to: string
}

const isRange = ({ from, to }: Range): boolean =>
  isDay(from) && isDay(to) && countDays(from, to) >= 1 && countDays(from, to) <= DAYS_MAX

const lastDays = (count: number): Range => {
  const to = dayAt(Date.now())
  return { from: addDays(to, 1 - count), to }
}

/** The time that the address names; the last 30 days when it names none. */
const chosenRange = (): Range => {
  const range = { from: queryText("from"), to: queryText("to") }
  return isRange(range) ? range : lastDays(30)
}

/** The tokens that the models of chats have taken, and the rest of budgets and quotas. */
const Usage = () => {
  const { from, to } = chosenRange()
  const chatbotName = useChatbotNames()
  const keyName = useKeyNames()
  const { key: _, ...publicDivisions } = divisions
  const shownDivisions: Options<Division> = can("admin") ? divisions : publicDivisions
  const division = bindOption("by", shownDivisions, "model")
  const by = division.value
  const measure = bindOption("measure", measures, "total_tokens")
  const report = useResource(usageReport(from, to, by))
  const isSaving = useSignal(false)
  const nameOf = (key: string): string => {
    if (by === "chatbot") return chatbotName(key)
    if (by === "key") return keyName(key)
    return key === "" ? "Unknown model" : key
  }
  const choose = (next: Range): void => {
    if (isRange(next)) setQuery({ ...next })
  }
  const save = async (): Promise<void> => {
    isSaving.value = true
    await attempt(async () => {
      const rows = await fetchReport(from, to, ["day", "chatbot", "model", "provider", "key"])
      const sheet = csvOf(sheetOf(rows, { chatbot: chatbotName, key: keyName }))
      saveFile(`usage-${from}-${to}.csv`, new Blob(["\u{FEFF}", sheet], { type: "text/csv;charset=utf-8" }))
    })
    isSaving.value = false
  }
  return (
    <Page
      title="Usage"
      docs="keys-and-budgets"
      about="Questions, answer quality and token usage. Days are in UTC."
      actions={
        <Button icon={Download} busy={isSaving.value} onClick={() => void save()}>
          Export CSV
        </Button>
      }
    >
      <div class="stack">
        <div class="toolbar row end">
          <Tabs
            label="Time range"
            value={to === lastDays(1).to ? String(countDays(from, to)) : ""}
            onValue={(days) => choose(lastDays(Number(days)))}
            options={ranges}
          />
          <div class="days row nowrap">
            <TextField type="date" label="From" value={from} max={to} onValue={(day) => choose({ from: day, to })} />
            <TextField type="date" label="To" value={to} min={from} onValue={(day) => choose({ from, to: day })} />
          </div>
        </div>
        <Insight {...{ chatbotName, from, to }} />
        <h2>Tokens</h2>
        <div class="toolbar row">
          <Tabs label="Group by" {...division} options={shownDivisions} />
          <SelectField label="Measure" labelHidden {...measure} options={measures} />
        </div>
        <Loaded of={report}>
          {(rows) =>
            rows.length === 0 ? (
              <Empty icon={ChartColumn} title="No usage in this period">
                Tokens appear here as soon as a chatbot answers.
              </Empty>
            ) : (
              <>
                <section class="section" aria-label="Tokens by day">
                  <BarsByDay
                    title={`${measures[measure.value]} by day and ${by}`}
                    stacks={stack(daysBetween(from, to), readings(rows, by, measure.value))}
                    name={nameOf}
                    unit={units[measure.value]}
                  />
                </section>
                <Parts rows={rows} by={by} name={nameOf} />
              </>
            )
          }
        </Loaded>
        {can("admin") && <BudgetsToday />}
      </div>
    </Page>
  )
}

const PartName = ({ name, part }: { readonly name: string; readonly part: Part }) => {
  const audio = audioOf(part)
  return (
    <>
      {name}
      {audio !== undefined && (
        <span class="soft small">
          {" "}
          {formatMillis(audio.seconds * 1_000)} {audio.verb}
        </span>
      )}
    </>
  )
}

interface PartsProps {
  readonly rows: ReadonlyArray<UsageRow>
  readonly by: Division
  readonly name: (key: string) => string
}

const Parts = ({ by, name, rows }: PartsProps) => {
  const parts = partsOf(rows, by)
  const whole = tokensOf(rows)
  const beside = { isExtra: false }
  return (
    <Table
      label={`Usage by ${by}`}
      rows={parts.map((part) => ({ ...part, id: part.key }))}
      columns={[
        { title: divisions[by], kind: "main", cell: (part) => <PartName name={name(part.key)} part={part} /> },
        numberColumn("Replies", ({ replies }: Part) => replies, formatCount, beside),
        numberColumn("Input", ({ input_tokens }: Part) => input_tokens),
        numberColumn("Output", ({ output_tokens }: Part) => output_tokens),
        numberColumn("Cache", (part: Part) => part.cache_read_tokens + part.cache_write_tokens),
        numberColumn("Total", ({ total_tokens }: Part) => total_tokens, formatCount, beside),
        numberColumn("Share", ({ total_tokens }: Part) => (whole === 0 ? 0 : total_tokens / whole), formatShare),
      ]}
    />
  )
}

export default Usage
