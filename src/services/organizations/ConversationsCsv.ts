import { ConversationCounts, ConversationUsage } from "../../domain/organizations/Usage.ts"
import { csvHeader, csvLine } from "../Csv.ts"

const { first_word_ms: _, ...counts } = ConversationCounts.fields
const { first_word_ms: __, ...fields } = ConversationUsage.fields

/** Rows of a report on conversations as a piece of a CSV file, whose columns are their fields. The first has the header. */
export const conversationsCsv = (rows: ReadonlyArray<ConversationUsage>, isFirst: boolean): string => {
  const columns = Object.keys(fields).filter((name) => name in counts || rows.some((row) => name in row))
  const lines = rows.map(({ first_word_ms: word, ...row }) => {
    const values: Readonly<Record<string, string | number | null>> = row
    return csvLine([...columns.map((name) => values[name] ?? ""), word?.median ?? "", word?.p95 ?? ""].map(String))
  })
  const header = isFirst ? csvHeader([...columns, "first_word_median_ms", "first_word_p95_ms"]) : ""
  return header + lines.join("")
}
