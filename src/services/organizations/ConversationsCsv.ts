import { ConversationCounts, ConversationUsage } from "../../domain/organizations/Usage.ts"
import { csvHeader, csvRow } from "../../text/Csv.ts"

const { first_word_ms: _, ...counts } = ConversationCounts.fields
const { first_word_ms: __, ...cells } = ConversationUsage.fields

/** The rows of a report on conversations as a CSV file, whose columns are the fields of the rows. */
export const conversationsCsv = (rows: ReadonlyArray<ConversationUsage>): string => {
  const columns = Object.keys(cells).filter((name) => name in counts || rows.some((row) => name in row))
  const lines = rows.map(({ first_word_ms: word, ...row }) => {
    const values: Readonly<Record<string, string | number | null>> = row
    return csvRow([...columns.map((name) => values[name] ?? ""), word?.median ?? "", word?.p95 ?? ""].map(String))
  })
  return csvHeader([...columns, "first_word_median_ms", "first_word_p95_ms"]) + lines.join("")
}
