import type { Unsupported } from "../../domain/chat/Grounding.ts"
import { locales, type SpokenLanguage } from "../../language/Locales.ts"
import type { Claim } from "./Claims.ts"
import { type Clause, clausesIn } from "./Clauses.ts"
import type { Evidence, Written } from "./Evidence.ts"
import { unknownNameIn } from "./UnknownNames.ts"
import type { Quantity } from "./Quantities.ts"

/*
 * Compares a claim with what the model was given: its quantities, its names, and what it denies. A quantity that stands
 * there may still be another's, and a denial, too: then a clause that says something else holds all the words of the
 * claim that its own clause holds, and more.
 */

/** Why a claim is not supported, as far as words can say. */
export type Verdict = Pick<Unsupported, "detail" | "reason">

/** The share of a claim's words, or of its signs of Chinese and Japanese, from which on no judge is needed. */
const SURE_SHARE = 0.7
const SURE_SIGNS = 0.9
/** The least share of a clause's words in one that denies it, and the other way round. */
const AGREEING_MIN = 0.7
const COVERED_MIN = 0.5
/** The least weight of the words that tell another clause from the claim's own. */
const TELLING_MIN = 0.4
/** Lower numbers may be written out, or count what follows, as in `There are three ways:`. */
const SMALL_MAX = 12
/** The lines before a quantity that may say whose it is. */
const LINES_BEFORE = 2
/** The most places of a word that tells anything. */
const COMMON_MAX = 500
/** The most places of a quantity, and of others of its kind, that are looked at, and of the best of both that are compared. */
const PLACES_MAX = 200
const COMPARED_MAX = 20
/** The most numbers of a reply from which a result may be computed. */
const OPERANDS_MAX = 12

/** Judges a claim. Undefined: it is supported. `unsure`: words cannot decide. Numbers of earlier claims may be added up. */
export const check = (
  claim: Claim,
  earlier: ReadonlyArray<Quantity>,
  evidence: Evidence,
  language: SpokenLanguage,
): Verdict | "unsure" | undefined => {
  const sentence = new Sentence(claim, evidence, language)
  const name = unknownNameIn(claim.text, language, evidence)
  return (
    sentence.wrongQuantity(earlier) ??
    (name === undefined
      ? sentence.denied()
      : sentence.clauses.some(({ isDenied }) => isDenied)
        ? "unsure"
        : ({ reason: "name", detail: name } as const)) ??
    (sentence.isKnown() ? undefined : "unsure")
  )
}

/** The words of a claim by what holds them: its words, and its quantities by their index. */
type Held = ReadonlySet<string>

class Sentence {
  private readonly claim: Claim
  private readonly evidence: Evidence
  private readonly language: SpokenLanguage
  readonly clauses: ReadonlyArray<Clause>
  private readonly quantities: ReadonlyArray<Quantity>
  private readonly held = new Map<number, Set<string>>()

  constructor(claim: Claim, evidence: Evidence, language: SpokenLanguage) {
    this.claim = claim
    this.evidence = evidence
    this.language = language
    this.clauses = clausesIn(claim.text, [language, ...evidence.languages])
    this.quantities = this.clauses.flatMap(({ quantities }) => quantities)
    for (const word of new Set(this.clauses.flatMap(({ words }) => words))) {
      const places = evidence.holding(word) ?? []
      if (places.length <= COMMON_MAX) for (const place of places) this.hold(place, word)
    }
    for (const quantity of this.quantities) {
      for (const { place, unit } of evidence.writing(quantity))
        if (unit?.name === quantity.unit?.name) this.hold(place, tagOf(quantity))
    }
  }

  private hold(place: number, word: string): void {
    const known = this.held.get(place)
    if (known === undefined) this.held.set(place, new Set([word]))
    else known.add(word)
  }

  /** Whether most of the words stand anywhere. */
  isKnown(): boolean {
    const words = Array.from(new Set(this.clauses.flatMap((clause) => clause.words)))
    const known = words.filter((word) => this.evidence.holding(word) !== undefined)
    const least = words.some((word) => /^\p{Script=Han}$/u.test(word)) ? SURE_SIGNS : SURE_SHARE
    return words.length < 2 || known.length >= least * words.length
  }

