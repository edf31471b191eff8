import type { PassageJson } from "../../domain/knowledge/Passage.ts"
import { bounded } from "../../text/BoundedText.ts"
import { cut } from "../../text/Cut.ts"
import { tokensOf } from "../../text/PhraseBook.ts"
import { rowText } from "../../text/Tables.ts"
import type { Grid } from "./Grids.ts"
import { says, type Question } from "./Question.ts"
import { keysOf, PART, type Terms } from "./Terms.ts"
import { daysIn, type Shape, shapeOf } from "./Values.ts"

/*
 * Answers questions from the cells of tables: chooses the rows that hold words of the question, and the columns that it
 * names, or that hold what it wants.
 */

/** An answer from the cells of one table. */
export interface TableAnswer {
  /** One row, such as `Team: Monthly price 50 EUR`, or a list of rows. It does not name its document. */
  readonly text: string
  /** The rows with the names of their columns, and the passages that they are from; at least one. */
  readonly quotes: ReadonlyArray<{ readonly text: string; readonly passage: PassageJson }>
  /** The share of the question's information that the rows and what names them hold, 0–1. */
  readonly evidence: number
}

/** The words of the question in a text, by their index, with their certainty. */
type Found = ReadonlyMap<number, number>

/** An answer that covers less of the question than this is mostly the answer to another one. */
const EVIDENCE_MIN = 0.36
/** The most rows of an answer with their values, with their names alone, and of one that asks for a single row. */
const ROWS_MAX = 10
const NAMES_MAX = 25
const TIES_MAX = 3
const COMPARED_MAX = 4
/** The least share of a name's words that a question holds. */
const NAMING_SHARE_MIN = 0.5
/** The most columns of the shape that is wanted. */
const SHAPED_MAX = 3
/** The least weight of a word in a cell: in a table, common words tell rows apart, too. */
const CELL_WEIGHT_MIN = 0.15
/** Gain of a cell that holds little but words of the question. */
const SHARE_WEIGHT = 0.3
/** Weight of a missing word where others name the row: it mostly says in other words what its column says. */
const PARAPHRASE = 0.35
/** The factors of evidence without a name of the question, and without the column that is wanted. */
const MISSING_NAME = 0.4
const MISSING_COLUMN = 0.6
/** The least evidence for a whole row, and for all rows of a table. */
const WHOLE_MIN = 0.62
const ALL_MIN = 0.75
/** Cells are looked at up to this length, those with days of the week up to that, in UTF-16 code units. */
const CELL_MAX_LENGTH = 1_000
/** The longest word that says number in the name of a column, such as `No.`, in UTF-16 code units. */
const NUMBER_MAX_LENGTH = 2
/** The least length of a word that names a day. */
const DAY_MIN_LENGTH = 4

/** The best answer of some tables; undefined where no row or no column is what a question asks for. */
export const answerFromTables = (
  question: Question,
  terms: Terms,
  grids: ReadonlyArray<Grid>,
): TableAnswer | undefined => {
  let best: TableAnswer | undefined
  for (const grid of grids) {
    const found = new Lookup(question, terms, grid).answer()
    if (found !== undefined && found.evidence > (best?.evidence ?? EVIDENCE_MIN)) best = found
  }
  return best
}

class Lookup {
  private readonly context: Found
  private readonly header: ReadonlyArray<Found>
  private readonly cells: ReadonlyArray<ReadonlyArray<Found>>
  private readonly frequencies = new Map<number, number>()
  private readonly shapes: ReadonlyArray<Shape>
  /** The days of the week that words of the question name. */
  private readonly days: ReadonlyArray<readonly [term: number, days: ReadonlySet<number>]>
  private readonly question: Question
  private readonly terms: Terms
  private readonly grid: Grid

  constructor(question: Question, terms: Terms, grid: Grid) {
    this.question = question
    this.terms = terms
    this.grid = grid
    this.days = terms.all.flatMap(({ key }, term) =>
      key.length >= DAY_MIN_LENGTH && daysIn(key).size > 0 ? [[term, daysIn(key)] as const] : [],
    )
    this.context = terms.in(grid.context)
    this.header = Array.from({ length: grid.width }, (_, column) => this.found(grid.header[column] ?? ""))
    this.cells = grid.rows.map(({ cells }) => cells.map((cell) => this.found(cell)))
    for (const row of this.cells) {
      for (const term of new Set(row.flatMap((cell) => [...cell.keys()]))) {
        this.frequencies.set(term, (this.frequencies.get(term) ?? 0) + 1)
      }
    }
    this.shapes = this.header.map((_, column) => shapeOfMost(grid.rows.map(({ cells }) => cells[column] ?? "")))
  }

