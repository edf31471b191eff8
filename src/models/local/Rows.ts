import type { PassageJson } from "../../domain/knowledge/Passage.ts"
import { bounded } from "../../text/BoundedText.ts"
import { cut } from "../../text/Cut.ts"
import { rowText } from "../../text/Tables.ts"
import type { Grid } from "./Grids.ts"
import { says, type Question } from "./Question.ts"
import { keysOf, PART, type Terms } from "./Terms.ts"
import { meaningOf } from "./Related.ts"
import { daysIn, numberIn, type Shape, shapeOf } from "./Values.ts"

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
/** Weight of a missing word where others name the row: it mostly says in other words what its column says. */
const PARAPHRASE = 0.35
/** The factors of evidence without a name of the question, and without the column that is wanted. */
const MISSING_NAME = 0.4
const MISSING_COLUMN = 0.6
/** A word that weighs more says what a question is about. */
const RARE_WEIGHT = 0.9
/** The least evidence for a whole row, and for all rows of a table. */
const WHOLE_MIN = 0.62
const ALL_MIN = 0.75
/** Cells are looked at up to this length, those with days of the week up to that, in UTF-16 code units. */
const CELL_MAX_LENGTH = 1_000
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

/** A row with what speaks for it. */
interface Choice {
  readonly row: number
  /** The words of the question that choose it, and the columns of their cells. */
  readonly words: Found
  readonly columns: ReadonlySet<number>
  /** Whether they name it. */
  readonly isNamed: boolean
  readonly score: number
}