  wrongQuantity(earlier: ReadonlyArray<Quantity>): Verdict | "unsure" | undefined {
    let isUnsure = false
    for (const [at, clause] of this.clauses.entries()) {
      for (const quantity of clause.quantities) {
        const { isWord, text, unit, values } = quantity
        if (values[0] === 1 || values.some((value) => this.evidence.numbersSaid.has(value))) continue
        const written = this.written(quantity)
        if (written.length > 0 && !this.isOthers(quantity, at, written)) continue
        if (isComputed(quantity, [...earlier, ...this.quantities.filter((each) => each !== quantity)])) continue
        const small = isSmall(quantity)
        const isCount = written.length === 0 && small && unit === undefined && (isWord || this.claim.isLead)
        // Where numbers in letters are not known, a small one may be written so.
        if (isCount || (written.length === 0 && small && locales[this.language].claims === undefined)) isUnsure = true
        else return { reason: "number", detail: text }
      }
    }
    return isUnsure ? "unsure" : undefined
  }

  /** Where a quantity stands. A date may stand without its year, which stands elsewhere. */
  private written(quantity: Quantity): ReadonlyArray<Written> {
    const found = this.evidence.writing(quantity)
    if (found.length > 0 || quantity.kind !== "date") return found
    const parts = this.evidence.writing({ ...quantity, values: quantity.parts })
    const [days, years] = ["string", "number"].map((type) =>
      parts.filter(({ values: [value = ""] }) => typeof value === type && quantity.parts.includes(value)),
    )
    return years?.length === 0 ? [] : (days ?? [])
  }

  /** Whether the words beside a quantity belong to another one of its kind, wherever it stands. */
  private isOthers(quantity: Quantity, at: number, written: ReadonlyArray<Written>): boolean {
    const kind =
      quantity.unit?.kind ??
      (isSmall(quantity) ? undefined : written.find(({ unit }) => unit !== undefined)?.kind) ??
      quantity.kind
    if (kind === undefined) return false
    const own = new Set(
      this.around(this.clauses, at, kind, () => true).flatMap((each) => {
        const { quantities = [], words = [] } = this.clauses[each] ?? {}
        return [...words, ...quantities.filter((other) => other.kind !== kind && other.values[0] !== 1).map(tagOf)]
      }),
    )
    const textOf = (place: number) => this.evidence.places[place]?.text
    const places = new Set(written.map(({ place }) => place))
    const texts = new Set(written.map(({ place }) => textOf(place)))
    const rivals = (this.evidence.byKind.get(kind) ?? []).filter(
      (rival) =>
        !places.has(rival.place) &&
        !this.quantities.some(
          ({ unit, values }) =>
            (unit === undefined || unit.name === rival.unit?.name) &&
            values.some((value) => rival.values.includes(value) || rival.parts.includes(value)),
        ),
    )
    const ranked = (some: ReadonlyArray<Written>, withLines: boolean) =>
      some
        .slice(0, PLACES_MAX)
        .map(({ place }) => ({ place, held: this.heldAround(place, kind, withLines) }))
        .map((each) => ({ ...each, weight: this.weightOf(Array.from(own).filter((word) => each.held.has(word))) }))
        .sort((one, other) => other.weight - one.weight)
        .slice(0, COMPARED_MAX)
    // Those of the same texts first.
    const theirs = ranked([...rivals.filter(({ place }) => texts.has(textOf(place))), ...rivals], false)
    const ours = ranked(written, true)
    const bound = this.clauses[at]?.bound
    const isBound = ours.some(({ place, weight }) => {
      const other = this.evidence.places[place]?.bound
      return weight === ours[0]?.weight && (bound === undefined || other === undefined || bound === other)
    })
    return (
      !isBound ||
      ours.every(({ held, place }) =>
        theirs.some((rival) => this.isMore(rival.held, held, own, textOf(rival.place) === textOf(place))),
      )
    )
  }

  /** Whether one clause holds the words of the claim that another one holds, and more that tell it from that. */
  private isMore(one: Held, other: Held, words: Held, isSameText: boolean): boolean {
    const more = Array.from(words).filter((word) => one.has(word) && !other.has(word))
    const less = Array.from(words).filter((word) => other.has(word) && !one.has(word))
    return (isSameText || more.length > 1) && this.weightOf(more) >= 1.5 * this.weightOf(less) + TELLING_MIN
  }

  /** The rarer a word is in the evidence, the more it tells. */
  private weightOf(words: ReadonlyArray<string>): number {
    const places = (word: string) => (word.startsWith("#") ? undefined : this.evidence.holding(word)?.length)
    return words.reduce((sum, word) => sum + 1 / Math.sqrt(places(word) ?? 1), 0)
  }

