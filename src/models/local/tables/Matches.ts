import { type Asked, type AskedWord, endsWithForm, foldedWords, isFormOf } from "./Asked.ts"
import type { Concept } from "./Concepts.ts"
import type { Grid } from "./Grid.ts"
import { decimalOf, type Decimal, type Kind, kindOf, numberOf, rangeOf } from "./Values.ts"

/* Where the words of a question stand in a table: above it, in the names of its columns and in its cells. */

/** How well a cell holds words of a question. */
export interface CellMatch {
  /** The words of the question in the cell, each with how surely it is the word, 0–1. */
  readonly words: ReadonlyMap<AskedWord, number>
  /** The share of the cell's own words that the question holds, 0–1. */
  readonly share: number
}

/** How well the name of a column, or what it holds, is asked for by each word, 0–1. */
export type ColumnMatch = ReadonlyMap<AskedWord, number>

const FORM = 0.95
const COMPOUND = 0.5
const CONCEPT = 0.9
const KIND = 0.7
const RANGE = 0.5
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
    this.label = this.width > 2 && this.kinds[0] === "number" && NUMBERING.test(this.name(0)) ? 1 : 0
    this.decimals = columns.map(decimalOf)
    const named = columns.map((_, column) => finder.in(this.name(column)).words)
    const literal = new Set(named.flatMap((words) => [...words.keys()]))
    this.columns = named.map((words, column) => this.columnMatch(column, words, literal))
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
  private readonly cache = new Map<string, ReadonlyArray<readonly [AskedWord, number]>>()

  constructor(words: ReadonlyArray<AskedWord>) {
    this.words = words.filter(({ text }) => text !== "")
    this.numbers = this.words.flatMap((word) =>
      /^\d+(?:[.,]\d+)?$/.test(word.text) ? [[word, Number(word.text.replace(",", "."))]] : [],
    )
  }

  /** @param holdsRanges whether a number may stand in a range such as `10–17` */
  in(text: string, holdsRanges = false): CellMatch {
    const found = new Map<AskedWord, number>()
    const own = foldedWords(text)
    let matched = 0
    for (const each of own) {
      const words = this.find(each)
      matched += words[0]?.[1] ?? 0
      for (const [word, share] of words) found.set(word, Math.max(share, found.get(word) ?? 0))
    }
    if (found.size > 0 || !holdsRanges || this.numbers.length === 0)
      return { words: found, share: own.length === 0 ? 0 : matched / own.length }
    const range = rangeOf(text)
    if (range === undefined) return { words: found, share: 0 }
    for (const [word, number] of this.numbers) if (number >= range[0] && number <= range[1]) found.set(word, 1)
    return { words: found, share: RANGE }
  }

  /** The words of the question that a word is, is a form of, or is a compound with. */
  private find(text: string): ReadonlyArray<readonly [AskedWord, number]> {
    const cached = this.cache.get(text)
    if (cached !== undefined) return cached
    const found = this.words.flatMap((word) => {
      const share = likeness(text, word.text)
      return share === 0 || (share === COMPOUND && word.weight === 0) ? [] : [[word, share] as const]
    })
    const most = Math.max(...found.map(([, share]) => share))
    const best = found.filter(([, share]) => share === most || share === COMPOUND)
    this.cache.set(text, best)
    return best
  }
}

const likeness = (a: string, b: string): number => {
  if (a === b) return 1
  if (isFormOf(a, b)) return FORM
  return endsWithForm(a, b) || endsWithForm(b, a) ? COMPOUND : 0
}
