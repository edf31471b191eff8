import type { ChildNode, Document, Element } from "domhandler"
import { findAll } from "domutils"
import { isNamedChrome, isNeverContent } from "./Chrome.ts"
import { isElement, isMain } from "./Elements.ts"
import { isLayout } from "./Html.ts"

/*
 * The main content of a web page: what is left without the parts whose elements, roles and names tell that they surround
 * it, narrowed down to the innermost element that has nearly all of its text, without the parts that are mainly links.
 * Each step is a walk over the tree, so that the time is linear in the page's size.
 */

export interface Content {
  readonly nodes: ReadonlyArray<ChildNode>
  /** The elements within it that are none of it. */
  readonly dropped: ReadonlySet<Element>
}

/** Characters of an element, with runs of white space as one, and without the parts that are left out. */
class Facts {
  text = 0
  linked = 0
  listed = 0

  add(other: Facts): void {
    this.text += other.text
    this.linked += other.linked
    this.listed += other.listed
  }

  /** Characters outside of links. */
  get plain(): number {
    return this.text - this.linked
  }
}

/** The share of the text outside of links that the main content has. */
const LEAST_SHARE = 0.75

/** With fewer characters outside of links, the form of a page tells nothing about its parts. */
const MIN_PLAIN = 200

/** What holds less than this share of the text outside of links is not the main content, even if its names tell so. */
const MIN_SHARE = 0.1

/** What holds less than this share of all text of the marked content leaves out too many links: less of a long one. */
const LINKS_SHARE = 0.4
const SHORT_LINKS_SHARE = 0.85

/** A part with a higher share of links is no prose, unless it is a list, or long. */
const MAX_LINKED_SHARE = 0.2
const PROSE_PLAIN = 500

/** A paragraph beside the main content that is as long is a part of it. */
const PARAGRAPH = 80

const containers = new Set("article body center div form main section table tbody td tr html".split(" "))
const removable = new Set("div fieldset form header ol section table ul".split(" "))

/** One attempt to find the main content, with or without regard to names. */
class Attempt {
  private readonly dropped = new Set<Element>()
  private readonly facts = new Map<Element, Facts>()
  private readonly usesNames: boolean

  constructor(usesNames: boolean) {
    this.usesNames = usesNames
  }

  /** The nodes of the main content, and the number of its characters outside of links. */
  find(document: Document): Content & { readonly plain: number } {
    const { dropped } = this
    const { plain } = this.walk(document.children, (element) => this.named(element))
    const named = new Set(dropped)
    const marked = findAll(isMain, document.children)
    const mains = marked.filter((element) => element.name !== "article")
    const isMarked = mains.length === 1 && this.plain(mains) >= MIN_SHARE * plain
    const nodes = isMarked ? mains : document.children
    if (plain < MIN_PLAIN) return { nodes, dropped, plain }
    const main = this.narrowed(nodes, this.plain(nodes) * LEAST_SHARE)
    const found = this.walk(main, (element) => this.shaped(element))
    const whole = isMarked ? mains[0] : marked.length === 1 ? marked[0] : undefined
    const most = whole === undefined ? undefined : this.facts.get(whole)
    // Where lists of links are most of what the page marks as its content, they are the content.
    const share = found.plain < PROSE_PLAIN ? SHORT_LINKS_SHARE : LINKS_SHARE
    if (whole !== undefined && most !== undefined && found.text < most.text * share)
      return { nodes: [whole], dropped: named, plain: most.plain }
    return { nodes: main, dropped, plain: found.plain }
  }

  /** The facts of nodes together, with those that a visitor has of the elements that it does not drop. */
  private walk(nodes: ReadonlyArray<ChildNode>, visit: (element: Element) => Facts | undefined): Facts {
    const sum = new Facts()
    for (const node of nodes) {
      if (node.type === "text") {
        const text = node.data.replace(/\s+/g, " ")
        sum.text += text === " " ? 0 : text.length
      } else if (isElement(node) && !this.dropped.has(node)) {
        const facts = visit(node)
        if (facts === undefined) this.dropped.add(node)
        else sum.add(facts)
      }
    }
    return sum
  }

  private factsOf({ attribs, children, name }: Element, visit: (element: Element) => Facts | undefined): Facts {
    const facts = this.walk(children, visit)
    // A link to a place on the same page is no way out of it.
    if (name === "a" && attribs["href"]?.startsWith("#") !== true) facts.linked = facts.text
    if (name === "ul" || name === "ol") facts.listed = facts.text
    return facts
  }

  /** The facts of an element; undefined where its name, its role or its classes tell that it is no content. */
  private named(element: Element, isCode = false): Facts | undefined {
    if (isNeverContent(element)) return undefined
    const facts = this.factsOf(element, (child) => this.named(child, isCode || element.name === "pre"))
    this.facts.set(element, facts)
    // The parts of code have names as well, such as `comment`.
    const isChrome = this.usesNames && !isCode && isNamedChrome(element, facts)
    return isChrome ? undefined : facts
  }

  /** The facts of an element; undefined where it has too little prose for what else it holds. */
  private shaped(element: Element): Facts | undefined {
    const { name } = element
    if (/^(?:figure|pre)$/.test(name) || (name === "table" && !isLayout(element))) return this.facts.get(element)
    const facts = this.factsOf(element, (child) => this.shaped(child))
    return isCluttered(element, facts) ? undefined : facts
  }

  /** Characters of nodes outside of links. */
  private plain(nodes: ReadonlyArray<ChildNode>): number {
    const plains = nodes.map((node) => (isElement(node) && !this.dropped.has(node) ? this.facts.get(node)?.plain : 0))
    return plains.reduce<number>((sum, plain = 0) => sum + plain, 0)
  }

  /** The innermost nodes with at least as many characters outside of links, and those around them that are alike. */
  private narrowed(nodes: ReadonlyArray<ChildNode>, least: number): ReadonlyArray<ChildNode> {
    const main = nodes.find((node) => this.plain([node]) >= least)
    if (main === undefined || !isElement(main) || !containers.has(main.name)) return nodes
    const inner = this.narrowed(main.children, least)
    return nodes.flatMap((node) => (node === main ? inner : this.isAlike(main, node) ? [node] : []))
  }

  /** Whether a node beside the main content is a part of it: one with the same classes, or a paragraph. */
  private isAlike({ attribs }: Element, node: ChildNode): boolean {
    if (!isElement(node) || this.dropped.has(node)) return false
    const { linked = 0, text = 0 } = this.facts.get(node) ?? {}
    const hasClass = attribs["class"] !== undefined && attribs["class"] === node.attribs["class"]
    return (hasClass || node.name === "p") && text > PARAGRAPH && linked < text * MAX_LINKED_SHARE
  }
}

const isCluttered = (element: Element, { linked, listed, plain, text }: Facts): boolean =>
  removable.has(element.name) && plain < PROSE_PLAIN && linked > text * MAX_LINKED_SHARE && listed <= text * 0.9

/** Finds the main content of a page. */
export const mainContent = (document: Document): Content => {
  const [named, unnamed] = [new Attempt(true).find(document), new Attempt(false).find(document)]
  return named.plain < MIN_SHARE * unnamed.plain ? unnamed : named
}
