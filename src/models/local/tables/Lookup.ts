import { askedColumns, valuedColumns } from "./Columns.ts"
import { mostExtreme, within } from "./Extremes.ts"
import type { Matches } from "./Matches.ts"
import { evidenceOf, namesOf, Rows } from "./Rows.ts"
import { isYes } from "./Values.ts"
import { counting, type TableAnswer, worded } from "./Wording.ts"

/* Chooses the rows and columns of a table that a question asks for. */

/** The most rows of an answer, each with its values. */
const ROWS_MAX = 10
/** The most rows of an answer that only names them. */
const NAMES_MAX = 25
/** The most rows of an answer that asks for one, where that many hold its words equally well. */
const TIES_MAX = 3
/** The most columns that tell why a row was chosen. */
const REASONS_MAX = 2
/** Longest name of a row, in UTF-16 code units, and the longest that need not be named whole. */
const NAME_MAX_LENGTH = 60
const SHORT_NAME_LENGTH = 40
/** The least share of a cell's words that a question holds when it names the row by this cell. */
const NAMING_SHARE_MIN = 0.5
/** Evidence from which on nothing of the question is missing. */
const ALL_COVERED = 0.95
/** The least evidence for a number of rows: a word that none holds leaves no row to count. */
const ALL_COUNTED = 0.75

/** The factors of evidence where the table lacks a column that is asked for, and where rows are probably missing. */
const WHOLE_ROW = 0.9
/** The factor where no cell holds all words of the row. */
const SCATTERED = 0.98
const MISSING_COLUMN = 0.6
const MISSING_ROWS = 0.5

/** The answer of one table that covers most of the question; undefined where it has none. */
export const lookUp = (matches: Matches): TableAnswer | undefined => {
  const rows = new Rows(matches)
  const { bound, extreme, isCount } = matches.asked
  if (extreme !== undefined) return mostExtreme(matches, rows)
  if (bound !== undefined) return within(matches, rows)
  const found = comparison(matches, rows) ?? fromRows(matches, rows)
  if (!isCount || (found !== undefined && rows.best.length === 1)) return found ?? listed(matches, rows)
  return counted(matches, rows) ?? found
}

/** Answers with a value of each row that the question names, or with these rows. */
const comparison = (matches: Matches, rows: Rows): TableAnswer | undefined => {
  const { label } = matches
  if (!matches.asked.isComparison) return undefined
  const compared = rows.compared
  if (compared.rows.length === 0) return undefined
  const wanted = askedColumns(matches, (column) => column !== label, compared.words)
  const columns = wanted.columns.length > 0 ? wanted.columns : matches.others(label)
  const names = new Map([...wanted.words, ...namesOf(matches, [label])])
  return worded(matches, {
    rows: compared.rows,
    label,
    columns,
    evidence: evidenceOf(matches, { rows: compared.words, names }),
  })
}

