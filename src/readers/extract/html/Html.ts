import { type ChildNode, type Document, DomHandler, type Element } from "domhandler"
import { existsOne, findOne, textContent } from "domutils"
import { Parser, type ParserOptions } from "htmlparser2"
import { decodeText } from "../Decode.ts"
import { type Draft, Unreadable } from "../Extraction.ts"
import { inlineElements, isElement, isHidden, skippedElements } from "./Elements.ts"
import { unfold } from "./Folded.ts"
import { cellElements, rowElements, SpanBudget, tableRows } from "./HtmlTable.ts"
import { markdownLink } from "../Link.ts"
import { titledTable } from "../Table.ts"
import { oneLine } from "../Text.ts"

/** The deepest nesting that is read. Browsers stop at 512 as well. */
const MAX_DEPTH = 512

/** Lists and quotes that are nested deeper are not indented, because their indentation would outgrow their text. */
const MAX_INDENTS = 12

/** Whether a table only arranges the page: its role says so, it has one column, or it has tables within. */
export const isLayout = (table: Element): boolean =>
  ["presentation", "none"].includes(table.attribs["role"] ?? "") ||
  rowElements(table).every((row) => cellElements(row).length <= 1) ||
  existsOne((element) => element.name === "table", table.children)

const codeLanguage = (pre: Element): string => {
  const code = pre.children.find((node): node is Element => isElement(node) && node.name === "code")
  return (
    /\b(?:language|lang|highlight-source)-([\w+#-]+)/.exec(
      `${pre.attribs["class"] ?? ""} ${code?.attribs["class"] ?? ""}`,
    )?.[1] ?? ""
  )
}

/** Writes an element's children as Markdown blocks. Each list item, quote and cell gets a writer of its own. */
export class Writer {
  readonly blocks: Array<string> = []
  private line = ""
  private endsInSpace = true
  private readonly budget: SpanBudget
  private readonly indents: number

  constructor(budget: SpanBudget, indents = 0) {
    this.budget = budget
    this.indents = indents
  }

  static blocksOf(nodes: ReadonlyArray<ChildNode>, budget: SpanBudget, indents = 0): ReadonlyArray<string> {
    const writer = new Writer(budget, indents)
    writer.nodes(nodes)
    writer.flush()
    return writer.blocks
  }

  private inner(element: Element): ReadonlyArray<string> {
    return Writer.blocksOf(element.children, this.budget, this.indents + 1)
  }

  private textOf(element: Element): string {
    return oneLine(this.inner(element).join(" "))
  }

  private flush(): void {
    const text = this.line.replace(/ ?\n ?/g, "\n").trim()
    if (text !== "") this.blocks.push(text)
    this.line = ""
    this.endsInSpace = true
  }

  private block(text: string): void {
    this.flush()
    if (text !== "") this.blocks.push(text)
  }

  nodes(nodes: ReadonlyArray<ChildNode>): void {
    for (const node of nodes) {
      if (isElement(node)) this.element(node)
      else if ("data" in node && node.type === "text") this.words(node.data)
    }
  }

  /** Appends text with each run of white space as one space, and none at the start of a line. */
  private words(text: string): void {
    const spaced = text.replace(/\s+/g, " ")
    const words = this.endsInSpace ? spaced.trimStart() : spaced
    if (words === "") return
    this.line += words
    this.endsInSpace = words.endsWith(" ")
  }

  private lineBreak(): void {
    this.line += "\n"
    this.endsInSpace = true
  }

  private element(element: Element): void {
    const { name } = element
    if (skippedElements.has(name) || isHidden(element)) return
    if (name === "br") this.lineBreak()
    else if (name === "img") this.words(element.attribs["alt"] ?? "")
    else if (name === "code" || name === "kbd" || name === "samp") this.words(quoteCode(textContent(element)))
    else if (name === "a") this.link(element)
    else if (inlineElements.has(name)) this.nodes(element.children)
    else this.blockElement(element)
  }

  /** Keeps only absolute addresses, because the page's own address is not known here. */
  private link(element: Element): void {
    const [from, blocks] = [this.line.length, this.blocks.length]
    this.nodes(element.children)
    // A link around blocks cannot be written in Markdown.
    if (this.blocks.length > blocks) return
    const text = this.line.slice(from)
    const written = markdownLink(text.trim(), element.attribs["href"] ?? "")
    this.line = this.line.slice(0, from) + text.replace(text.trim(), () => written)
  }

  private blockElement(element: Element): void {
    const { name } = element
    if (/^h[1-6]$/.test(name)) {
      const text = this.textOf(element)
      this.block(text === "" ? "" : `${"#".repeat(Number(name.slice(1)))} ${text}`)
    } else if (name === "pre" || name === "listing") this.block(fenced(textContent(element), codeLanguage(element)))
    else if (name === "table") this.table(element)
    else if (this.indents < MAX_INDENTS && (name === "ul" || name === "ol" || name === "menu")) this.list(element)
    else if (this.indents < MAX_INDENTS && name === "dl") this.definitions(element)
    else if (this.indents < MAX_INDENTS && name === "blockquote") {
      this.block(prefixed(this.inner(element).join("\n\n"), "> ", "> "))
    } else {
      this.flush()
      this.nodes(element.children)
      this.flush()
    }
  }

  private list(list: Element): void {
    const items = list.children
      .filter((node) => isElement(node))
      .filter((element) => !isHidden(element) && !skippedElements.has(element.name))
    const numbers = list.name === "ol" ? numbersOf(list, items) : []
    const written = items.flatMap((element, index) => {
      const text = Writer.blocksOf([element], this.budget, this.indents + 1).join("\n")
      const marker = numbers[index] === undefined ? "- " : `${numbers[index]}. `
      return text === "" ? [] : [item(text, marker, "  ")]
    })
    this.block(written.join("\n"))
  }

  /** Writes terms as items of a list, and their definitions as items below them. */
  private definitions(list: Element): void {
    const lines: Array<string> = []
    const add = (nodes: ReadonlyArray<ChildNode>) => {
      for (const node of nodes) {
        if (!isElement(node) || isHidden(node)) continue
        if (node.name === "div") add(node.children)
        const text = node.name === "div" ? "" : this.inner(node).join("\n")
        if (text !== "") lines.push(node.name === "dd" ? item(text, "  - ", "    ") : item(text, "- ", "  "))
      }
    }
    add(list.children)
    this.block(lines.join("\n"))
  }

  private table(table: Element): void {
    this.flush()
    if (isLayout(table)) {
      this.nodes(table.children)
      return this.flush()
    }
    const caption = table.children.find((node): node is Element => isElement(node) && node.name === "caption")
    if (caption !== undefined) this.block(this.textOf(caption))
    const { marked, rows } = tableRows(table, (cell) => this.textOf(cell), this.budget)
    if (rows.length > 0) this.block(titledTable(rows, marked))
  }
}

/** The numbers of a list's items, as its attributes and those of the items say; items without text have numbers, too. */
const numbersOf = ({ attribs }: Element, items: ReadonlyArray<Element>): ReadonlyArray<number> => {
  const numberIn = (text = "") => /^\s*(-?\d{1,9})/.exec(text)?.[1]
  const step = "reversed" in attribs ? -1 : 1
  let next = Number(numberIn(attribs["start"]) ?? (step < 0 ? items.length : 1))
  return items.map((element) => {
    const number = Number(numberIn(element.attribs["value"]) ?? next)
    next = number + step
    return number
  })
}

/** Writes an item with its marker, or with only its indentation when it is itself a list or numbers itself. */
const item = (text: string, marker: string, indent: string) =>
  prefixed(text, /^(?:-|\d{1,3}[.)]) /.test(text) ? indent : marker, indent)

