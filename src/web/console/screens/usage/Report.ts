import type { Reading } from "../../charts/BarsByDay.tsx"
import { dayAt } from "../../charts/Days.ts"
import { type Answer, call, download, everyPage } from "../../server/Api.ts"
import { resources } from "../../server/Resource.ts"

/*
 * The reports of usage as the API has them, as charts show them, and as CSV (RFC 4180).
 */

/** The most pages of one report that are fetched: more rows than anybody reads. */
const PAGES_MAX = 60

type Grouping = "day" | "chatbot" | "model" | "provider" | "key"

interface ReportPage<A> {
  readonly data: ReadonlyArray<A>
  readonly metadata: { readonly totalPages: number }
}

/** The rows of all pages of a report, whose cursors are the numbers of the pages. */
const everyRow = <A>(fetchPage: (page: string) => Promise<ReportPage<A>>): Promise<ReadonlyArray<A>> =>
  everyPage(
    async (page = "1") => {
      const { data, metadata } = await fetchPage(page)
      const isLast = Number(page) >= Math.min(metadata.totalPages, PAGES_MAX)
      return { data, next_cursor: isLast ? null : String(Number(page) + 1) }
    },
    ({ data }) => data,
  )

export const fetchReport = (
  from: string,
  to: string,
  groups: ReadonlyArray<Grouping>,
): Promise<ReadonlyArray<UsageRow>> =>
  everyRow((page) =>
    call("GET /api/external/usage", { query: { from, to, group_by: groups.join(","), page, limit: "100" } }),
  )

/** The usage from one day to another, by day and by what divides it; models with their providers. */
export const usageReport = resources((from: string, to: string, by: string) =>
  fetchReport(from, to, ["day", by as Division, ...(by === "model" ? (["provider"] as const) : [])]),
)

const CONVERSATIONS = "GET /api/external/usage/conversations"

export type Conversations = Answer<typeof CONVERSATIONS>
export type ConversationRow = Conversations["data"][number]

export const dailyReport = resources((from: string, to: string) =>
  everyRow((page) => call(CONVERSATIONS, { query: { from, to, group_by: "day,chatbot", page, limit: "100" } })),
)

/** The conversations of all chatbots, or of one, one by one and together, with those of as many days before. */
export const chatbotReport = resources(async (from: string, to: string, chatbotId = "") => {
  const chatbot_id = chatbotId || undefined
  const ask = (page: string, previous?: "true") =>
    call(CONVERSATIONS, { query: { from, to, group_by: "chatbot", chatbot_id, page, limit: "100", previous } })
  const { previous, total, ...first } = await ask("1", "true")
  return { rows: await everyRow(async (page) => (page === "1" ? first : await ask(page))), total, previous }
})

export type Group = Exclude<Conversations["group_by"], "day" | "day,chatbot">

export const groups: Readonly<Record<Group, string>> = {
  chatbot: "Chatbot",
  topic: "Topic",
  language: "Language",
  page: "Page",
  platform: "Platform",
  hour: "Hour",
}

/** The time zone of this browser, in whose hours people are shown theirs. */
const time_zone = new Intl.DateTimeFormat().resolvedOptions().timeZone

/** The conversations of the first hundred groups of a kind. */
export const groupReport = resources((from: string, to: string, by: Group) =>
  call(CONVERSATIONS, { query: { from, to, group_by: by, time_zone, limit: "100" } }),
)

/** Saves the conversations of all groups of a kind. */
export const saveGroups = (from: string, to: string, by: Group): Promise<void> => {
  const query = { from, to, group_by: by, time_zone, format: "csv" } as const
  return download(`conversations-${by}-${from}-${to}.csv`, CONVERSATIONS, { query, headers: { accept: "text/csv" } })
}

export const usageToday = resources(() => {
  const today = dayAt(Date.now())
  return fetchReport(today, today, ["key"])
})

/** The tokens of all rows, or of those of a key. */
export const tokensOf = (rows: ReadonlyArray<UsageRow>, key?: string): number =>
  rows
    .filter(({ api_key_id }) => key === undefined || api_key_id === key)
    .reduce((sum, { total_tokens }) => sum + total_tokens, 0)

type Cell = string | number

/**
 * A cell. A text that a spreadsheet would take for a formula begins with an apostrophe: names of chatbots and keys are
 * texts that people have typed.
 */
