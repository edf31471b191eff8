import { PASSAGES_PER_SEARCH, type PassageJson } from "../../../domain/Passage.ts"
import { bounded } from "../../../text/BoundedText.ts"
import { rowText, tablesOf } from "../../../text/Tables.ts"

/*
 * The tables of passages, put together again where a long table was split among them.
 */

/** The text of a row, with the names of its columns, and the passage that it is from. */
interface RowQuote {
  readonly text: string
  readonly passage: PassageJson
}

/** A row, or a column of a table that is read across. */
export interface Row {
  readonly cells: ReadonlyArray<string>
  /** The text of the row in its document, by the column that is quoted, and the passage that it is from. */
  readonly quote: (column: number) => RowQuote | undefined
}

/** A table with what stands above it. */
export interface Grid {
  /** The title of the document, the headings and the line above the table. */
  readonly context: string
  readonly header: ReadonlyArray<string>
  readonly rows: ReadonlyArray<Row>
  /** Whether all rows of the table are probably here. */
  readonly isWhole: boolean
  /** Whether the rows are the columns of the table. */
  readonly isAcross: boolean
  /** The place of the best passage with the table among the passages, from 0. */
  readonly rank: number
}

/** The most cells of a table that are looked at. The rows after them are left out. */
const CELLS_MAX = 20_000
/** A passage that is at least this long, in UTF-16 code units, may be cut within its last table. */
const CUT_LENGTH_MIN = 900
/** The most rows of a table that is read across. */
const ACROSS_ROWS_MAX = 30

interface Draft {
  readonly context: string
  readonly header: ReadonlyArray<string>
  readonly rows: Map<string, Row>
  cells: number
  rank: number
  /** The numbers of the chunks that the table is in. */
  readonly chunks: Set<number>
  /** The chunks before and after that the table may go on in. */
  readonly beyond: Set<number>
}

/**
 * The tables of passages, each with its rows in reading order.
 *
 * @param others passages that may hold further rows of these tables, and whose own tables are left out
 */
export const gridsOf = (
  passages: ReadonlyArray<PassageJson>,
  others: ReadonlyArray<PassageJson> = [],
): ReadonlyArray<Grid> => {
  const drafts = new Map<string, Draft>()
  const isEverything = passages.length + others.length < PASSAGES_PER_SEARCH
  const ranked = [...passages, ...others]
    .entries()
    .toArray()
    .toSorted(([, a], [, b]) => a.chunk - b.chunk)
  for (const [rank, passage] of ranked) {
    for (const [index, table] of tablesOf(bounded(passage.content)).entries()) {
      const names = table.header.filter((name) => name !== "")
      const isHeader = names.length > 0 && names.filter(isAmount).length < names.length / 2
      const header = isHeader ? table.header : []
      // A table without names continues no other one.
      const key = JSON.stringify([passage.document_id, header.length > 0 ? header : [passage.chunk, index]])
      const context = [passage.title, passage.section ?? "", table.above].join("\n")
      const draft = drafts.get(key) ?? {
        context,
        header,
        rows: new Map(),
        cells: 0,
        rank,
        chunks: new Set(),
        beyond: new Set(),
      }
      drafts.set(key, draft)
      draft.rank = Math.min(draft.rank, rank)
      draft.chunks.add(passage.chunk)
      if (table.isFirst && passage.chunk > 1) draft.beyond.add(passage.chunk - 1)
      if (table.isLast && passage.content.length >= CUT_LENGTH_MIN) draft.beyond.add(passage.chunk + 1)
      for (const cells of isHeader ? table.rows : [table.header, ...table.rows]) {
        draft.cells += cells.length
        const text = rowText(header, cells)
        if (draft.cells > CELLS_MAX || text === "") continue
        draft.rows.set(cells.join("|"), { cells, quote: () => ({ text, passage }) })
      }
    }
  }
  return Array.from(drafts.values(), ({ beyond, chunks, context, header, rank, rows }) => ({
    context,
    header,
    rows: Array.from(rows.values()),
    isWhole: isEverything || beyond.isSubsetOf(chunks),
    isAcross: false,
    rank,
  })).filter(({ rank, rows }) => rows.length > 0 && rank < passages.length)
}

/** Whether a cell of the first row is a value. A row of values is no header; a year may name a column. */
const isAmount = (cell: string): boolean => /^[-+(<>~≈]?\s?[$€£¥]?\s?\d/u.test(cell) && !/^\d{4}$/.test(cell)

/** The table with its rows as columns; undefined where it is too long for that. */
export const across = ({ context, header, isWhole, rank, rows }: Grid): Grid | undefined => {
  const isPairs = header.length === 0 && rows.every(({ cells }) => cells.length <= 2)
  if ((header.length < 3 && !isPairs) || rows.length > ACROSS_ROWS_MAX) return undefined
  const column = (index: number) => rows.map(({ cells }) => cells[index] ?? "")
  const turned = { context, isWhole, isAcross: true, rank }
  // A list of names and values is a table of one row.
  if (isPairs) {
    return { ...turned, header: column(0), rows: [{ cells: column(1), quote: (place) => rows[place]?.quote(1) }] }
  }
  return {
    ...turned,
    header: [header[0] ?? "", ...column(0)],
    rows: header.slice(1).map((name, index) => ({
      cells: [name, ...column(index + 1)],
      quote: (place) => (rows[place - 1] ?? rows[0])?.quote(index + 1),
    })),
  }
}
