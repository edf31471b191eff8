import { type Asked, type AskedWord, endsWithForm, foldedWords, isFormOf } from "./Asked.ts"
import type { Concept } from "./Concepts.ts"
import type { Grid } from "./Grid.ts"
import { decimalOf, type Decimal, type Kind, kindOf, numberOf, rangeOf } from "./Values.ts"

/* Where the words of a question stand in a table: above it, in the names of its columns and in its cells. */

/** How well a cell holds words of a question. */
export interface CellMatch {
  readonly words: ReadonlySet<AskedWord>
  /** The share of the cell's own words that the question holds, 0–1. */
  readonly share: number
}

/** How well the name of a column, or what it holds, is asked for by each word, 0–1. */
export type ColumnMatch = ReadonlyMap<AskedWord, number>

const CONCEPT_SHARE = 0.9
const KIND_SHARE = 0.7
const RANGE_SHARE = 0.5
/** Cells are looked at up to this length, in UTF-16 code units. */
const CELL_MAX_LENGTH = 1_000

/** Names of columns that only number the rows. */
const NUMBERING = /^(?:#|nr|no|num|pos|id|rank|rang|platz|puesto)?\.?$/iu

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
  private readonly kinds: ReadonlyArray<Kind>
  private readonly decimals: ReadonlyArray<Decimal>

  constructor(grid: Grid, asked: Asked) {
    this.grid = grid
    this.asked = asked
    this.width = grid.rows.reduce((widest, { cells }) => Math.max(widest, cells.length), grid.header.length)
    const finder = new Finder(asked.words)
    this.above = finder.in(grid.context).words
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
    this.label = this.width > 2 && this.kinds[0] === "number" && NUMBERING.test(this.name(0)) ? 1 : 0
    this.decimals = columns.map(decimalOf)
    this.columns = columns.map((_, column) => this.columnMatch(column, finder))
  }

  name(column: number): string {
    return this.grid.header[column] ?? ""
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

  /** The columns of a meaning, by their names or else by what they hold. */
  meaning(concept: Concept | undefined): ReadonlyArray<number> {
    if (concept === undefined) return []
    const columns = Array.from(this.columns.keys())
    const named = columns.filter((column) => isNamed(foldedWords(this.name(column)), concept))
    return named.length > 0 ? named : columns.filter((column) => concept.kinds.includes(this.kind(column)))
  }

  private columnMatch(column: number, finder: Finder): ColumnMatch {
    const name = this.name(column)
    const matches = new Map<AskedWord, number>()
    for (const word of finder.in(name).words) matches.set(word, 1)
    const names = foldedWords(name)
    for (const word of this.asked.words) {
      if (matches.has(word)) continue
      for (const concept of word.concepts) {
        const isOfKind = concept.kinds.includes(this.kind(column))
        const share = isNamed(names, concept) ? CONCEPT_SHARE : isOfKind ? KIND_SHARE : 0
        if (share > (matches.get(word) ?? 0)) matches.set(word, share)
      }
    }
    return matches
  }
}

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

/** Finds the words of a question in texts. */
class Finder {
  private readonly words: ReadonlyArray<AskedWord>
  private readonly numbers: ReadonlyArray<readonly [AskedWord, number]>
  private readonly cache = new Map<string, AskedWord | undefined>()

  constructor(words: ReadonlyArray<AskedWord>) {
    this.words = words.filter(({ text }) => text !== "")
    this.numbers = this.words.flatMap((word) =>
      /^\d+(?:[.,]\d+)?$/.test(word.text) ? [[word, Number(word.text.replace(",", "."))]] : [],
    )
  }

  /** @param holdsRanges whether a number may stand in a range such as `10–17` */
  in(text: string, holdsRanges = false): CellMatch {
    const found = new Set<AskedWord>()
    const own = foldedWords(text)
    let matched = 0
    for (const each of own) {
      const word = this.find(each)
      if (word === undefined) continue
      matched++
      found.add(word)
    }
    if (found.size > 0 || !holdsRanges || this.numbers.length === 0)
      return { words: found, share: own.length === 0 ? 0 : matched / own.length }
    const range = rangeOf(text)
    if (range === undefined) return { words: found, share: 0 }
    for (const [word, number] of this.numbers) if (number >= range[0] && number <= range[1]) found.add(word)
    return { words: found, share: RANGE_SHARE }
  }

  private find(text: string): AskedWord | undefined {
    if (this.cache.has(text)) return this.cache.get(text)
    const found =
      this.words.find((word) => word.text === text) ??
      this.words.find((word) => isFormOf(text, word.text)) ??
      this.words.find((word) => word.weight > 0 && (endsWithForm(text, word.text) || endsWithForm(word.text, text)))
    this.cache.set(text, found)
    return found
  }
}
