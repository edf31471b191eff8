import type { ChildNode, Document, Element } from "domhandler"
import { findOne } from "domutils"
import { isNamedChrome, isNeverContent, weightOf } from "./Chrome.ts"
import { inlineElements, isElement, isLayout } from "./Html.ts"

/*
 * The main content of a web page. Paragraphs give points to the elements around them; the element with most points, less
 * the share of its text that is links, is the content, together with siblings that are like it. Then parts of it that
 * have more links, fields and pictures than sentences are left out. Every step is a walk over the tree, so that the time
 * is linear in the size of the page.
 */

/** What an element holds, without the parts that are left out. */
class Facts {
  /** Characters of text, with runs of white space as one. */
  text = 0
  /** Characters of text within links. */
  linked = 0
  commas = 0
  paragraphs = 0
  images = 0
  items = 0
  inputs = 0
  /** Characters of headings, and of lists. */
  headed = 0
  listed = 0
  hasBlock = false

  add(other: Facts): void {
    this.text += other.text
    this.linked += other.linked
    this.commas += other.commas
    this.paragraphs += other.paragraphs
    this.images += other.images
    this.items += other.items
    this.inputs += other.inputs
    this.headed += other.headed
    this.listed += other.listed
    this.hasBlock ||= other.hasBlock
  }

  get linkDensity(): number {
    return this.text === 0 ? 0 : this.linked / this.text
  }
}

/** The main content of a page. */
export interface Content {
  readonly nodes: ReadonlyArray<ChildNode>
  /** The elements within it that are none of it. */
  readonly dropped: ReadonlySet<Element>
}

/** How much of a page is left out. */
interface Strictness {
  /** Whether parts whose names tell that they are no content are left out. */
  readonly names: boolean
  /** Whether parts with more links, fields and pictures than sentences are left out. */
  readonly shape: boolean
}

const ATTEMPTS: ReadonlyArray<Strictness> = [
  { names: true, shape: true },
  { names: false, shape: true },
  { names: false, shape: false },
]

/** With fewer characters, a less strict attempt may find more. */
const ENOUGH_TEXT = 500

/** The fewest characters of a paragraph that counts. */
const MIN_PARAGRAPH = 25

/** A paragraph gives points to this many elements around it. */
const MAX_LEVELS = 5

const COMMAS = /[,،、，﹐﹑︐︑⸲⸴；;。]/g

const paragraphLike = new Set(["p", "pre", "td", "section", "h2", "h3", "h4", "h5", "h6"])
const cleanable = new Set(["form", "fieldset", "table", "ul", "ol", "div", "section", "aside", "header", "footer"])
const listLike = new Set(["ul", "ol"])

const elementPoints = (name: string): number => {
  if (name === "div" || name === "article" || name === "main") return 5
  if (name === "pre" || name === "td" || name === "blockquote") return 3
  if (/^(?:address|ol|ul|dl|dd|dt|li|form)$/.test(name)) return -3
  return /^(?:h[1-6]|th)$/.test(name) ? -5 : 0
}

const parentElement = ({ parent }: ChildNode): Element | undefined =>
  parent !== null && "attribs" in parent ? (parent as Element) : undefined

/** One attempt to find the main content. */
class Attempt {
  readonly dropped = new Set<Element>()
  private readonly facts = new Map<Element, Facts>()
  private readonly points = new Map<Element, number>()
  private readonly strictness: Strictness

  constructor(strictness: Strictness) {
    this.strictness = strictness
  }

  /** Measures nodes and drops what is no content. With `cleans`, parts are also dropped by their shape. */
  measure(nodes: ReadonlyArray<ChildNode>, cleans: boolean, isKept = false): Facts {
    const sum = new Facts()
    for (const node of nodes) {
      if (isElement(node)) {
        const facts = this.element(node, cleans, isKept)
        if (facts !== undefined) sum.add(facts)
      } else if (node.type === "text" && "data" in node) {
        const text = node.data.replace(/\s+/g, " ")
        sum.text += text === " " ? 0 : text.length
        sum.commas += text.match(COMMAS)?.length ?? 0
      }
    }
    return sum
  }

  private element(element: Element, cleans: boolean, isKept: boolean): Facts | undefined {
    const { name } = element
    if (this.dropped.has(element)) return undefined
    // Encyclopedias have formulas as hidden MathML, and as pictures that are hidden from screen readers.
    if (name === "img" && /\bmwe-math/.test(element.attribs["class"] ?? "")) delete element.attribs["aria-hidden"]
    if (!cleans && this.isChrome(element)) {
      this.dropped.add(element)
      return undefined
    }
    const keepsAll =
      isKept || name === "figure" || name === "code" || name === "pre" || (name === "table" && !isLayout(element))
    const facts = this.measure(element.children, cleans, keepsAll)
    if (cleans && !isKept && this.isCluttered(element, facts)) {
      this.dropped.add(element)
      return undefined
    }
    if (!cleans) this.givePoints(element, facts)
    if (name === "a") facts.linked = facts.text * (element.attribs["href"]?.startsWith("#") === true ? 0.3 : 1)
    else if (name === "p") facts.paragraphs++
    else if (name === "img") facts.images++
    else if (name === "li") facts.items++
    else if (name === "input" || name === "select" || name === "textarea") facts.inputs++
    else if (/^h[1-6]$/.test(name)) facts.headed = facts.text
    else if (listLike.has(name)) facts.listed = facts.text
    facts.hasBlock ||= !inlineElements.has(name)
    this.facts.set(element, facts)
    return facts
  }

  private isChrome(element: Element): boolean {
    if (element.name === "body" || element.name === "html") return false
    if (isNeverContent(element)) return true
    return this.strictness.names && element.name !== "a" && isNamedChrome(element)
  }