const cell = (value: Cell): string => {
  if (typeof value === "number") return String(value)
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

export const csvOf = (rows: ReadonlyArray<ReadonlyArray<Cell>>): string =>
  rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("")

/*
 * Rows of a usage report, gathered for a chart, a table and a file.
 */

const counts = [
  "replies",
  "input_tokens",
  "output_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "total_tokens",
] as const

type Measure = (typeof counts)[number]

type Counts = Readonly<Record<Measure, number>>

/** A row of the report: the usage of one day, for instance by one key of one model. */
export type UsageRow = Answer<"GET /api/external/usage">["data"][number]

export type Division = "model" | "chatbot" | "key"

export const divisions: Readonly<Record<Division, string>> = { model: "Model", chatbot: "Chatbot", key: "Key" }

export const measures: Readonly<Record<Measure, string>> = {
  total_tokens: "Total tokens",
  input_tokens: "Input tokens",
  output_tokens: "Output tokens",
  cache_read_tokens: "Cache reads",
  cache_write_tokens: "Cache writes",
  replies: "Replies",
}

export const units: Readonly<Record<Measure, string>> = {
  total_tokens: "tokens",
  input_tokens: "input tokens",
  output_tokens: "output tokens",
  cache_read_tokens: "tokens read from the cache",
  cache_write_tokens: "tokens written to the cache",
  replies: "replies",
}

const fields = { model: "model", chatbot: "chatbot_id", key: "api_key_id" } as const

const keyOf = (row: UsageRow, by: Division): string => row[fields[by]] ?? ""

export const readings = (rows: ReadonlyArray<UsageRow>, by: Division, measure: Measure): ReadonlyArray<Reading> =>
  rows.map((row) => ({ day: row.day ?? "", key: keyOf(row, by), value: row[measure] }))

/** What providers of audio do, and the tokens that the server counts for a second of it. */
const audio = {
  transcription: { tokens: "input_tokens", perSecond: 10, verb: "heard" },
  speech: { tokens: "output_tokens", perSecond: 20, verb: "spoken" },
} as const

type Audible = Pick<UsageRow, "input_tokens" | "output_tokens"> & { readonly provider?: string | undefined }

/** Seconds of audio that were heard or spoken; undefined for models of text. */
export const audioOf = (row: Audible) => {
  if (row.provider !== "transcription" && row.provider !== "speech") return undefined
  const { perSecond, tokens, verb } = audio[row.provider]
  return { seconds: row[tokens] / perSecond, verb }
}

export interface Part extends Counts {
  readonly key: string
  readonly provider: string | undefined
}

const sumOf = (rows: ReadonlyArray<UsageRow>): Counts =>
  Object.fromEntries(counts.map((count) => [count, rows.reduce((sum, row) => sum + row[count], 0)])) as Counts

/** The usage of each thing over all days, the largest first. */
export const partsOf = (rows: ReadonlyArray<UsageRow>, by: Division): ReadonlyArray<Part> =>
  Array.from(
    Map.groupBy(rows, (row) => keyOf(row, by)),
    ([key, own]) => ({ key, provider: own[0]?.provider, ...sumOf(own) }),
  ).toSorted((a, b) => b.total_tokens - a.total_tokens || b.replies - a.replies)

interface Names {
  readonly chatbot: (id: string) => string
  readonly key: (id: string) => string
}

const idColumns = {
  chatbot: (row: UsageRow, names: Names) => names.chatbot(row.chatbot_id ?? ""),
  chatbot_id: (row: UsageRow) => row.chatbot_id ?? "",
  model: (row: UsageRow) => row.model ?? "",
  provider: (row: UsageRow) => row.provider ?? "",
  key: (row: UsageRow, names: Names) => names.key(row.api_key_id ?? ""),
  api_key_id: (row: UsageRow) => row.api_key_id ?? "",
}

/** A report as a table for spreadsheets, with a row for each day, chatbot, model and key. */
export const sheetOf = (rows: ReadonlyArray<UsageRow>, names: Names): ReadonlyArray<ReadonlyArray<string | number>> => [
  ["day", ...Object.keys(idColumns), ...counts, "audio_seconds"],
  ...rows.map((row) => [
    row.day ?? "",
    ...Object.values(idColumns).map((cell) => cell(row, names)),
    ...counts.map((count) => row[count]),
    audioOf(row)?.seconds ?? "",
  ]),
]
