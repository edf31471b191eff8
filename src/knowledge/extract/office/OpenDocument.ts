import { type Draft, type Reader, tooLarge, Unreadable } from "../Extraction.ts"
import { html } from "../html/Html.ts"
import { htmlText } from "../html/Tags.ts"
import { OdfHtml } from "./OdfHtml.ts"
import { sheetContent } from "./OdfSheet.ts"
import { Budget } from "./Sheet.ts"
import { allOf, childOf, childrenOf, elementsOf, parseXml, textOf, type XmlElement } from "./Xml.ts"
import { Zip } from "./Zip.ts"

/** An OpenDocument file (ISO 26300): a zip of XML parts. All methods throw `Unreadable`. */
class OdfFile {
  /** The content of the body, as the kind of the document requires. */
  readonly body: XmlElement
  readonly writer: OdfHtml
  private readonly zip: Zip
  private readonly roots: ReadonlyArray<XmlElement | undefined>

  constructor(bytes: Uint8Array, kind: "text" | "spreadsheet" | "presentation") {
    this.zip = new Zip(bytes)
    if (allOf(this.part("META-INF/manifest.xml"), "manifest:encryption-data").length > 0) {
      throw new Unreadable("password_protected", "The document is protected by a password.")
    }
    const content = this.part("content.xml")
    const body = childOf(childOf(content, "office:body"), `office:${kind}`)
    if (body === undefined) {
      throw new Unreadable("corrupt_document", "The file is damaged, or a document of another kind than its name says.")
    }
    this.body = body
    this.roots = [this.part("styles.xml"), content]
    this.writer = new OdfHtml(this.styles("text:list-style"), (path) =>
      this.part(`${path.replace(/^\.\//, "")}/content.xml`),
    )
  }

  private part(name: string): XmlElement | undefined {
    const bytes = this.zip.read(name)
    // Programs of the first years declared a document type.
    return bytes === undefined ? undefined : parseXml(bytes, "ignored")
  }

  /** The styles of an element's name, by their own names. Those of the content win. */
  styles(element: string): ReadonlyMap<string, XmlElement> {
    const groups = ["office:styles", "office:automatic-styles"]
    const styles = this.roots.flatMap((root) => groups.flatMap((group) => childrenOf(childOf(root, group), element)))
    return new Map(styles.map((style) => [style.attributes["style:name"] ?? "", style]))
  }

  /** Whether a property of the style that an element names has a value, such as one that hides the element. */
  hides({ attributes }: XmlElement, reference: string, property: string, value: string): boolean {
    const style = this.styles("style:style").get(attributes[reference] ?? "")
    return elementsOf(style).some((properties) => properties.attributes[property] === value)
  }

  title(): string | undefined {
    return textOf(allOf(this.part("meta.xml"), "dc:title")[0]) || undefined
  }
}

/** Reads an OpenDocument text into Markdown. Comments and deletions are left out, as in those of Word. */
export const odt: Reader = (bytes): Draft => {
  const file = new OdfFile(bytes, "text")
  const { text, title } = html(new TextEncoder().encode(file.writer.content(file.body)))
  return { title: file.title() ?? title, text }
}

/** Reads an OpenDocument spreadsheet into Markdown, with one page per sheet. Hidden sheets are left out. */
export const ods: Reader = (bytes, textLimit): Draft => {
  const file = new OdfFile(bytes, "spreadsheet")
  const budget = new Budget(textLimit)
  const sheets = childrenOf(file.body, "table:table").map((table) => {
    if (file.hides(table, "table:style-name", "table:display", "false")) return ""
    const { comments, shapes, tables } = sheetContent(table, budget)
    const others = htmlText(
      [
        ...shapes.map((shape) => file.writer.element(shape)),
        ...comments.map(([annotation, place]) => file.writer.comment(annotation, ` on ${place}`)),
      ].join(""),
    )
    const blocks = [...tables, others].filter((block) => block !== "")
    return blocks.length === 0 ? "" : [`# ${table.attributes["table:name"] ?? ""}`, ...blocks].join("\n\n")
  })
  return { title: file.title(), text: sheets }
}

/** Parts of a slide that are the same on all. */
const repeatedClasses = new Set(["footer", "date-time", "page-number", "header"])

const classOf = ({ attributes }: XmlElement): string => attributes["presentation:class"] ?? ""

/** Reads an OpenDocument presentation into Markdown, with one page per slide, its notes and its comments. */
export const odp: Reader = (bytes, textLimit): Draft => {
  const file = new OdfFile(bytes, "presentation")
  const { writer } = file
  let title: string | undefined
  let characters = 0
  const slides = childrenOf(file.body, "draw:page").map((page) => {
    if (file.hides(page, "draw:style-name", "presentation:visibility", "hidden")) return ""
    const shapes = elementsOf(page).filter((shape) => !repeatedClasses.has(classOf(shape)))
    const heading = shapes.filter((shape) => classOf(shape) === "title").map((shape) => writer.element(shape))
    const notes = childrenOf(childOf(page, "presentation:notes"), "draw:frame")
      .filter((shape) => classOf(shape) === "notes")
      .map((shape) => writer.element(shape))
    const others = shapes.filter((shape) => classOf(shape) !== "title").map((shape) => writer.element(shape))
    const comments = childrenOf(page, "office:annotation").map((annotation) => writer.comment(annotation))
    const spoken = htmlText(notes.join(""))
    const [name, ...blocks] = [heading, others, comments].map((parts) => htmlText(parts.join("")))
    const headline = name?.replaceAll(/\s+/g, " ") ?? ""
    title ??= headline || undefined
    const parts = [headline && `# ${headline}`, blocks[0], spoken && `Speaker notes: ${spoken}`, blocks[1]]
    const text = parts.filter((part) => part !== undefined && part !== "").join("\n\n")
    characters += text.length
    if (characters > textLimit) throw tooLarge(textLimit)
    return text
  })
  return { title: file.title() ?? title, text: slides }
}