  private givePoints(element: Element, facts: Facts): void {
    const { name } = element
    const isDiv = name === "div" && !facts.hasBlock
    if (facts.text < MIN_PARAGRAPH || !(isDiv || paragraphLike.has(name))) return
    const points = 2 + facts.commas + Math.min(3, Math.floor(facts.text / 100))
    let around = parentElement(element)
    for (let level = 0; level < MAX_LEVELS && around !== undefined; level++) {
      const share = level === 0 ? 1 : level === 1 ? 1 / 2 : 1 / (level * 3)
      const before = this.points.get(around) ?? elementPoints(around.name) + this.weightOf(around)
      this.points.set(around, before + points * share)
      around = parentElement(around)
    }
  }

  private weightOf(element: Element): number {
    return this.strictness.names ? weightOf(element) : 0
  }

  private score(element: Element): number {
    return (this.points.get(element) ?? 0) * (1 - (this.facts.get(element)?.linkDensity ?? 0))
  }

  /** The element that has the main content, and nothing else if it can. */
  private best(): Element | undefined {
    const scored = Array.from(this.points.keys(), (element) => ({ element, score: this.score(element) }))
    const top = scored.toSorted((a, b) => b.score - a.score).slice(0, 5)
    const first = top[0]
    if (first === undefined) return undefined
    return this.widened(
      this.shared(
        first.element,
        top.filter(({ score }) => score >= first.score * 0.75).map(({ element }) => element),
      ),
    )
  }

  /** The nearest element around the best that is also around three others that are nearly as good. */
  private shared(best: Element, alike: ReadonlyArray<Element>): Element {
    const ancestors = (element: Element) => {
      const all = new Set<Element>()
      for (let each = parentElement(element); each !== undefined; each = parentElement(each)) all.add(each)
      return all
    }
    const others = alike.slice(1).map(ancestors)
    if (others.length < 3) return best
    for (const ancestor of ancestors(best)) {
      if (ancestor.name === "body") break
      if (others.filter((all) => all.has(ancestor)).length >= 3) return ancestor
    }
    return best
  }

  /** Goes up from an element as long as the elements around it have more points, or nothing else. */
  private widened(start: Element): Element {
    let best = start
    let last = this.points.get(best) ?? 0
    const least = last / 3
    for (
      let around = parentElement(best);
      around !== undefined && around.name !== "body";
      around = parentElement(around)
    ) {
      const points = this.points.get(around)
      if (points === undefined) continue
      if (points < least) break
      if (points > last) {
        best = around
        break
      }
      last = points
    }
    for (let around = parentElement(best); around !== undefined; around = parentElement(around)) {
      const others = around.children.some((node) => node !== best && isElement(node) && !this.dropped.has(node))
      if (others || around.name === "body" || around.name === "html") break
      best = around
    }
    return best
  }

  /** The best element and its siblings that are like it. */
  private withSiblings(best: Element): ReadonlyArray<ChildNode> {
    const siblings = best.parent?.children ?? [best]
    const points = this.score(best)
    const least = Math.max(10, points * 0.2)
    const isAlike = (node: ChildNode): boolean => {
      if (node === best) return true
      if (!isElement(node) || this.dropped.has(node)) return false
      const facts = this.facts.get(node) ?? new Facts()
      const hasSameClass = (best.attribs["class"] ?? "") !== "" && node.attribs["class"] === best.attribs["class"]
      if (this.points.has(node) && this.score(node) + (hasSameClass ? points * 0.2 : 0) >= least) return true
      return node.name === "p" && (facts.text > 80 ? facts.linkDensity < 0.25 : facts.text > 0 && facts.linked === 0)
    }
    return siblings.filter(isAlike)
  }

  /** Whether a part of the content has too little text for what else it holds. */
  private isCluttered(element: Element, facts: Facts): boolean {
    const { name } = element
    if (name === "footer" || name === "aside") return true
    if (!cleanable.has(name) || (name === "table" && !isLayout(element))) return false
    const weight = this.weightOf(element)
    if (weight < 0) return true
    if (facts.commas >= 10) return false
    const { headed, images, inputs, items, linkDensity, listed, paragraphs, text } = facts
    const isList = listLike.has(name) || listed / Math.max(text, 1) > 0.9
    return (
      (images > 1 && paragraphs / images < 0.5) ||
      (!isList && items - 100 > paragraphs) ||
      inputs > Math.floor(paragraphs / 3) ||
      (!isList && headed / Math.max(text, 1) < 0.9 && text < 25 && (images === 0 || images > 2) && linkDensity > 0) ||
      (!isList && weight < 25 && linkDensity > 0.2) ||
      (weight >= 25 && linkDensity > 0.5)
    )
  }

  /** The nodes of the main content, and how many characters of text they have. */
  run(document: Document): { readonly nodes: ReadonlyArray<ChildNode>; readonly text: number } {
    const body = findOne((element) => element.name === "body", document.children)?.children ?? document.children
    this.measure(document.children, false)
    const best = this.best()
    const nodes = best === undefined || best.name === "body" || best.name === "html" ? body : this.withSiblings(best)
    return { nodes, text: this.measure(nodes, this.strictness.shape).text }
  }
}

/** The nodes of a page that are its main content. */
export const mainContent = (document: Document): Content => {
  let found: Content & { readonly text: number } = { nodes: [], dropped: new Set(), text: -1 }
  for (const strictness of ATTEMPTS) {
    const attempt = new Attempt(strictness)
    const { nodes, text } = attempt.run(document)
    if (text > found.text) found = { nodes, text, dropped: attempt.dropped }
    if (text >= ENOUGH_TEXT) break
  }
  return found
}