/** Answers with the row, or the few rows, that hold the words of the question. */
const fromRows = (matches: Matches, rows: Rows): TableAnswer | undefined => {
  const { asked, grid, label } = matches
  const [first] = rows.best
  const isSingle = matches.cells.length === 1
  const isMany = rows.best.length > TIES_MAX
  if (first === undefined || (!rows.areChosen && !isSingle) || (isMany && !asked.isList)) return undefined
  const shareOf = (column: number) => matches.cells[first]?.get(column)?.share ?? 0
  const lengthOf = (column: number) => matches.cell(first, column).length
  const isName = (column: number) =>
    lengthOf(column) <= (shareOf(column) >= NAMING_SHARE_MIN ? NAME_MAX_LENGTH : SHORT_NAME_LENGTH)
  // A cell that several rows share names none of them.
  const isLabelled = rows.best.length > 1 || (rows.columns.includes(label) && isName(label))
  const naming = isLabelled ? label : rows.columns.find(isName)
  // "Which setting limits the size" asks for the name of a row, and "the setting SIZE" gives it.
  const isLabelAsked =
    shareOf(label) < 1 &&
    rows.columns.some((column) => column !== label) &&
    [...(matches.columns[label]?.keys() ?? [])].some((word) => word.weight > 0 && !rows.words.has(word))
  const free = (column: number) => !rows.columns.includes(column) || (column === label && isLabelAsked)
  const named = askedColumns(matches, free, rows.words)
  const wanted = named.columns.length === 0 && isOne(rows) ? valuedColumns(matches, free, rows.words) : named
  const covered = evidenceOf(matches, {
    rows: rows.words,
    names: new Map([...namesOf(matches, [label, ...rows.columns]), ...wanted.words]),
    isNamed: naming !== undefined && isOne(rows),
    isPart: naming !== undefined && shareOf(naming) < 1,
  })
  // A row that one cell names is meant rather than one with the same words here and there.
  const fullest = matches.cells[first]?.get(rows.columns[0] ?? label)?.words
  const isScattered = Array.from(rows.words.keys()).some((word) => word.weight > 0 && fullest?.has(word) !== true)
  const evidence = (isScattered ? SCATTERED : 1) * covered
  // A table is read across only by the names of what were its columns.
  if (grid.isAcross && rows.areChosen && ![...rows.columns, ...wanted.columns].includes(label)) return undefined
  // The columns that tell why it is this row.
  const reasons = rows.columns.filter((column) => lengthOf(column) <= NAME_MAX_LENGTH).slice(0, REASONS_MAX)
  if (wanted.columns.includes(label) && rows.areChosen) {
    // The row is known by its values, and its name is asked for.
    const columns = wanted.columns.length > 1 || isMany ? wanted.columns : reasons
    return worded(matches, { rows: rows.best.slice(0, NAMES_MAX), label, columns, evidence })
  }
  if (wanted.columns.length > 0) {
    if (!rows.areChosen)
      return worded(matches, { rows: rows.best, label: undefined, columns: wanted.columns, evidence })
    const more = naming !== undefined && shareOf(naming) >= NAMING_SHARE_MIN ? [] : reasons
    const columns = [...wanted.columns, ...more.filter((column) => column !== naming)]
    return worded(matches, { rows: rows.best.slice(0, ROWS_MAX), label: naming ?? label, columns, evidence })
  }
  // No column is asked for: an answer is the whole row, or what it holds of the words of the question.
  if (!rows.areChosen || grid.isAcross) return undefined
  const isPairs = grid.header.length === 0 && matches.width === 2
  const isReversed = isPairs && naming !== label
  // Words that are nowhere in the table probably ask for a column that it does not have.
  const isMentioned = naming === undefined && rows.words.size < 2
  const isValueAsked = asked.words.some(({ text }) => text === "")
  const isClear = isOne(rows) || asked.isList || evidence > ALL_COVERED
  const isWanted = isClear && !isReversed && !isMentioned && !isValueAsked
  const columns = isMany ? [] : naming === undefined || isReversed ? rows.columns : matches.others(naming)
  return worded(matches, {
    rows: rows.best.slice(0, NAMES_MAX),
    label: isMany || isPairs ? label : (naming ?? label),
    columns,
    evidence: (isWanted ? WHOLE_ROW : MISSING_COLUMN) * evidence,
  })
}

const isOne = ({ areChosen, best }: Rows): boolean => areChosen && best.length === 1

/** Answers with the names of all rows, or with those that a column of yes and no marks, or with a value of each. */
const listed = (matches: Matches, { plain }: Rows): TableAnswer | undefined => {
  const { asked, grid, label } = matches
  const named = new Map(
    [...namesOf(matches, [label])].filter(([word]) => word.weight > 0 && matches.isName(label, word)),
  )
  if (!asked.isList && named.size === 0) return undefined
  const wanted = askedColumns(matches, (column) => column !== label, named)
  const flag = wanted.columns.find((column) => matches.kind(column) === "flag")
  const rows = flag === undefined ? plain : plain.filter((row) => isYes(matches.cell(row, flag)))
  const isValues = flag === undefined && wanted.columns.length > 0
  if (rows.length === 0 || rows.length > (isValues ? ROWS_MAX : NAMES_MAX)) return undefined
  const names = new Map([...named, ...wanted.words])
  const evidence = evidenceOf(matches, { rows: new Map(), names }) * (grid.isWhole ? 1 : MISSING_ROWS)
  if (isValues && !asked.isList && evidence < ALL_COVERED) return undefined
  return worded(matches, { rows, label, columns: isValues ? wanted.columns : [], evidence })
}

/** Answers with the number of rows. */
const counted = (matches: Matches, rows: Rows): TableAnswer | undefined => {
  const { grid, label } = matches
  const named = new Map([...namesOf(matches, [label])].filter(([{ weight }]) => weight > 0))
  const isAbove = matches.name(label) !== "" && Array.from(matches.above).some(({ weight }) => weight > 0)
  if (!grid.isWhole || (named.size === 0 && !isAbove)) return undefined
  const used = new Map([...rows.words, ...named])
  if (askedColumns(matches, (column) => column !== label, used).columns.length > 0) return undefined
  const evidence = evidenceOf(matches, { rows: rows.words, names: named })
  if (evidence < ALL_COUNTED) return undefined
  return counting(matches, {
    rows: rows.best.filter((row) => rows.plain.includes(row)),
    label,
    columns: [],
    evidence,
  })
}
