import type { PassageJson } from "../../domain/knowledge/Passage.ts"
import { bounded } from "../../text/BoundedText.ts"
import { tablesOf } from "../../text/Tables.ts"
import { keysOf } from "./Terms.ts"

/*
 * The tables of passages, put together again where a long table was split among them.
 */

export interface Row {
  readonly cells: ReadonlyArray<string>
  /** The words of each cell. */
  readonly keys: ReadonlyArray<ReadonlyArray<string>>
  readonly passage: PassageJson
}

/** A table with what stands above it. */
export interface Grid {
  /** The words of the document's title, of the headings and of the line above the table. */
  readonly context: ReadonlyArray<string>
  /** The names of the columns, and their words; empty for a list of names and values. */
  readonly header: ReadonlyArray<string>
  readonly headerKeys: ReadonlyArray<ReadonlyArray<string>>
  readonly rows: ReadonlyArray<Row>
  readonly width: number
  /** The column whose cells name the rows: the first one, unless that only numbers them. */
  readonly label: number
}

type DraftRow = Pick<Row, "cells" | "passage">

interface Draft {
  readonly context: string
  readonly header: ReadonlyArray<string>
  readonly isRecord: boolean
  /** The rows by their text: neighbouring passages overlap, and repeat some. */
  readonly rows: Map<string, DraftRow>
}

/** The most cells of all tables that are looked at. The rows after them are left out. */
const CELLS_MAX = 20_000
/** Cells are looked at up to this length, in UTF-16 code units. */
const CELL_MAX_LENGTH = 1_000

/** The tables of passages, each with its rows in reading order. */
export const gridsOf = (passages: ReadonlyArray<PassageJson>): ReadonlyArray<Grid> => {
  const drafts = new Map<string, Draft>()
  let cellCount = 0
  for (const passage of passages.toSorted((a, b) => a.chunk - b.chunk)) {
    for (const [index, table] of tablesOf(bounded(passage.content)).entries()) {
      const hasNames = table.isRecord || isNames(table.header)
      const header = hasNames ? table.header : []
      // A table without names continues no other one.
      const key = JSON.stringify([passage.document_id, hasNames ? header : [passage.chunk, index]])
      const context = [passage.title, passage.section ?? "", table.above].join("\n")
      const draft: Draft = drafts.get(key) ?? { context, header, isRecord: table.isRecord, rows: new Map() }
      drafts.set(key, draft)
      for (const cells of hasNames ? table.rows : [table.header, ...table.rows]) {
        cellCount += cells.length
        if (cellCount <= CELLS_MAX && cells.some((cell) => cell !== "")) {
          draft.rows.set(cells.join("|"), { cells, passage })
        }
      }
    }
  }
  return Array.from(drafts.values(), gridOf).filter(({ rows }) => rows.length > 0)
}

const gridOf = (draft: Draft): Grid => {
  const { context, header, rows } = unlessSingle(draft, Array.from(draft.rows.values()))
  return {
    context: keysOf(bounded(context)),
    header,
    headerKeys: header.map(cellKeys),
    rows: rows.map((row) => ({ ...row, keys: row.cells.map(cellKeys) })),
    width: rows.reduce((widest, { cells }) => Math.max(widest, cells.length), header.length),
    label: isNumbered(rows) ? 1 : 0,
  }
}

const cellKeys = (cell: string): ReadonlyArray<string> => keysOf(bounded(cell.slice(0, CELL_MAX_LENGTH)))

/**
 * Rows of records, or a list of names and values where there is only one record: nothing else has the same fields, so
 * that each of them is a row. The value of the first one may name the thing that they are about.
 */
const unlessSingle = ({ context, header, isRecord }: Draft, rows: ReadonlyArray<DraftRow>) => {
  const [record, another] = rows
  if (!isRecord || record === undefined || another !== undefined) return { context, header, rows }
  const { cells, passage } = record
  return {
    context: `${context}\n${cells[0] ?? ""}`,
    header: [],
    rows: header.map((name, column) => ({ cells: [name, cells[column] ?? ""], passage })),
  }
}

/** Whether the first row names the columns. A row of values does not; a year may name a column. */
const isNames = (header: ReadonlyArray<string>): boolean => {
  const names = header.filter((name) => name !== "")
  return names.length > 0 && names.filter((name) => VALUE.test(name) && !/^\d{4}$/.test(name)).length < names.length / 2
}

const VALUE = /^[-+(<>~≈]?\s?[$€£¥]?\s?\d/u
/** Matches numbers of articles and the like, beside which a name stands. */
const CODE = /^\p{L}{0,4}[-.\s]?\d[\w.-]*$/u

/** Whether the first column only numbers the rows, and the second one names them. */
const isNumbered = (rows: ReadonlyArray<DraftRow>): boolean => {
  const names = new Set(rows.map(({ cells }) => cells[1] ?? ""))
  const isCoded = rows.every(
    ({ cells: [code = "", name = "", value] }) => value !== undefined && CODE.test(code) && !VALUE.test(name),
  )
  return isCoded && names.size === rows.length
}
