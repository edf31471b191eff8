import type { Reading } from "../../charts/Stacks.ts"

/*
 * Rows of a usage report, gathered for a chart, a table and a file.
 */

/** Numbers of a report. */
export interface Counts {
  readonly replies: number
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_read_tokens: number
  readonly cache_write_tokens: number
  readonly total_tokens: number
}

/** A row of the report: the usage of one day of whatever else it names. */
export interface UsageRow extends Counts {
  readonly day?: string
  readonly chatbot_id?: string
  readonly model?: string
  readonly provider?: string
  readonly api_key_id?: string
}

/** Division of the usage. */
export type Division = "model" | "chatbot" | "key"

/** Number that the chart shows. */
export type Measure = keyof Counts

export const divisions: ReadonlyArray<{ readonly value: Division; readonly label: string }> = [
  { value: "model", label: "Model" },
  { value: "chatbot", label: "Chatbot" },
  { value: "key", label: "Key" },
]

interface MeasureChoice {
  readonly value: Measure
  readonly label: string
  /** Word after a number of it. */
  readonly unit: string
}

export const allTokens: MeasureChoice = { value: "total_tokens", label: "All tokens", unit: "tokens" }

export const measures: ReadonlyArray<MeasureChoice> = [
  allTokens,
  { value: "input_tokens", label: "Input tokens", unit: "input tokens" },
  { value: "output_tokens", label: "Output tokens", unit: "output tokens" },
  { value: "cache_read_tokens", label: "Tokens read from caches", unit: "tokens read from caches" },
  { value: "cache_write_tokens", label: "Tokens written to caches", unit: "tokens written to caches" },
  { value: "replies", label: "Replies", unit: "replies" },
]

/** The value of the field by which rows are divided; a model is named with its provider, which may have several. */
export const keyOf = (row: UsageRow, by: Division): string => {
  if (by === "chatbot") return row.chatbot_id ?? ""
  if (by === "key") return row.api_key_id ?? ""
  return row.model ?? ""
}

/** The rows as a chart takes them. */
export const readings = (rows: ReadonlyArray<UsageRow>, by: Division, measure: Measure): ReadonlyArray<Reading> =>
  rows.map((row) => ({ day: row.day ?? "", key: keyOf(row, by), value: row[measure] }))

const none: Counts = {
  replies: 0,
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  total_tokens: 0,
}

const counts = Object.keys(none) as ReadonlyArray<keyof Counts>

const sum = (one: Counts, other: Counts): Counts => ({
  ...none,
  ...Object.fromEntries(counts.map((count) => [count, one[count] + other[count]])),
})

/** The usage of one of the things that share it. */
export interface Part extends Counts {
  readonly key: string
}

/** The usage of each thing over all days, the largest first. */
export const partsOf = (rows: ReadonlyArray<UsageRow>, by: Division): ReadonlyArray<Part> => {
  const sums = new Map<string, Counts>()
  for (const row of rows) {
    const key = keyOf(row, by)
    sums.set(key, sum(sums.get(key) ?? none, row))
  }
  return Array.from(sums, ([key, counts]) => ({ key, ...counts })).toSorted(
    (a, b) => b.total_tokens - a.total_tokens || b.replies - a.replies,
  )
}

/** The names of what rows name by id. */
export interface Names {
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
  ["day", ...Object.keys(idColumns), ...counts],
  ...rows.map((row) => [
    row.day ?? "",
    ...Object.values(idColumns).map((cell) => cell(row, names)),
    ...counts.map((count) => row[count]),
  ]),
]
