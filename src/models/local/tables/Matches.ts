import { type Asked, type AskedWord, endsWithForm, foldedWords, isFormOf } from "./Asked.ts"
import type { Concept } from "./Concepts.ts"
import { type CellMatch, COMPOUND, type Finder } from "./Finder.ts"
import type { Grid } from "./Grid.ts"
import { decimalOf, type Decimal, type Kind, kindOf, numberOf } from "./Values.ts"

/* Where the words of a question stand in a table: above it, in the names of its columns and in its cells. */

/** How well the name of a column, or what it holds, is asked for by each word, 0–1. */
export type ColumnMatch = ReadonlyMap<AskedWord, number>

const CONCEPT = 0.9
const KIND = 0.7
/** Cells are looked at up to this length, in UTF-16 code units. */
const CELL_MAX_LENGTH = 1_000

/** Names of columns that only number the rows. */
const NUMBERING = /^(?:#|nr|no|num|pos|id|rank|rang|platz|puesto)?\.?$/iu

/** Matches numbers of articles and the like, beside which a name stands. */
const CODE = /^\p{L}{0,4}[-.\s]?\d[\w.-]*$/u

/** A table whose words were compared with those of a question. */
export class Matches {
  readonly grid: Grid
  readonly asked: Asked
  readonly width: number
  /** The column whose cells name the rows: the first one, unless that only numbers them. */
  readonly label: number
  /** The words of the question in what stands above the table. */
  readonly above: ReadonlySet<AskedWord>
  /** The matches of each row's cells, by column. */
  readonly cells: ReadonlyArray<ReadonlyMap<number, CellMatch>>
  readonly columns: ReadonlyArray<ColumnMatch>
  private readonly finder: Finder
  private readonly named: ReadonlyArray<ReadonlyMap<AskedWord, number>>
  private readonly kinds: ReadonlyArray<Kind>
  private readonly decimals: ReadonlyArray<Decimal>

  constructor(grid: Grid, asked: Asked, finder: Finder) {
    this.grid = grid
    this.asked = asked
    this.finder = finder
    this.width = grid.rows.reduce((widest, { cells }) => Math.max(widest, cells.length), grid.header.length)
    this.above = new Set(finder.in(grid.context).words.keys())
    this.cells = grid.rows.map(
      ({ cells }) =>
        new Map(
          cells.flatMap((cell, column) => {
            const match = finder.in(cell.slice(0, CELL_MAX_LENGTH), true)
            return match.words.size > 0 ? [[column, match] as const] : []
          }),
        ),
    )
    const columns = Array.from({ length: this.width }, (_, column) => grid.rows.map(({ cells }) => cells[column] ?? ""))
    this.kinds = columns.map(kindOfMost)
    this.label = this.labelOf(columns)
    this.decimals = columns.map(decimalOf)
    const named = columns.map((_, column) => withoutShort(finder.in(this.name(column), true).words))
    this.named = named
    const literal = new Set(named.flatMap((words) => [...words.keys()]))
    this.columns = named.map((words, column) => this.columnMatch(column, words, literal))
  }

  name(column: number): string {
    return this.grid.header[column] ?? ""
  }

  /** Whether a word, or a form of it, stands in the name of a column, and does not only mean it. */
  isName(column: number, word: AskedWord): boolean {
    return (this.named[column]?.get(word) ?? 0) > COMPOUND
  }

  /** Whether a text holds words of the question, and not only its grammar. */
  holdsWords(text: string): boolean {
    return Array.from(this.finder.in(text).words.keys()).some(({ isGrammar }) => !isGrammar)
  }

  /** All columns but one. */
  others(column: number): ReadonlyArray<number> {
    return Array.from(this.columns.keys()).filter((each) => each !== column)
  }

  kind(column: number): Kind {
    return this.kinds[column] ?? "empty"
  }

  cell(row: number, column: number): string {
    return this.grid.rows[row]?.cells[column] ?? ""
  }

  number(row: number, column: number): number | undefined {
    return numberOf(this.cell(row, column), this.decimals[column])
  }

  private labelOf(columns: ReadonlyArray<ReadonlyArray<string>>): number {
    const [first = [], second = []] = columns
    const isNumbered = this.kinds[0] === "number" && NUMBERING.test(this.name(0))
    const isText = (kind: Kind | undefined) => kind === "text" || kind === "person"
    const isCoded = first.every((cell) => CODE.test(cell)) && isText(this.kinds[0])
    const areNames = isText(this.kinds[1]) && new Set(second).size === second.length
    return this.width > 2 && (isNumbered || (isCoded && areNames)) ? 1 : 0
  }

  /** The columns of a meaning, by their names or else by what they hold. */
  meaning(concept: Concept | undefined): ReadonlyArray<number> {
    if (concept === undefined) return []
    const columns = Array.from(this.columns.keys())
    const named = columns.filter((column) => isNamed(foldedWords(this.name(column)), concept))
    return named.length > 0 ? named : columns.filter((column) => concept.kinds.includes(this.kind(column)))
  }

  /** Adds the words that mean a column to those in its name. A word that names a column means no other one. */
  private columnMatch(
    column: number,
    named: ReadonlyMap<AskedWord, number>,
    literal: ReadonlySet<AskedWord>,
  ): ColumnMatch {
    const matches = new Map(named)
    const names = foldedWords(this.name(column))
    for (const word of this.asked.words) {
      if (literal.has(word)) continue
      for (const concept of word.concepts) {
        const isOfKind = concept.kinds.includes(this.kind(column))
        const share = isNamed(names, concept) ? CONCEPT : isOfKind ? KIND : 0
        if (share > (matches.get(word) ?? 0)) matches.set(word, share)
      }
    }
    return matches
  }
}

/** Articles and prepositions in the name of a column are in many questions. */
const withoutShort = (words: ReadonlyMap<AskedWord, number>): ReadonlyMap<AskedWord, number> =>
  new Map(Array.from(words).filter(([word]) => !word.isGrammar || word.text.length > 3))

const isNamed = (names: ReadonlyArray<string>, { words }: Concept): boolean =>
  names.some((name) => words.some((word) => isFormOf(name, word) || endsWithForm(name, word)))

/** The kind of most cells that are not empty. */
const kindOfMost = (cells: ReadonlyArray<string>): Kind => {
  const counts = new Map<Kind, number>()
  for (const cell of cells.slice(0, 100)) {
    const kind = kindOf(cell)
    if (kind !== "empty") counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  return Array.from(counts).toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? "empty"
}
