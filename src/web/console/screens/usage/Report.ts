import type { Reading } from "../../charts/Stacks.ts"

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

/** Number that a chart shows. */
type Measure = (typeof counts)[number]

/** Numbers of a report. */
export type Counts = Readonly<Record<Measure, number>>

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

export const allTokens: MeasureChoice = { value: "total_tokens", label: "Total tokens", unit: "tokens" }

export const measures: ReadonlyArray<MeasureChoice> = [
  allTokens,
  { value: "input_tokens", label: "Input tokens", unit: "input tokens" },
  { value: "output_tokens", label: "Output tokens", unit: "output tokens" },
  { value: "cache_read_tokens", label: "Cache reads", unit: "tokens read from the cache" },
  { value: "cache_write_tokens", label: "Cache writes", unit: "tokens written to the cache" },
  { value: "replies", label: "Replies", unit: "replies" },
]

const fields = { model: "model", chatbot: "chatbot_id", key: "api_key_id" } as const

const keyOf = (row: UsageRow, by: Division): string => row[fields[by]] ?? ""

/** The rows as a chart takes them. */
export const readings = (rows: ReadonlyArray<UsageRow>, by: Division, measure: Measure): ReadonlyArray<Reading> =>
  rows.map((row) => ({ day: row.day ?? "", key: keyOf(row, by), value: row[measure] }))

/** The usage of one of the things that share it. */
export interface Part extends Counts {
  readonly key: string
}

const sumOf = (rows: ReadonlyArray<UsageRow>): Counts =>
  Object.fromEntries(counts.map((count) => [count, rows.reduce((sum, row) => sum + row[count], 0)])) as Counts

/** The usage of each thing over all days, the largest first. */
export const partsOf = (rows: ReadonlyArray<UsageRow>, by: Division): ReadonlyArray<Part> =>
  Array.from(
    Map.groupBy(rows, (row) => keyOf(row, by)),
    ([key, own]) => ({ key, ...sumOf(own) }),
  ).toSorted((a, b) => b.total_tokens - a.total_tokens || b.replies - a.replies)

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