  /** The words around a place of the evidence; also those of the lines before it, which may name its subject. */
  private heldAround(place: number, kind: string, withLines: boolean): Held {
    const { line = 0, text = 0 } = this.evidence.places[place] ?? {}
    const places = this.around(this.evidence.places, place, kind, (other, isBefore) => {
      const each = this.evidence.places[other]
      return each?.text === text && each.line <= line && each.line >= line - (withLines && isBefore ? LINES_BEFORE : 0)
    })
    const sizes = places.map(
      (each) => [this.held.get(each)?.size ?? 0, this.evidence.places[each]?.words.length ?? 0] as const,
    )
    // What says no more than whose the quantity is goes on with its line: `A costs 10, B 20`.
    if (sizes.some(([, all]) => all > 0) && sizes.every(([held, all]) => held >= all))
      for (let each = place - 1; this.evidence.places[each]?.line === line; each--) places.push(each)
    return new Set(places.flatMap((each) => Array.from(this.held.get(each) ?? [])))
  }

  /** The places around one until those with another quantity of its kind. */
  private around(
    clauses: ReadonlyArray<Clause>,
    at: number,
    kind: string,
    isNear: (place: number, isBefore: boolean) => boolean,
  ): Array<number> {
    const places = [at]
    for (const step of [-1, 1]) {
      for (let place = at + step; clauses[place] !== undefined && isNear(place, step < 0); place += step) {
        if (clauses[place]?.quantities.some((each) => each.kind === kind) === true) break
        places.push(place)
      }
    }
    return places
  }

  /** Whether a clause agrees with one of the evidence in its words and denies what that affirms, or the other way round. */
  denied(): Verdict | undefined {
    for (const { isDenied, isLimited, words } of this.clauses) {
      if (isLimited || words.length < 2) continue
      let [agreeing, denying] = [0, 0]
      for (const place of this.held.keys()) {
        const other = this.evidence.places[place]
        if (other === undefined) continue
        const held = this.held.get(place) ?? new Set()
        const before = this.evidence.places[place - 1]?.text === other.text ? this.held.get(place - 1) : undefined
        if (held.size + (before?.size ?? 0) < AGREEING_MIN * words.length) continue
        const count = (held: Held, others: Held = held) =>
          words.filter((word) => held.has(word) || others.has(word)).length
        // A clause may say its denial of what stands before it, as far as it names nothing else.
        const foreign = other.words.length - held.size
        const best = Math.max(count(held), before === undefined ? 0 : count(held, before) - Math.max(0, foreign))
        if (other.isLimited || other.isDenied === isDenied) agreeing = Math.max(agreeing, best)
        else if (count(held) >= COVERED_MIN * other.words.length) denying = Math.max(denying, best)
      }
      if (denying > agreeing && denying >= AGREEING_MIN * words.length) return { reason: "negation" }
    }
    return undefined
  }
}

const isSmall = ({ values }: Quantity): boolean =>
  values.every((value) => typeof value === "number" && value <= SMALL_MAX)

const tagOf = ({ start, text }: Quantity): string => `#${start} ${text}`

/** Whether a number is the sum, difference, product or quotient of others in the reply. */
const isComputed = (quantity: Quantity, others: ReadonlyArray<Quantity>): boolean => {
  const numbers = others.slice(-OPERANDS_MAX).flatMap(({ kind, unit, values }) => {
    const value = values.find((each) => typeof each === "number")
    return value === undefined || kind === "date"
      ? []
      : [{ value, isSame: unit === undefined || unit.name === quantity.unit?.name }]
  })
  const isShare = quantity.unit?.name === "percent"
  const isResult = (value: number, tolerance = 0.005) =>
    quantity.values.some((each) => typeof each === "number" && Math.abs(each - value) <= tolerance)
  const sames = numbers.flatMap(({ isSame, value }) => (isSame ? [value] : []))
  return (
    isResult(sames.reduce((total, value) => total + value, 0)) ||
    numbers.some(({ isSame, value }, at) =>
      numbers.some((other, index) => {
        if (at === index) return false
        const product = value * other.value
        return (
          (isSame && other.isSame && (isResult(value + other.value) || isResult(value - other.value))) ||
          [product, product / 100, value - product / 100, value + product / 100, value / other.value].some((each) =>
            isResult(each),
          ) ||
          (isShare && isResult((100 * value) / other.value, 0.5)) ||
          sames.some((each) => isResult(product + each))
        )
      }),
    )
  )
}
