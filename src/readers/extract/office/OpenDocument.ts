import { type Draft, Omitted, type Reader, tooLarge, Unreadable } from "../Extraction.ts"
import { htmlText } from "../html/Html.ts"
import { oneLine } from "../Text.ts"
import { odfComments } from "./Comments.ts"
import { OdfHtml, styleKey } from "./OdfHtml.ts"
import { sheetText } from "./OdfSheet.ts"
import { Budget } from "./Sheet.ts"
import { allOf, childOf, childrenOf, descend, elementsOf, parseXml, textOf, type XmlElement } from "./Xml.ts"
import { Zip } from "./Zip.ts"

/** An OpenDocument file (ISO 26300): a zip of XML parts. All methods throw `Unreadable`. */
class OdfFile {
  /** The content of the body, as the kind of the document requires. */
  readonly body: XmlElement
  readonly writer: OdfHtml
  readonly omitted = new Omitted()
  private readonly zip: Zip
  private readonly styles: ReadonlyMap<string, XmlElement>

  constructor(bytes: Uint8Array, kind: "text" | "spreadsheet" | "presentation") {
    this.zip = new Zip(bytes)
    if (allOf(this.part("META-INF/manifest.xml"), "manifest:encryption-data").length > 0) {
      throw new Unreadable("password_protected", "The document is protected by a password.")
    }
    const content = this.part("content.xml")
    const body = descend(content, "office:body", `office:${kind}`)
    if (body === undefined) {
      throw new Unreadable("corrupt_document", "The file is damaged, or a document of another kind than its name says.")
    }
    this.body = body
    // Styles of the content win.
    const groups = [this.part("styles.xml"), content].flatMap((root) =>
      ["office:styles", "office:automatic-styles"].map((group) => childOf(root, group)),
    )
    this.styles = new Map(
      groups.flatMap(elementsOf).map((style) => [styleKey(style.name, style.attributes["style:name"]), style]),
    )
    const objectAt = (path: string) => {
      const name = path.replace(/^\.\//, "")
      return this.omitted.attempt("parts", name, () => this.part(`${name}/content.xml`))
    }
    this.writer = new OdfHtml(this.styles, objectAt, this.omitted)
  }

  private part(name: string): XmlElement | undefined {
    const bytes = this.zip.read(name)
    // Programs of the first years declared a document type.
    return bytes === undefined ? undefined : parseXml(bytes, "ignored")
  }

  /** Whether a property of the style that an element names has a value, such as one that hides the element. */
  hides({ attributes }: XmlElement, reference: string, property: string, value: string): boolean {
    const style = this.styles.get(styleKey("style:style", attributes[reference]))
    return elementsOf(style).some((properties) => properties.attributes[property] === value)
  }

  title(): string | undefined {
    return textOf(allOf(this.part("meta.xml"), "dc:title")[0]) || undefined
  }
}

/** Reads an OpenDocument text into Markdown. Comments and deletions are left out, as in those of Word. */
export const odt: Reader = (bytes): Draft => {
  const file = new OdfFile(bytes, "text")
  const { text, title } = htmlText(file.writer.content(file.body))
  file.omitted.add("comments", "", allOf(file.body, "office:annotation").length)
  file.omitted.add("deletions", "", allOf(file.body, "text:deletion").length)
  return { title: file.title() ?? title, text, omitted: file.omitted }
}

/** Reads an OpenDocument spreadsheet into Markdown, with one page per sheet. Hidden sheets are left out. */
export const ods: Reader = (bytes, textLimit): Draft => {
  const file = new OdfFile(bytes, "spreadsheet")
  const budget = new Budget(textLimit)
  const sheets = childrenOf(file.body, "table:table").map((table) => {
    if (!file.hides(table, "table:style-name", "table:display", "false")) return sheetText(table, file.writer, budget)
    file.omitted.add("hidden_sheets", table.attributes["table:name"])
    return ""
  })
  return { title: file.title(), text: sheets, omitted: file.omitted }
}

/** Shapes of slides that have a place of their own in the text, or none since they are the same on all. */
const placedClasses = new Set(["title", "footer", "date-time", "page-number", "header"])

const classOf = ({ attributes }: XmlElement): string => attributes["presentation:class"] ?? ""

/** Reads an OpenDocument presentation into Markdown, with one page per slide, its notes and its comments. */
export const odp: Reader = (bytes, textLimit): Draft => {
  const file = new OdfFile(bytes, "presentation")
  const textOfShapes = (shapes: ReadonlyArray<XmlElement>, isShown: (kind: string) => boolean): string =>
    htmlText(shapes.flatMap((shape) => (isShown(classOf(shape)) ? file.writer.element(shape) : [])).join("")).text
  let title: string | undefined
  let characters = 0
  const slides = childrenOf(file.body, "draw:page").map((page, index) => {
    if (file.hides(page, "draw:style-name", "presentation:visibility", "hidden")) {
      file.omitted.add("hidden_slides", index + 1)
      return ""
    }
    const shapes = elementsOf(page)
    const heading = oneLine(textOfShapes(shapes, (kind) => kind === "title"))
    const notes = textOfShapes(elementsOf(childOf(page, "presentation:notes")), (kind) => kind === "notes")
    title ??= heading || undefined
    const text = [
      heading && `# ${heading}`,
      textOfShapes(shapes, (kind) => !placedClasses.has(kind)),
      notes && `Speaker notes: ${notes}`,
      ...odfComments(page),
    ]
      .filter((part) => part !== "")
      .join("\n\n")
    characters += text.length
    if (characters > textLimit) throw tooLarge(textLimit)
    return text
  })
  return { title: file.title() ?? title, text: slides, omitted: file.omitted }
}