  answer(): TableAnswer | undefined {
    const { joins } = this.question
    const scores = this.cells.map((_, row) => this.scoreOf(row))
    const most = Math.max(0, ...scores)
    const compared = this.compared(joins)
    if (compared.length > 0) return this.fromRows(compared, true)
    if (most === 0) return this.fromAll()
    return this.fromRows(Array.from(scores.keys()).filter((row) => (scores[row] ?? 0) > most - 0.01))
  }

  private found(text: string): Found {
    const found = this.terms.in(keysOf(bounded(text.slice(0, CELL_MAX_LENGTH))))
    if (this.days.length === 0) return found
    const days = daysIn(text)
    const named = this.days.filter(([, each]) => !days.isDisjointFrom(each))
    return named.length === 0 ? found : new Map([...found, ...named.map(([term]) => [term, 1] as const)])
  }

  private cell(row: number, column: number): string {
    return this.grid.rows[row]?.cells[column] ?? ""
  }

  private weight(term: number): number {
    return this.terms.all[term]?.weight ?? 0
  }

  /** Ability of a word to tell rows apart, 0–1. */
  private rarity(term: number): number {
    const all = this.cells.length
    return all === 1 ? 1 : Math.log(all / (this.frequencies.get(term) ?? all)) / Math.log(all)
  }

  /**
   * Certainty that a word chooses a row by a cell, 0–1. The name of its column does not, nor what the table is about,
   * unless it names the row. A column that denies chooses no row for a question that does not: `Closed on`.
   */
  private choosing(row: number, column: number, term: number): number {
    const isLabel = column === this.grid.label
    const strength = this.cells[row]?.[column]?.get(term) ?? 0
    const isAbout = this.context.has(term) && !isLabel
    const isColumn = this.header.some((found) => (found.get(term) ?? 0) >= Math.max(strength, PART))
    return isAbout || isColumn || this.rarity(term) === 0 ? 0 : strength
  }

  private scoreOf(row: number): number {
    const scores = new Map<number, number>()
    let share = 0
    for (const [column, cell] of (this.cells[row] ?? []).entries()) {
      if (this.disagrees(row, column)) continue
      for (const term of cell.keys()) {
        const score =
          this.choosing(row, column, term) * Math.max(this.weight(term), CELL_WEIGHT_MIN) * this.rarity(term)
        if (score === 0) continue
        scores.set(term, Math.max(score, scores.get(term) ?? 0))
        share = Math.max(share, this.share(row, column))
      }
    }
    // Where several rows are wanted, a longer name is no worse.
    const { isBare, wanted } = this.question
    const shareWeight = isBare || wanted === "several" ? 0 : SHARE_WEIGHT
    return scores.size === 0 ? 0 : sum(scores.values()) + shareWeight * share
  }

  /** The share of a cell's own words that the question holds, 0–1. */
  private share(row: number, column: number): number {
    const own = keysOf(bounded(this.cell(row, column).slice(0, CELL_MAX_LENGTH))).length
    return own === 0 ? 0 : Math.min(1, (this.cells[row]?.[column]?.size ?? 0) / own)
  }

  /** Whether a cell, or its column, denies what a question asks which one it holds for, or the other way round. */
  private disagrees(row: number, column: number): boolean {
    const { isDecision, language } = this.question
    if (isDecision || column === this.grid.label) return false
    const [first = ""] = tokensOf(bounded(this.grid.header[column] ?? ""))
    // `No.` is short for number.
    const isOpposite = first.length > NUMBER_MAX_LENGTH && isNo(first, language)
    return !this.question.denies && (isOpposite || (this.question.selects && isNo(this.cell(row, column), language)))
  }

  /** The rows that the question names one by one, such as `Basic` and `Team`. */
  private compared(joins: boolean): ReadonlyArray<number> {
    const { label } = this.grid
    const rows = new Set<number>()
    for (const term of this.terms.all.keys()) {
      const holders = Array.from(this.cells.keys()).filter((row) => this.choosing(row, label, term) > 0)
      const counts = holders.map((row) => this.cells[row]?.[label]?.size ?? 0)
      const best = holders.filter((_, index) => counts[index] === Math.max(...counts))
      const [row] = best
      if (row !== undefined && best.length === 1 && (joins || this.share(row, label) >= NAMING_SHARE_MIN)) rows.add(row)
    }
    return rows.size > 1 && rows.size <= COMPARED_MAX ? Array.from(rows).toSorted((a, b) => a - b) : []
  }

