import { languageShownIn } from "../../language/Detection.ts"
import type { SpokenLanguage } from "../../language/Locales.ts"
import { similarity } from "../../language/words/WordForms.ts"
import { blocksOf } from "../../text/Blocks.ts"
import { bounded, type BoundedText } from "../../text/BoundedText.ts"
import { plain as withoutMarks } from "../../text/Markup.ts"
import { SENTENCE_MAX_LENGTH, sentencesOf } from "../../text/Sentences.ts"
import { cellsOf, isRule, rowText } from "../../text/Tables.ts"
import { type Clause, clausesIn, keysIn } from "./Clauses.ts"
import { type Quantity, quantitiesIn, readable } from "./Quantities.ts"

/*
 * An index of what a model was given for a reply: the clauses of passages and of results of tools by their words and
 * quantities.
 */

/** What is read of one text, in UTF-16 code units, and its most lines. */
const TEXT_MAX_LENGTH = 8_000
const LINES_MAX = 100
/** Beginning of a text that shows its language, in UTF-16 code units. */
const SAMPLE_LENGTH = 300
/** A clause of a text with its place: the lines of a text follow each other, and the clauses of a line. */
export interface Place extends Clause {
  readonly text: number
  readonly line: number
}

/** A quantity of a clause. */
export interface Written extends Quantity {
  readonly place: number
}

const FENCE = /^\s*(?:`{3,}|~{3,}).*$/gm
const LONG = new RegExp(`.{1,${SENTENCE_MAX_LENGTH}}(?=\\s|$)|.{1,${SENTENCE_MAX_LENGTH}}`, "gsu")

/** The sentences, headings and rows of a text, also of its code. What is longer than a sentence is cut. */
const sentencesIn = (text: BoundedText): ReadonlyArray<BoundedText> => {
  const blocks = blocksOf(bounded(text.replaceAll(FENCE, "")))
  let header: ReadonlyArray<string> = []
  return blocks
    .flatMap(({ kind, text }, at) => {
      if (kind !== "row") return sentencesOf(withoutMarks(text))
      if (isRule(text)) header = cellsOf(blocks[at - 1]?.text ?? "")
      return isRule(text) || isRule(blocks[at + 1]?.text) ? [] : [rowText(header, cellsOf(text)).replaceAll(": ", " ")]
    })
    .flatMap((sentence) => sentence.match(LONG) ?? [])
    .slice(0, LINES_MAX)
    .map((sentence) => bounded(sentence))
}

const push = <K, V>(lists: Map<K, Array<V>>, key: K, value: V): void => {
  const known = lists.get(key)
  if (known === undefined) lists.set(key, [value])
  else known.push(value)
}

export class Evidence {
  readonly places: Array<Place> = []
  /** The numbers that the user and the chatbot's owner have said. */
  readonly numbersSaid = new Set<number | string>()
  /** Languages of the texts, as far as they show one. */
  readonly languages = new Set<SpokenLanguage>()
  readonly byKind = new Map<string, Array<Written>>()
  private texts = 0
  private lines = 0
  private readonly holders = new Map<string, { readonly places: ReadonlyArray<number> | undefined }>()
  private readonly byValue = new Map<number | string, Array<Written>>()
  /** The places of all words, also of those that were only said. */
  private readonly placesByWord = new Map<string, Array<number>>()

  /** Adds a text that supports what it says. */
  add(content: string, spoken: ReadonlyArray<SpokenLanguage>): void {
    const text = bounded(content, TEXT_MAX_LENGTH)
    const language = languageShownIn(bounded(text.slice(0, SAMPLE_LENGTH)))
    if (language !== undefined) this.languages.add(language)
    const languages = Array.from(new Set([...(language === undefined ? [] : [language]), ...spoken]))
    for (const sentence of sentencesIn(text)) {
      for (const clause of clausesIn(sentence, languages)) {
        const place = this.places.length
        for (const quantity of clause.quantities) {
          const written = { ...quantity, place }
          for (const value of valuesOf(quantity)) push(this.byValue, value, written)
          if (quantity.kind !== undefined) push(this.byKind, quantity.kind, written)
        }
        for (const word of clause.words) push(this.placesByWord, word, place)
        this.places.push({ ...clause, text: this.texts, line: this.lines })
      }
      this.lines++
    }
    this.texts++
  }

  /** Adds a text whose words and numbers a reply may repeat. */
  addSaid(content: string, spoken: ReadonlyArray<SpokenLanguage>): void {
    const text = bounded(content, TEXT_MAX_LENGTH)
    for (const word of keysIn(text)) if (!this.placesByWord.has(word)) this.placesByWord.set(word, [])
    for (const quantity of quantitiesIn(readable(text), spoken))
      for (const value of valuesOf(quantity)) this.numbersSaid.add(value)
  }

  /** Where a quantity stands with the same unit, or with one of either that is not known. */
  writing(quantity: Quantity): ReadonlyArray<Written> {
    const found = new Set([...quantity.values, ...sizesOf(quantity)].flatMap((value) => this.byValue.get(value) ?? []))
    const sizes = sizesOf(quantity)
    return Array.from(found).filter((other) => {
      if (quantity.unit === undefined) return true
      if (other.unit === undefined) return other.kind === undefined || quantity.unit.kind === "time"
      return other.unit.name === quantity.unit.name || sizesOf(other).some((size) => sizes.includes(size))
    })
  }

  /** The clauses that hold a word or a form of it; undefined where nobody has said any. */
  holding(word: string): ReadonlyArray<number> | undefined {
    const known = this.holders.get(word)
    if (known !== undefined) return known.places
    const found = Array.from(this.placesByWord).filter(([other]) => word === other || similarity(word, other) > 0)
    const places = found.length === 0 ? undefined : Array.from(new Set(found.flatMap(([, places]) => places)))
    this.holders.set(word, { places })
    return places
  }
}

/** Sizes in the least unit of a kind, by which `90 minutes` are one and a half hours. */
const sizesOf = ({ unit, values }: Pick<Quantity, "unit" | "values">): ReadonlyArray<string> =>
  unit === undefined || unit.kind === "money"
    ? []
    : values.flatMap((value) =>
        typeof value === "number" ? [`${unit.kind} ${Number((value * unit.size).toPrecision(6))}`] : [],
      )

const valuesOf = (quantity: Quantity): ReadonlyArray<number | string> =>
  Array.from(new Set([...quantity.values, ...quantity.parts, ...sizesOf(quantity)]))
