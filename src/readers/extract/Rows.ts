import { tooLarge } from "./Extraction.ts"
import { isQuestion, type Row, tableParts, titledTable } from "./Table.ts"
import { oneLine } from "./Text.ts"

/** Tables with more columns are written as `Header: value` lines. */
const MAX_TABLE_COLUMNS = 10
/** Tables whose cells are longer on average are written as `Header: value` lines, and as answers where rows ask. */
const MAX_MEAN_CELL_CHARACTERS = 60

const lineOf = (header: Row, cell: string, column: number): ReadonlyArray<string> => {
  const name = header[column] ?? ""
  return cell === "" ? [] : [name === "" ? cell : `${name}: ${cell}`]
}

const charactersOf = (cells: Row): number => cells.reduce((sum, { length }) => sum + length, 0)

/** Throws when repeating the header makes a small file a text beyond the limit. */
const checkNames = (header: Row, body: ReadonlyArray<Row>, textLimit: number): void => {
  if ((charactersOf(header) + header.length * 3) * body.length > textLimit) throw tooLarge(textLimit)
}

/** Writes rows as paragraphs. */
const recordsOf = (header: Row, body: ReadonlyArray<Row>, textLimit: number): string => {
  checkNames(header, body, textLimit)
  const unused = header.filter((_, column) => body.every((row) => (row[column] ?? "") === ""))
  const records = body.map((row) => row.flatMap((cell, column) => lineOf(header, cell, column)).join("\n"))
  return [...records, cellsOnLine(unused)].filter((text) => text !== "").join("\n\n")
}

const MAX_QUESTION_COLUMNS = 20
/** The longest question that is a heading. */
const MAX_HEADING_CHARACTERS = 300

/** Writes questions as headings above their answers, so that neither is taken for the other; undefined for other rows. */
const answersOf = (header: Row, body: ReadonlyArray<Row>, textLimit: number): string | undefined => {
  const width = body.reduce((widest, row) => Math.max(widest, row.length), 0)
  if (width > MAX_QUESTION_COLUMNS) return undefined
  const columns = Array.from({ length: width }, (_, column) => column)
  const question = columns.find((column) => body.filter((row) => isQuestion(row[column])).length > body.length / 2)
  if (question === undefined) return undefined
  const lengths = columns.map((column) =>
    column === question ? 0 : body.reduce((sum, row) => sum + (row[column]?.length ?? 0), 0),
  )
  const length = Math.max(...lengths)
  const answer = lengths.indexOf(length)
  // Answers are longer than all that is said about them.
  const isLongest = length > lengths.reduce((sum, each) => sum + each, -length)
  if (!isLongest || length <= body.length * MAX_MEAN_CELL_CHARACTERS) return undefined
  const isOther = (column: number) => column !== question && column !== answer
  checkNames(
    header.filter((_, column) => isOther(column)),
    body,
    textLimit,
  )
  const blocks = body.flatMap((row) => {
    const asked = oneLine(row[question] ?? "")
    return [
      asked === "" || asked.length > MAX_HEADING_CHARACTERS ? asked : `## ${asked}`,
      row[answer] ?? "",
      row.flatMap((cell, column) => (isOther(column) ? lineOf(header, cell, column) : [])).join("\n"),
    ]
  })
  const names = header.filter((_, column) => !isOther(column) || body.every((row) => (row[column] ?? "") === ""))
  return [cellsOnLine(names), ...blocks].filter((block) => block !== "").join("\n\n")
}

const isNarrow = (rows: ReadonlyArray<Row>): boolean => {
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), 0)
  const characters = rows.reduce((sum, row) => sum + charactersOf(row), 0)
  return width <= MAX_TABLE_COLUMNS && characters / (rows.length * width) <= MAX_MEAN_CELL_CHARACTERS
}

/**
 * Writes one or more rows as questions above their answers, as a Markdown table or, when they are wide, as a paragraph of
 * `Header: value` lines each. No column names are invented where the rows have none.
 */
export const writeRows = (rows: ReadonlyArray<Row>, textLimit: number): string => {
  const { body, header, titles } = tableParts(rows, undefined, false)
  const answers = answersOf(header, body, textLimit)
  if (answers === undefined && isNarrow(rows)) return titledTable(rows, undefined, false)
  const text = answers ?? (header.length > 0 ? recordsOf(header, body, textLimit) : body.map(cellsOnLine).join("\n"))
  return [...titles, text].join("\n\n")
}

/** The cells of a row that are not empty, on one line. */
export const cellsOnLine = (row: Row): string => row.filter((cell) => cell !== "").join("; ")
