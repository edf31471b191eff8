import { bounded } from "../../text/BoundedText.ts"
import { cut } from "../../text/Cut.ts"
import { rowText } from "../../text/Tables.ts"
import type { Candidate } from "./Conversation.ts"
import type { Grid } from "./Grids.ts"
import { says, type Question } from "./Question.ts"
import { type Found, PART, sum, type Terms } from "./Terms.ts"
import { type Shape, shapeOf } from "./Values.ts"

/*
 * Answers questions from the cells of tables: chooses the rows that hold words of the question, and the columns that it
 * names, or that hold what it wants.
 */

/** An answer that covers less of the question than this is mostly the answer to another one. */
const EVIDENCE_MIN = 0.36
/** The least evidence for a whole row where a question asks for something of it, and for all rows of a table. */
const WHOLE_MIN = 0.62
const ALL_MIN = 0.7
/** The most rows of an answer, and of one that asks for a single row. */
const ROWS_MAX = 25
const TIES_MAX = 3
/** The most rows that are compared with one another. */
const COMPARED_MAX = 4
/** The most columns of the shape that is wanted. */
const SHAPED_MAX = 3
/** Weight of a missing word where others name the row: it mostly says in other words what its column says. */
const PARAPHRASE = 0.35
/** A word that weighs more says what a question is about. */
const RARE_WEIGHT = 0.9
/** The factor of evidence for each name of the question that is missing. */
const MISSING_NAME = 0.4
/**
 * The best answer of some tables: one row, such as `Team: Monthly price 50 EUR`, or a list of rows, without the title of
 * its document. Undefined where no row or no column is what a question asks for.
 */
export const answerFromTables = (
  question: Question,
  terms: Terms,
  grids: ReadonlyArray<Grid>,
): Candidate | undefined => {
  let best: Candidate | undefined
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
  readonly score: number
}

class Lookup {
  private readonly question: Question
  private readonly terms: Terms
  private readonly grid: Grid
  private readonly context: Found
  private readonly header: ReadonlyArray<Found>
  private readonly cells: ReadonlyArray<ReadonlyArray<Found>>
  /** The number of rows that hold each word. */
  private readonly frequencies = new Map<number, number>()
  private readonly shapes: ReadonlyArray<Shape>

  constructor(question: Question, terms: Terms, grid: Grid) {
    this.question = question
    this.terms = terms
    this.grid = grid
    this.context = terms.in(grid.context)
    this.header = Array.from({ length: grid.width }, (_, column) => terms.in(grid.headerKeys[column] ?? []))
    this.cells = grid.rows.map(({ keys }) => keys.map((each) => terms.in(each)))
    for (const row of this.cells) {
      for (const term of new Set(row.flatMap((cell) => [...cell.keys()]))) {
        this.frequencies.set(term, (this.frequencies.get(term) ?? 0) + 1)
      }
    }
    this.shapes = this.header.map((_, column) => shapeOfMost(grid.rows.map(({ cells }) => cells[column] ?? "")))
  }

  answer(): Candidate | undefined {
    const choices = this.cells.map((_, row) => this.choiceOf(row))
    const compared = this.question.joins ? choices.filter((choice) => this.isNamedAlone(choice)) : []
    if (compared.length > 1 && compared.length <= COMPARED_MAX) return this.fromRows(compared, true)
    const most = Math.max(0, ...choices.map(({ score }) => score))
    if (most === 0 && choices.length > 1) return this.fromAll()
    return this.fromRows(choices.filter(({ score }) => score > most - 0.01))
  }

  private cell(row: number, column: number): string {
    return this.grid.rows[row]?.cells[column] ?? ""
  }

  /** Chooses a row by words of its cells that neither all rows share nor a column or what the table is about has. */
  private choiceOf(row: number): Choice {
    const words = new Map<number, number>()
    const columns = new Set<number>()
    for (const [column, cell] of (this.cells[row] ?? []).entries()) {
      for (const [term, strength] of cell) {
        const isColumn = this.header.some((found) => (found.get(term) ?? 0) >= Math.max(strength, PART))
        const isInAll = this.cells.length > 1 && this.frequencies.get(term) === this.cells.length
        const isAbout = this.context.has(term) && column !== this.grid.label
        if (isColumn || isInAll || isAbout) continue
        columns.add(column)
        words.set(term, Math.max(strength, words.get(term) ?? 0))
      }
    }
    return { row, words, columns, score: this.weighed(words) }
  }

  /** Whether the question names a row by a word that no other one has, such as one of `Basic` and `Team`. */
  private isNamedAlone({ row, words }: Choice): boolean {
    const own = Array.from(this.cells[row]?.[this.grid.label]?.keys() ?? [])
    return own.some((term) => words.has(term) && this.frequencies.get(term) === 1)
  }