class Lookup {
  private readonly context: Found
  private readonly header: ReadonlyArray<Found>
  private readonly cells: ReadonlyArray<ReadonlyArray<Found>>
  /** The number of rows that hold each word. */
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
    const { extreme } = this.question
    const choices = this.cells.map((_, row) => this.choiceOf(row))
    const most = Math.max(0, ...choices.map(({ score }) => score))
    const best = choices.filter(({ score }) => score > most - 0.01)
    if (extreme !== undefined) return this.fromEnd(best, extreme)
    const compared = choices.filter((choice) => this.isNamedAlone(choice))
    if (compared.length > 1 && compared.length <= COMPARED_MAX) return this.fromRows(compared, true)
    return most === 0 ? this.fromAll() : this.fromRows(best)
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
    return Math.max(this.terms.all[term]?.weight ?? 0, CELL_WEIGHT_MIN)
  }

  /** Ability of a word to tell rows apart, 0–1. */
  private rarity(term: number): number {
    const all = this.cells.length
    return all === 1 ? 1 : Math.log(all / (this.frequencies.get(term) ?? all)) / Math.log(all)
  }

  private choiceOf(row: number): Choice {
    const words = new Map<number, number>()
    const columns = new Set<number>()
    let [score, isNamed] = [0, false]
    for (const [column, cell] of (this.cells[row] ?? []).entries()) {
      const share = this.share(row, column)
      for (const [term, strength] of cell) {
        if (!this.chooses(column, term, strength)) continue
        columns.add(column)
        words.set(term, Math.max(strength, words.get(term) ?? 0))
        const isOnly = column === this.grid.label && this.frequencies.get(term) === 1
        isNamed ||= isOnly || share >= NAMING_SHARE_MIN
      }
    }
    for (const [term, strength] of words) score += strength * this.weight(term) * this.rarity(term)
    return { row, words, columns, isNamed, score }
  }

  /**
   * Whether a word chooses a row by a cell. The name of its column does not, nor what the table is about, unless it names
   * the row.
   */
  private chooses(column: number, term: number, strength: number): boolean {
    const isAbout = this.context.has(term) && column !== this.grid.label
    const isColumn = this.header.some((found) => (found.get(term) ?? 0) >= Math.max(strength, PART))
    return !isAbout && !isColumn && this.rarity(term) > 0
  }

  /** The share of a cell's own words that the question holds, 0–1. */
  private share(row: number, column: number): number {
    const found = this.cells[row]?.[column]?.size ?? 0
    return found === 0 ? 0 : Math.min(1, found / lengthOf(this.cell(row, column)))
  }

  /** Whether the question names a row by a word that no other one has, such as one of `Basic` and `Team`. */
  private isNamedAlone({ columns, row, words }: Choice): boolean {
    const { label } = this.grid
    const own = Array.from(this.cells[row]?.[label]?.keys() ?? [])
    const isAlone = columns.has(label) && own.some((term) => words.has(term) && this.frequencies.get(term) === 1)
    return isAlone && (this.question.joins || this.share(row, label) >= NAMING_SHARE_MIN)
  }

  /** Answers with the row whose number in the column that is asked for is the largest of some rows, or the smallest. */
  private fromEnd(among: ReadonlyArray<Choice>, extreme: -1 | 1): TableAnswer | undefined {
    const { label } = this.grid
    const asked = new Set(keysOf(this.question.text).flatMap((key) => meaningOf(key) ?? []))
    const isMeant = (name: string) => keysOf(bounded(name)).some((key) => asked.has(meaningOf(key) ?? -1))
    const isFree = (column: number) => column !== label && ["amount", "time"].includes(this.shapes[column] ?? "")
    const free = Array.from(this.header.keys()).filter(isFree)
    const meant = free.filter((column) => isMeant(this.grid.header[column] ?? ""))
    const columns = [this.named(isFree, new Map()), meant, free].find(({ length }) => length > 0) ?? []
    const [column = label] = columns
    // The largest of some rows is not the largest of all.
    if (columns.length !== 1 || !this.grid.isWhole) return undefined
    const all = this.cells.map((_, row) => numberIn(this.cell(row, column)))
    const total = sum(all.map((number) => number?.value ?? 0))
    const valued = among.flatMap(({ row }) => {
      const { unit = "", value = NaN } = all[row] ?? {}
      // A row may be the sum of the others.
      return Number.isNaN(value) || value === total - value ? [] : [{ row, unit, value: extreme * value }]
    })
    const most = Math.max(...valued.map(({ value }) => value))
    const rows = valued.filter(({ value }) => value === most).map(({ row }) => row)
    if (rows.length === 0 || rows.length > TIES_MAX || new Set(valued.map(({ unit }) => unit)).size > 1)
      return undefined
    const words = [label, column].map((each) => this.header[each] ?? new Map())
    return this.worded(
      rows,
      [column],
      this.evidence([...rows.flatMap((row) => this.cells[row] ?? []), ...words], new Map()),
    )
  }

  /** Answers with rows that hold words of the question. */
  private fromRows(choices: ReadonlyArray<Choice>, isCompared = false): TableAnswer | undefined {
    const { header, label } = this.grid
    const { asks, isBare, wanted } = this.question
    const [first] = choices
    const isMany = choices.length > TIES_MAX
    if (first === undefined || (isMany && wanted !== "several" && !isBare)) return undefined
    const { columns: places, isNamed } = first
    const chosen = new Map(choices.flatMap(({ words }) => [...words]))
    // A cell that several rows share names none of them.
    const isLabelNamed = places.has(label) && this.share(first.row, label) >= NAMING_SHARE_MIN
    const reasons = [...places].filter((column) => column !== label && !isLabelNamed)
    const isFree = (column: number) => column !== label && !places.has(column)
    const named = this.named(isFree, chosen)
    const columns = named.length > 0 ? named : this.shaped(isFree)
    const isLabelWanted = !places.has(label) && (this.has(label, chosen) || wanted === "name")
    const isWhole = columns.length === 0 && !isLabelWanted
    const names = [label, ...places, ...columns].map((column) => this.header[column] ?? new Map())
    const found = [...choices.flatMap(({ row }) => this.cells[row] ?? []), ...names]
    // A number, or a whole row, is no answer to a question about something that the row does not hold.
    const isAboutRow = named.length > 0 || isCompared || !(wanted === "amount" || (wanted === undefined && asks))
    if (!isAboutRow && this.lacks(found)) return undefined
    const evidence = this.evidence(found, isNamed ? chosen : new Map())
    // A value in a row tells what it is by itself, and a number of an article does not.
    const isValue = isWhole && header.length > 0 && label === 0 && !places.has(label)
    const isValueWanted = header.length > 0 && (wanted === "amount" || wanted === "time")
    // What is missing in a whole row is mostly what is asked about it.
    const isLacking = isWhole && !isCompared && !isValue && (!isNamed || isValueWanted || evidence < WHOLE_MIN)
    const others = Array.from(this.header.keys()).filter((column) => column !== label)
    const shown = isWhole && !isValue ? others : isMany && isLabelWanted ? reasons : [...columns, ...reasons]
    const rows = choices.map(({ row }) => row).slice(0, isMany ? NAMES_MAX : ROWS_MAX)
    return this.worded(rows, shown, (isLacking ? MISSING_COLUMN : 1) * evidence)
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
        ? sum(Array.from(found, ([term, strength]) => (used.has(term) ? 0 : strength * this.weight(term))))
        : 0,
    )
    const most = Math.max(0, ...scores)
    return Array.from(scores.keys()).filter((column) => most > 0 && (scores[column] ?? 0) > most - 0.01)
  }

  /** The columns that hold what the question wants. */
  private shaped(isFree: (column: number) => boolean): ReadonlyArray<number> {
    const columns = Array.from(this.shapes.keys()).filter(
      (column) => isFree(column) && this.shapes[column] === this.question.wanted,
    )
    return columns.length <= SHAPED_MAX ? columns : []
  }

  /** Whether a rare word of the question is neither in some words nor above the table. */
  private lacks(words: ReadonlyArray<Found>): boolean {
    return this.terms.all.some(
      ({ weight }, term) => weight > RARE_WEIGHT && ![this.context, ...words].some((found) => found.has(term)),
    )
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
    const named = Math.max(0, ...Array.from(naming.keys(), (term) => this.terms.all[term]?.weight ?? 0))
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

/** The number of words of a cell. */
const lengthOf = (cell: string): number => Math.max(1, keysOf(bounded(cell.slice(0, CELL_MAX_LENGTH))).length)

const sum = (numbers: Iterable<number>): number => {
  let total = 0
  for (const each of numbers) total += each
  return total
}