  /** Answers with rows that hold words of the question. */
  private fromRows(rows: ReadonlyArray<number>, isCompared = false): TableAnswer | undefined {
    const { label } = this.grid
    const { isBare, isDecision, wanted } = this.question
    const [first = 0] = rows
    const isMany = rows.length > TIES_MAX
    if (isMany && wanted !== "several" && !isBare) return undefined
    const chosen = new Map<number, number>()
    const places = new Set<number>()
    for (const row of rows) {
      for (const column of this.header.keys()) {
        for (const [term, strength] of this.cells[row]?.[column] ?? []) {
          if (this.choosing(row, column, term) === 0) continue
          if (row === first) places.add(column)
          chosen.set(term, Math.max(strength, chosen.get(term) ?? 0))
        }
      }
    }
    // A cell that several rows share names none of them.
    const reasons = [...places].filter(
      (column) => column !== label && !(places.has(label) && this.share(first, label) >= NAMING_SHARE_MIN),
    )
    const isFree = (column: number) => column !== label && !places.has(column)
    const named = this.named(isFree, chosen)
    const columns = named.length > 0 ? named : isDecision ? this.valued(isFree, chosen) : this.shaped(isFree)
    const isLabelWanted = !places.has(label) && (this.has(label, chosen) || wanted === "name")
    const isWhole = columns.length === 0 && !isLabelWanted
    const names = [label, ...places, ...columns].map((column) => this.header[column] ?? new Map())
    const isOnly = (column: number) =>
      column === label && Array.from(chosen.keys()).some((term) => this.frequencies.get(term) === 1)
    const isNamed = [...places].some((column) => isOnly(column) || this.share(first, column) >= NAMING_SHARE_MIN)
    const found = [...rows.flatMap((row) => this.cells[row] ?? []), ...names]
    const evidence = this.evidence(found, isNamed ? chosen : new Map())
    // A value in a row tells what it is by itself, and a number of an article does not.
    const isValue = isWhole && this.grid.header.length > 0 && label === 0 && !places.has(label)
    // What is missing in a whole row is mostly what is asked about it.
    const isLacking = isWhole && !isCompared && !isValue && (!isNamed || this.isValueWanted() || evidence < WHOLE_MIN)
    const shown =
      isWhole && !isValue ? this.others(label) : isMany && isLabelWanted ? reasons : [...columns, ...reasons]
    return this.worded(rows.slice(0, isMany ? NAMES_MAX : ROWS_MAX), shown, (isLacking ? MISSING_COLUMN : 1) * evidence)
  }

  /** Answers with the names of all rows, or with those whose value in a column that is asked for is not denied. */
  private fromAll(): TableAnswer | undefined {
    const { label } = this.grid
    const { denies: isDenied, isBare, language, wanted } = this.question
    const all = Array.from(this.cells.keys())
    const own = this.header[label] ?? new Map()
    const columns = this.named((column) => column !== label, own)
    const isOne = all.length === 1
    if (!isBare && wanted !== "several" && own.size === 0 && !isOne) return undefined
    const rows = all.filter((row) => columns.every((column) => isNo(this.cell(row, column), language) === isDenied))
    const isMarked = columns.every((column) => this.shapes[column] === "mark")
    if (rows.length === 0 || rows.length > (isMarked ? NAMES_MAX : ROWS_MAX)) return undefined
    const evidence = this.evidence([own, ...columns.map((column) => this.header[column] ?? new Map())], new Map())
    const isClear = isBare || wanted === "several" || evidence >= ALL_MIN
    return this.worded(rows, isMarked && !isOne ? [] : columns, isClear ? evidence : 0)
  }

  /** Whether the name of a column holds a word of the question that is not `used`. */
  private has(column: number, used: Found): boolean {
    return Array.from(this.header[column]?.keys() ?? []).some((term) => !used.has(term))
  }

  /** The columns whose names hold most of the question's words that are not `used`. */
  private named(isFree: (column: number) => boolean, used: Found): ReadonlyArray<number> {
    const scores = this.header.map((found, column) =>
      isFree(column)
        ? sum(
            Array.from(found, ([term, strength]) =>
              used.has(term) ? 0 : strength * Math.max(this.weight(term), CELL_WEIGHT_MIN),
            ),
          )
        : 0,
    )
    const most = Math.max(0, ...scores)
    const best = Array.from(scores.keys()).filter((column) => most > 0 && (scores[column] ?? 0) > most - 0.01)
    // Of `Price` and `Price with support`, the first is what "price" asks for.
    const length = (column: number) => keysOf(bounded(this.grid.header[column] ?? "")).length
    const shortest = Math.min(...best.map(length))
    const isWhole = best.some((column) => (this.header[column]?.size ?? 0) >= length(column))
    return isWhole ? best.filter((column) => length(column) === shortest) : best
  }

