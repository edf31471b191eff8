/*
 * Tables as CSV (RFC 4180).
 */

type Cell = string | number

/**
 * A cell. A text that a spreadsheet would take for a formula begins with an apostrophe: names of chatbots and keys are
 * whatever people have typed.
 */
const cell = (value: Cell): string => {
  if (typeof value === "number") return String(value)
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** The rows of a table, of which the first holds the names of the columns. */
export const csvOf = (rows: ReadonlyArray<ReadonlyArray<Cell>>): string =>
  rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("")
