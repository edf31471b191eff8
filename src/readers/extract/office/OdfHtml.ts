import type { Omitted } from "../Extraction.ts"
import { oneLine } from "../Text.ts"
import { allOf, childOf, childrenOf, descend, elementsOf, textOf, type XmlElement } from "./Xml.ts"

/** Writes text as it stands in HTML, also between quotation marks. */
const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)

/** The key of a style of one kind, such as `style:style`. */
export const styleKey = (kind: string, name = ""): string => `${kind} ${name}`

/** Elements that are no text of the document: deletions, comments, contents, and declarations. */
const skipped = new Set(
  "text:tracked-changes office:annotation text:table-of-content office:forms text:sequence-decls text:variable-decls text:user-field-decls table:tracked-changes office:event-listeners text:ruby-text presentation:notes svg:title svg:desc table:covered-table-cell".split(
    " ",
  ),
)

/** Writes elements of OpenDocument as HTML, whose reader knows lists, tables and links. */
export class OdfHtml {
  private readonly styles: ReadonlyMap<string, XmlElement>
  private readonly objectAt: (path: string) => XmlElement | undefined
  readonly omitted: Omitted
  private notes: Array<string> = []

  /**
   * @param styles all styles, by the keys of `styleKey`
   * @param objectAt the content of an object within the document, such as a chart, by its path
   */
  constructor(
    styles: ReadonlyMap<string, XmlElement>,
    objectAt: (path: string) => XmlElement | undefined,
    omitted: Omitted,
  ) {
    this.styles = styles
    this.objectAt = objectAt
    this.omitted = omitted
  }

  /** Writes the content of an element. `style` and `level` are those of the list around it. */
  content({ children }: XmlElement, style = "", level = 0, cell = "td"): string {
    return children
      .map((child) => (typeof child === "string" ? escapeHtml(child) : this.element(child, style, level, cell)))
      .join("")
  }

  /** Writes an element, and the notes of a paragraph after it. */
  element(element: XmlElement, style = "", level = 0, cell = "td"): string {
    const { attributes, name } = element
    if (skipped.has(name)) return ""
    const inner = () => this.content(element, style, level, cell)
    switch (name) {
      case "text:p":
      case "text:h": {
        const tag = name === "text:p" ? "p" : `h${Math.min(Number(attributes["text:outline-level"]) || 1, 6)}`
        const text = `<${tag}>${inner()}</${tag}>`
        const notes = this.notes.splice(0)
        return text + notes.map((note) => `<p>${note}</p>`).join("")
      }
      case "text:s":
      case "text:tab":
        return " "
      case "text:line-break":
        return "<br>"
      case "text:a":
        return `<a href="${escapeHtml(attributes["xlink:href"] ?? "")}">${inner()}</a>`
      case "text:note":
        return this.note(element)
      case "text:list":
        return this.list(element, attributes["text:style-name"] ?? style, level + 1)
      case "text:list-item": {
        const value = attributes["text:start-value"]
        return `<li${value === undefined ? "" : ` value="${escapeHtml(value)}"`}>${inner()}</li>`
      }
      case "table:table-header-rows":
        return this.content(element, style, level, "th")
      case "table:table-cell":
        return this.cell(element, cell)
      case "draw:frame":
        return this.frame(element)
      case "table:table":
        return `<table>${inner()}</table>`
      case "table:table-row":
        return `<tr>${inner()}</tr>`
      default:
        return inner()
    }
  }

  private note(note: XmlElement): string {
    const label = escapeHtml(oneLine(textOf(childOf(note, "text:note-citation"))))
    this.notes.push(`[^${label}]: ${escapeHtml(oneLine(textOf(childOf(note, "text:note-body"))))}`)
    return `[^${label}]`
  }

  private list(list: XmlElement, style: string, level: number): string {
    const numbering = childrenOf(
      this.styles.get(styleKey("text:list-style", style)),
      "text:list-level-style-number",
    ).find(({ attributes }) => attributes["text:level"] === String(level) && attributes["style:num-format"] !== "")
    const items = this.content(list, style, level)
    // Numbered headings are items of lists.
    if (allOf(list, "text:h").length > 0) return items
    if (numbering === undefined) return `<ul>${items}</ul>`
    return `<ol start="${escapeHtml(numbering.attributes["text:start-value"] ?? "1")}">${items}</ol>`
  }

  /** A cell. One that is repeated is like one that spans columns, whose text stands in each of them. */
  private cell(cell: XmlElement, tag: string): string {
    const number = (name: string) => cell.attributes[`table:number-${name}`]
    const columns = escapeHtml(number("columns-spanned") ?? number("columns-repeated") ?? "1")
    return `<${tag} colspan="${columns}" rowspan="${escapeHtml(number("rows-spanned") ?? "1")}">${this.content(cell)}</${tag}>`
  }

  /** A box of text or a table in a frame, or else the description of a picture, or the numbers of a chart. */
  private frame(frame: XmlElement): string {
    const description = oneLine(textOf(childOf(frame, "svg:desc")) || textOf(childOf(frame, "svg:title")))
    // The first child is followed by others for programs that do not know it, such as the picture of a chart.
    const content = elementsOf(frame).find(({ name }) => !skipped.has(name))
    if (content?.name === "draw:image" && description === "") this.omitted.add("images")
    if (content?.name === "draw:image") return `<img alt="${escapeHtml(description)}">`
    return content?.name === "draw:object" ? this.object(content) : content === undefined ? "" : this.element(content)
  }

  private object({ attributes }: XmlElement): string {
    const content = this.objectAt(attributes["xlink:href"] ?? "")
    const [formula] = [...allOf(content, "annotation"), ...allOf(content, "math:annotation")]
    if (formula !== undefined) return `<code>${escapeHtml(textOf(formula))}</code>`
    const chart = descend(content, "office:body", "office:chart", "chart:chart")
    const title = oneLine(textOf(childOf(chart, "chart:title")))
    if (content !== undefined && chart === undefined)
      this.omitted.add("files", attributes["xlink:href"]?.replace("./", ""))
    const grids = childrenOf(chart, "table:table")
    if (chart !== undefined && grids.length === 0) this.omitted.add("charts", title)
    const tables = grids.map((table) => this.element(table))
    return [title === "" ? "" : `<p>Chart: ${escapeHtml(title)}</p>`, ...tables].join("")
  }
}
