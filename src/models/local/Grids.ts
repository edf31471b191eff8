import { type PassageJson, PASSAGES_PER_SEARCH } from "../../domain/knowledge/Passage.ts"
import { bounded } from "../../text/BoundedText.ts"
import { tablesOf } from "../../text/Tables.ts"
import { keysOf } from "./Terms.ts"
import { areAlike } from "./Values.ts"

/*
 * The tables of passages, put together again where a long table was split among them.
 */

export interface Row {
  readonly cells: ReadonlyArray<string>
  readonly passage: PassageJson
}

/** A table with what stands above it. */
export interface Grid {
  /** The words of the document's title, of the headings and of the line above the table. */
  readonly context: ReadonlyArray<string>
  /** The names of the columns; empty for a list of names and values. */
  readonly header: ReadonlyArray<string>
  readonly rows: ReadonlyArray<Row>
  readonly width: number
  /** Whether no further rows are likely to stand in passages that were not found. */
  readonly isWhole: boolean
  /** The column whose cells name the rows: the first one, unless that only numbers them. */
  readonly label: number
}

/** The most cells of a table that are looked at. The rows after them are left out. */
const CELLS_MAX = 20_000

/**
 * The tables of passages, each with its rows in reading order.
 *
 * @param others passages that may hold further rows of these tables, and whose own tables are left out
 */
export const gridsOf = (
  passages: ReadonlyArray<PassageJson>,
  others: ReadonlyArray<PassageJson> = [],
): ReadonlyArray<Grid> => {
  const drafts = new Map<
    string,
    { context: string; header: ReadonlyArray<string>; rows: Map<string, Row>; cells: number; isRecord: boolean }
  >()
  const areAll = passages.length + others.length < PASSAGES_PER_SEARCH
  for (const passage of [...passages, ...others].toSorted((a, b) => a.chunk - b.chunk)) {
    for (const [index, table] of tablesOf(bounded(passage.content)).entries()) {
      const isList = table.isRecord && table.rows.length === 1 && areAlike(table.rows[0] ?? [])
      const isHeader = !isList && (table.isRecord || isNames(table.header))
      const header = isHeader ? table.header : []
      // A table without names continues no other one.
      const key = JSON.stringify([passage.document_id, isHeader ? header : [passage.chunk, index]])
      if (!drafts.has(key) && !passages.includes(passage)) continue
      const context = [passage.title, passage.section ?? "", table.above].join("\n")
      const draft = drafts.get(key) ?? { context, header, rows: new Map(), cells: 0, isRecord: table.isRecord }
      drafts.set(key, draft)
      const rows = isList
        ? fieldsOf(table.header, table.rows[0] ?? [])
        : isHeader
          ? table.rows
          : [table.header, ...table.rows]
      for (const cells of rows) {
        draft.cells += cells.length
        if (draft.cells <= CELLS_MAX && cells.some((cell) => cell !== ""))
          draft.rows.set(cells.join("|"), { cells, passage })
      }
    }
  }
  return Array.from(drafts.values(), (draft) => {
    const {
      context,
      header,
      rows: all,
    } = unlessSingle(draft.isRecord, {
      ...draft,
      rows: Array.from(draft.rows.values()),
    })
    const width = all.reduce((widest, { cells }) => Math.max(widest, cells.length), header.length)
    return {
      context: keysOf(bounded(context)),
      header,
      rows: all,
      width,
      isWhole: areAll || !all.some(({ passage }) => endsWithRow(passage)),
      label: width > 2 && isNumbered(all) ? 1 : 0,
    }
  }).filter(({ rows }) => rows.length > 0)
}

/** The fields of a record as rows of their own. */
const fieldsOf = (names: ReadonlyArray<string>, values: ReadonlyArray<string>) =>
  names.map((name, column) => [name, values[column] ?? ""])

type Rows = { readonly context: string; readonly header: ReadonlyArray<string>; readonly rows: ReadonlyArray<Row> }

/**
 * Rows of records, or a list of names and values where there is only one record: nothing else has the same fields, so
 * that each of them is a row. The value of the first one may name the thing that they are about.
 */
const unlessSingle = (isRecord: boolean, records: Rows): Rows => {
  const [record, another] = records.rows
  if (!isRecord || record === undefined || another !== undefined || records.header.length === 0) return records
  const rows = fieldsOf(records.header, record.cells).map((cells) => ({ cells, passage: record.passage }))
  return { context: `${records.context}\n${record.cells[0] ?? ""}`, header: [], rows }
}

/** Whether the table at the end of a passage may go on in the next one. */
const endsWithRow = ({ content }: PassageJson): boolean =>
  content.trimEnd().split("\n").at(-1)?.trim().startsWith("|") === true

/** Whether the first row names the columns. A row of values does not; a year may name a column. */
const isNames = (header: ReadonlyArray<string>): boolean => {
  const names = header.filter((name) => name !== "")
  return names.length > 0 && names.filter((name) => VALUE.test(name) && !/^\d{4}$/.test(name)).length < names.length / 2
}

const VALUE = /^[-+(<>~≈]?\s?[$€£¥]?\s?\d/u
/** Matches numbers of articles and the like, beside which a name stands. */
const CODE = /^\p{L}{0,4}[-.\s]?\d[\w.-]*$/u

/** Whether the first column only numbers the rows, and the second one names them. */
const isNumbered = (rows: ReadonlyArray<Row>): boolean => {
  const names = new Set(rows.map(({ cells }) => cells[1] ?? ""))
  const isCoded = rows.every(({ cells: [code = "", name = ""] }) => CODE.test(code) && !VALUE.test(name))
  return isCoded && names.size === rows.length
}
