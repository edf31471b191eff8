/** A cell on one line, its bars escaped, as Markdown tables want it. */
const cellText = (cell: string) => cell.replace(/\s+/g, " ").trim().replaceAll("|", "\\|")

const rowLine = (cells: ReadonlyArray<string>) => `| ${cells.map(cellText).join(" | ")} |`

/**
 * A Markdown table. `rows` has at least one row, the first of which is the header. Only the header is filled up to the
 * widest row: filling them all would let one long row blow up a large table.
 */
export const markdownTable = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const [header = [], ...body] = rows
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), 1)
  const names = Array.from({ length: width }, (_, column) => header[column] ?? "")
  return [rowLine(names), `|${" --- |".repeat(width)}`, ...body.map(rowLine)].join("\n")
}