  /** The columns that hold what the question wants. */
  private shaped(isFree: (column: number) => boolean): ReadonlyArray<number> {
    const columns = Array.from(this.shapes.keys()).filter(
      (column) => isFree(column) && this.shapes[column] === this.question.wanted,
    )
    return columns.length <= SHAPED_MAX ? columns : []
  }

  /** The column of which another row holds a word of the question: "Is it automatic?" asks for the gearbox. */
  private valued(isFree: (column: number) => boolean, used: Found): ReadonlyArray<number> {
    const columns = new Set<number>()
    for (const row of this.cells) {
      for (const [column, cell] of row.entries()) {
        if (isFree(column) && Array.from(cell.keys()).some((term) => !used.has(term))) columns.add(column)
      }
    }
    return columns.size === 1 ? [...columns] : []
  }

  private isValueWanted(): boolean {
    const { wanted } = this.question
    return this.grid.header.length > 0 && (wanted === "amount" || wanted === "time")
  }

  private others(column: number): ReadonlyArray<number> {
    return Array.from(this.header.keys()).filter((each) => each !== column)
  }

  /**
   * The share of the question's information in some words and in what stands above the table, 0–1.
   *
   * @param naming the words that name the row: others that say less only paraphrase what its columns say
   */
  private evidence(words: ReadonlyArray<Found>, naming: Found): number {
    let found = 0
    let missed = 0
    let factor = 1
    const named = Math.max(0, ...Array.from(naming.keys(), (term) => this.weight(term)))
    for (const [term, { isName, weight }] of this.terms.all.entries()) {
      const share = Math.max(...[this.context, ...words].map((each) => each.get(term) ?? 0))
      found += share * weight
      missed += (1 - share) * weight * (weight < named ? PARAPHRASE : 1)
      if (share === 0 && isName) factor *= MISSING_NAME
    }
    return found === 0 ? 0 : (factor * found) / (found + missed)
  }

  private worded(
    rows: ReadonlyArray<number>,
    columns: ReadonlyArray<number>,
    evidence: number,
  ): TableAnswer | undefined {
    const { grid } = this
    const shown = columns.filter((column) => rows.some((row) => this.cell(row, column) !== ""))
    if (columns.length > 0 && shown.length === 0) return undefined
    const name = withoutColon(grid.header[grid.label] ?? "")
    const names = rows.map((row) => this.cell(row, grid.label)).join(", ")
    const lines =
      shown.length === 0 ? [name === "" ? names : `${name}: ${names}`] : rows.map((row) => this.line(row, shown))
    return {
      text: lines.length === 1 ? (lines[0] ?? "") : lines.map((line) => `- ${line}`).join("\n"),
      quotes: rows.slice(0, ROWS_MAX).flatMap((row) => {
        const { cells = [], passage } = grid.rows[row] ?? {}
        if (passage === undefined) return []
        const text = grid.header.length === 0 && cells.length === 2 ? cells.join(": ") : rowText(grid.header, cells)
        return [{ text, passage }]
      }),
      evidence,
    }
  }

  private line(row: number, columns: ReadonlyArray<number>): string {
    const values = columns.flatMap((column) => {
      const cell = short(this.cell(row, column))
      const name = this.grid.header[column] ?? ""
      return cell === "" ? [] : [name === "" || name === cell ? cell : `${name} ${cell}`]
    })
    const label = withoutColon(this.cell(row, this.grid.label))
    // A number alone does not say what it names.
    const of = /\p{L}/u.test(label) ? label : `${this.grid.header[this.grid.label] ?? ""} ${label}`.trim()
    return of === "" ? values.join("; ") : `${short(of)}: ${values.join("; ")}`
  }
}

/** Longest cell of an answer, in UTF-16 code units. */
const SHOWN_MAX_LENGTH = 500

const short = (cell: string): string =>
  cell.length <= SHOWN_MAX_LENGTH ? cell : `${cut(cell, SHOWN_MAX_LENGTH - 1).trimEnd()}…`

const withoutColon = (name: string): string => name.replace(/\s*:$/, "")

/** Whether a short text says no. */
const isNo = (text: string, language: Question["language"]): boolean =>
  /^[✗✘×–—-]$/u.test(text.trim()) || (text.length <= NO_MAX_LENGTH && says("not", bounded(text), language))

const NO_MAX_LENGTH = 60

/** The shape of most cells of a column that hold something. */
const shapeOfMost = (cells: ReadonlyArray<string>): Shape => {
  const counts = new Map<Shape, number>()
  for (const cell of cells) if (cell !== "") counts.set(shapeOf(cell), (counts.get(shapeOf(cell)) ?? 0) + 1)
  return Array.from(counts).toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? "text"
}

const sum = (numbers: Iterable<number>): number => {
  let total = 0
  for (const each of numbers) total += each
  return total
}