const prefixed = (text: string, first: string, others: string): string =>
  text
    .split("\n")
    .map((line, index) => (index === 0 ? first : line === "" ? others.trimEnd() : others) + line)
    .join("\n")

const quoteCode = (text: string) => {
  const code = oneLine(text)
  return code === "" || code.includes("`") ? code : `\`${code}\``
}

/** Writes code between fences that are longer than any within it; empty without code. */
export const fenced = (text: string, language: string): string => {
  const code = text.replace(/^\s*\n/, "").trimEnd()
  if (code === "") return ""
  const marks = (code.match(/`{3,}/g) ?? []).reduce((longest, run) => Math.max(longest, run.length + 1), 3)
  const fence = "`".repeat(marks)
  return `${fence}${language}\n${code}\n${fence}`
}

/** Builds the tree of a page, and throws on nesting that the recursive writer should not enter. */
class BoundedHandler extends DomHandler {
  override onopentag(name: string, attributes: Record<string, string>): void {
    super.onopentag(name, attributes)
    if (this.tagStack.length > MAX_DEPTH) {
      throw new Unreadable("corrupt_document", `The page is nested more than ${MAX_DEPTH} levels deep.`)
    }
  }
}

export const parseDocument = (text: string, options?: ParserOptions): Document => {
  const handler = new BoundedHandler()
  new Parser(handler, options).end(text)
  return handler.root
}

/** The encoding that a page declares in its first bytes, where browsers look for it. */
export const declaredEncoding = (bytes: Uint8Array): string | undefined =>
  /<meta[^>]{0,200}charset\s*=\s*["']?([\w-]+)/i.exec(new TextDecoder("latin1").decode(bytes.subarray(0, 2048)))?.[1]

const titleOf = (document: Document): string | undefined => {
  const byName = (name: string) => findOne((element) => element.name === name, document.children)
  const title = byName("title") ?? byName("h1")
  return title === null ? undefined : textContent(title)
}

/** Writes a page as Markdown, with what it folds, without scripts, styles, navigation and hidden elements. */
export const htmlText = (
  page: string,
  options?: ParserOptions,
): { readonly title: string | undefined; readonly text: string } => {
  const document = parseDocument(page, options)
  unfold(document)
  return { title: titleOf(document), text: Writer.blocksOf(document.children, new SpanBudget()).join("\n\n") }
}

/** Reads HTML into Markdown. */
export const html = (bytes: Uint8Array): Draft => htmlText(decodeText(bytes, declaredEncoding(bytes)))
