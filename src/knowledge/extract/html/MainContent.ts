import type { ChildNode, Document, Element } from "domhandler"
import { findAll, findOne } from "domutils"
import { isNamedChrome, isNeverContent, weightOf } from "./Chrome.ts"
import { isElement, isLayout } from "./Html.ts"

/*
 * The main content of a web page: what is left without the parts whose elements, roles and names tell that they surround
 * it, narrowed down to the innermost element that has nearly all of its text, without the parts that have more links,
 * fields and pictures than sentences. Each step is a walk over the tree, so that the time is linear in the page's size.
 */

/** The main content of a page. */
export interface Content {
  readonly nodes: ReadonlyArray<ChildNode>
  /** The elements within it that are none of it. */
  readonly dropped: ReadonlySet<Element>
  /** The headings of the first level that may be the title, also above the content. */
  readonly headings: ReadonlyArray<Element>
}

/** What an element holds, without the parts that are left out. */
class Facts {
  /** Characters of text, with runs of white space as one. */
  text = 0
  /** Characters of text in links. */
  linked = 0
  commas = 0
  paragraphs = 0
  images = 0
  items = 0
  inputs = 0
  /** Characters of text in headings, and in lists. */
  headed = 0
  listed = 0

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
  }

  /** Characters of text outside of links. */
  get plain(): number {
    return this.text - this.linked
  }
}

/** The share of the text outside of links that the main content has. */
const MAIN_SHARE = 0.8

/** With fewer characters outside of links, the form of a page tells nothing about its parts. */
const MIN_PLAIN = 200

/** When names leave less than this share of the text, they do not mean what they mean elsewhere. */
const MIN_NAMED_SHARE = 0.25

/** A link to a place on the same page counts less, because headings are such links. */
const FRAGMENT_SHARE = 0.3

/** A part with as many commas is prose, whatever else it holds. */
const PROSE_COMMAS = 10

const COMMAS = /[,،、，﹐﹑︐︑⸲⸴]/g

const containers = new Set("article body center div form main section table tbody td tr html".split(" "))
const removable = new Set("div fieldset form header ol section table ul".split(" "))

/** One attempt to find the main content, with or without regard to names. */
class Attempt {
  private readonly dropped = new Set<Element>()
  private readonly headings: Array<Element> = []
  private readonly facts = new Map<Element, Facts>()
  private readonly usesNames: boolean

  constructor(usesNames: boolean) {
    this.usesNames = usesNames
  }

  /** The nodes of the main content, and the number of its characters outside of links. */
  find(document: Document): Content & { readonly plain: number } {
    const { dropped, headings } = this
    const { plain } = this.walk(document.children, (element) => this.named(element))
    const mains = findAll(({ attribs, name }) => name === "main" || attribs["role"] === "main", document.children)
    const body = findOne(({ name }) => name === "body", document.children)?.children ?? document.children
    const nodes = mains.length === 1 ? mains : body
    if (plain < MIN_PLAIN) return { nodes, dropped, headings, plain }
    const main = this.narrowed(nodes)
    return { nodes: main, dropped, headings, plain: this.walk(main, (element) => this.shaped(element)).plain }
  }

  /** The facts of nodes together, with those that a visitor has of the elements that it does not drop. */
  private walk(nodes: ReadonlyArray<ChildNode>, visit: (element: Element) => Facts | undefined): Facts {
    const sum = new Facts()
    for (const node of nodes) {
      if (node.type === "text") {
        const text = node.data.replace(/\s+/g, " ")
        sum.text += text === " " ? 0 : text.length
        sum.commas += text.match(COMMAS)?.length ?? 0
      } else if (isElement(node) && !this.dropped.has(node)) {
        const facts = visit(node)
        if (facts === undefined) this.dropped.add(node)
        else sum.add(facts)
      }
    }
    return sum
  }

  /** The facts of an element; undefined where its name, its role or its classes tell that it is no content. */
  private named(element: Element): Facts | undefined {
    if (isNeverContent(element) || (this.usesNames && isNamedChrome(element))) return undefined
    if (element.name === "h1") this.headings.push(element)
    const facts = ownFacts(
      element,
      this.walk(element.children, (child) => this.named(child)),
    )
    this.facts.set(element, facts)
    return facts
  }

  /** The facts of an element; undefined where it has too little prose for what else it holds. */
  private shaped(element: Element): Facts | undefined {
    if (/^(?:figure|pre)$/.test(element.name) || (element.name === "table" && !isLayout(element))) {
      return this.facts.get(element)
    }
    const facts = ownFacts(
      element,
      this.walk(element.children, (child) => this.shaped(child)),
    )
    return removable.has(element.name) && this.isCluttered(element, facts) ? undefined : facts
  }

  /** The innermost nodes that have nearly all text outside of links. */
  private narrowed(nodes: ReadonlyArray<ChildNode>): ReadonlyArray<ChildNode> {
    const plain = (node: ChildNode) => (isElement(node) ? (this.facts.get(node)?.plain ?? 0) : 0)
    const least = MAIN_SHARE * nodes.reduce((sum, node) => sum + plain(node), 0)
    let inner = nodes
    for (;;) {
      const main = inner.find((node) => plain(node) >= least)
      if (main === undefined || !isElement(main) || !containers.has(main.name)) return inner
      inner = main.children
    }
  }

  private isCluttered(element: Element, facts: Facts): boolean {
    const weight = this.usesNames ? weightOf(element) : 0
    if (weight < 0) return true
    const { commas, headed, images, inputs, items, linked, listed, paragraphs, text } = facts
    if (commas >= PROSE_COMMAS) return false
    const linkDensity = linked / Math.max(text, 1)
    if ((images > 1 && paragraphs / images < 0.5) || inputs > Math.floor(paragraphs / 3)) return true
    if (linkDensity > (weight > 0 ? 0.5 : 0.2) && (weight > 0 || listed <= text * 0.9)) return true
    const isList = element.name === "ul" || element.name === "ol" || listed > text * 0.9
    return (
      !isList &&
      (items - 100 > paragraphs || (headed < text * 0.9 && text < 25 && images !== 1 && images !== 2 && linked > 0))
    )
  }
}

/** Adds to the facts of an element's children what it is itself. */
const ownFacts = ({ attribs, name }: Element, facts: Facts): Facts => {
  if (name === "a") facts.linked = facts.text * (attribs["href"]?.startsWith("#") === true ? FRAGMENT_SHARE : 1)
  else if (name === "p") facts.paragraphs++
  else if (name === "img") facts.images++
  else if (name === "li") facts.items++
  else if (name === "input" || name === "select" || name === "textarea") facts.inputs++
  else if (name === "ul" || name === "ol") facts.listed = facts.text
  else if (/^h[1-6]$/.test(name)) facts.headed = facts.text
  return facts
}

/** Finds the main content of a page. */
export const mainContent = (document: Document): Content => {
  const [named, unnamed] = [new Attempt(true).find(document), new Attempt(false).find(document)]
  return named.plain < MIN_NAMED_SHARE * unnamed.plain ? unnamed : named
}