  /** Answers with rows that hold words of the question. */
  private fromRows(choices: ReadonlyArray<Choice>, isCompared = false): Candidate | undefined {
    const { label } = this.grid
    const { asks, isBare, wanted } = this.question
    const [first] = choices
    const isMany = choices.length > TIES_MAX && !isCompared
    if (first === undefined || (isMany && wanted !== "several" && !isBare)) return undefined
    const places = first.columns
    const chosen = new Map(choices.flatMap(({ words }) => [...words]))
    const isFree = (column: number) => column !== label && !places.has(column)
    const named = this.named(isFree, chosen)
    const columns = named.length > 0 ? named : this.shaped(isFree)
    const isLabelWanted =
      !places.has(label) && (wanted === "name" || this.named((column) => column === label, chosen).length > 0)
    const isWhole = columns.length === 0 && !isLabelWanted
    const names = [label, ...places, ...columns].map((column) => this.header[column] ?? new Map())
    const found = [...choices.flatMap(({ row }) => this.cells[row] ?? []), ...names]
    const evidence = this.evidence(found, places.has(label) ? chosen : new Map())
    // A rare word that is missing, or much in a whole row, is mostly what is asked about the row.
    const isLacking = this.lacks(found) || (isWhole && evidence < WHOLE_MIN)
    if (named.length === 0 && asks && isLacking) return undefined
    const isNamed = places.has(label) || (label > 0 && places.has(0)) || this.grid.header.length === 0
    const shown = !isNamed ? [...columns, ...places] : isWhole ? this.header.keys() : columns
    return this.worded(
      choices.map(({ row }) => row),
      Array.from(shown),
      evidence,
    )
  }

  /** Answers with the names of all rows, or with those whose value in a column that is asked for is not denied. */
  private fromAll(): Candidate | undefined {
    const { label } = this.grid
    const { denies, isBare, language, wanted } = this.question
    const own = this.header[label] ?? new Map()
    const columns = this.named((column) => column !== label, own)
    const evidence = this.evidence([own, ...columns.map((column) => this.header[column] ?? new Map())], new Map())
    const isClear = isBare || wanted === "several" || (own.size > 0 && evidence >= ALL_MIN)
    const rows = Array.from(this.cells.keys()).filter((row) =>
      columns.every((column) => isNo(this.cell(row, column), language) === denies),
    )
    const isMarked = columns.every((column) => this.shapes[column] === "mark")
    return isClear && rows.length <= ROWS_MAX ? this.worded(rows, isMarked ? [] : columns, evidence) : undefined
  }

  /** The columns whose names hold most of the question's words that are not `used`. */
  private named(isFree: (column: number) => boolean, used: Found): ReadonlyArray<number> {
    const scores = this.header.map((found, column) =>
      isFree(column) ? this.weighed(Array.from(found).filter(([term]) => !used.has(term))) : 0,
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
    const all = [this.context, ...words]
    return this.terms.all.some(({ weight }, term) => weight > RARE_WEIGHT && !all.some((found) => found.has(term)))
  }

  private weighed(found: Iterable<readonly [term: number, strength: number]>): number {
    return sum(Array.from(found, ([term, strength]) => strength * (this.terms.all[term]?.weight ?? 0)))
  }

  /**
   * The share of the question's information in some words and in what stands above the table, 0–1.
   *
   * @param naming the words that name the row: others that say less only paraphrase what its columns say
   */
  private evidence(words: ReadonlyArray<Found>, naming: Found): number {
    let [found, missed, factor] = [0, 0, 1]
    const named = Math.max(0, ...Array.from(naming.keys(), (term) => this.terms.all[term]?.weight ?? 0))
    for (const [term, { isName, weight }] of this.terms.all.entries()) {
      const share = Math.max(...[this.context, ...words].map((each) => each.get(term) ?? 0))
      found += share * weight
      missed += (1 - share) * weight * (weight < named ? PARAPHRASE : 1)
      if (share === 0 && isName) factor *= MISSING_NAME
    }
    return found === 0 ? 0 : (factor * found) / (found + missed)
  }

  private worded(all: ReadonlyArray<number>, columns: ReadonlyArray<number>, evidence: number): Candidate | undefined {
    const { header, label, rows: table } = this.grid
    const rows = all.slice(0, ROWS_MAX)
    const isShown = (column: number) => column !== label && rows.some((row) => this.cell(row, column) !== "")
    const shown = [...new Set(columns)].filter(isShown)
    if (rows.length === 0 || (columns.some((column) => column !== label) && shown.length === 0)) return undefined
    const name = withoutColon(header[label] ?? "")
    const names = rows.map((row) => this.cell(row, label)).join(", ")
    const lines =
      shown.length === 0 ? [name === "" ? names : `${name}: ${names}`] : rows.map((row) => this.line(row, shown))
    return {
      text: lines.length === 1 ? (lines[0] ?? "") : lines.map((line) => `- ${line}`).join("\n"),
      quotes: rows.flatMap((row) => {
        const { cells = [], passage } = table[row] ?? {}
        const text = header.length === 0 && cells.length === 2 ? cells.join(": ") : rowText(header, cells)
        return passage === undefined ? [] : [{ text, passage }]
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
