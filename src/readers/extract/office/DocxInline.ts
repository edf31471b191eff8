import { alternativeText, chartsIn, diagramsIn, isDecorative } from "./Drawing.ts"
import { isOn } from "./DocxStyles.ts"
import { latex } from "./Math.ts"
import { markdownLink } from "../Link.ts"
import type { OfficePackage } from "./OfficePackage.ts"
import { allOf, childOf, childrenOf, elementsOf, textOf, type XmlElement } from "./Xml.ts"

/** Elements that are not text of the document: properties, deletions, field instructions, marks of notes. */
const skippedElements = new Set(
  "w:rPr w:pPr w:sdtPr w:sdtEndPr w:del w:moveFrom w:delText w:instrText w:commentReference w:annotationRef w:footnoteRef w:endnoteRef w:rt w:tblPr w:trPr w:tcPr".split(
    " ",
  ),
)

/** An open field (`w:fldChar`). */
interface Field {
  readonly instruction: string
  /** Start of the text of the field's result; `undefined` while the instruction is read. */
  readonly textFrom: number | undefined
}

/** The events of reading a paragraph, in their order. */
export interface InlineEvents {
  /** A page ends: at a break of Word's last rendering if `isRendered`, else at one that the author made. */
  readonly pageBreak: (isRendered: boolean) => void
  readonly text: () => void
}

export class DocxInline {
  /** The text boxes that are anchored in the paragraph. */
  readonly boxes: Array<XmlElement> = []
  /** The charts and diagrams in the paragraph, as Markdown blocks that follow it. */
  readonly blocks: Array<string> = []
  /** The notes that the paragraph refers to. */
  readonly notes: Array<{ readonly kind: "w:footnote" | "w:endnote"; readonly id: string }> = []
  private readonly office: OfficePackage
  private readonly path: string
  private readonly events: InlineEvents
  private written = ""
  private readonly fields: Array<Field> = []
  /** Whether the paragraph has hidden text, which counts once. */
  private isHiding = false

  constructor(office: OfficePackage, path: string, events: InlineEvents) {
    this.office = office
    this.path = path
    this.events = events
  }

  get text(): string {
    return this.written
  }

  readAll(elements: ReadonlyArray<XmlElement>): void {
    for (const element of elements) this.read(element)
  }

  private read(element: XmlElement): void {
    const { name, attributes } = element
    if (name === "w:del") this.office.omitted.add("deletions")
    else if (name === "w:commentReference") this.office.omitted.add("comments")
    if (skippedElements.has(name)) return this.instruction(element)
    switch (name) {
      case "w:t":
        return this.write(textOf(element))
      case "w:tab":
        return this.write("\t")
      case "w:cr":
        return this.write("\n")
      case "w:br":
        return attributes["w:type"] === "page" ? this.events.pageBreak(false) : this.write("\n")
      case "w:lastRenderedPageBreak":
        return this.events.pageBreak(true)
      case "w:noBreakHyphen":
        return this.write("-")
      case "w:sym":
        return this.symbol(attributes["w:char"] ?? "")
      case "w:r":
        return isOn(childOf(element, "w:rPr"), "w:vanish") ? this.hidden(element) : this.readAll(elementsOf(element))
      case "w:hyperlink":
        return this.link(element, this.office.relationships(this.path).get(attributes["r:id"] ?? "")?.target ?? "")
      case "w:fldSimple":
        return this.link(element, addressIn(attributes["w:instr"] ?? ""))
      case "w:fldChar":
        return this.field(attributes["w:fldCharType"])
      case "w:footnoteReference":
        return this.note("w:footnote", attributes["w:id"] ?? "")
      case "w:endnoteReference":
        return this.note("w:endnote", attributes["w:id"] ?? "")
      case "m:oMathPara":
        return this.formulas(element)
      case "m:oMath":
        return this.write(dollars(latex(element), "$"))
      case "mc:AlternateContent":
        return this.readAll(elementsOf(childOf(element, "mc:Choice") ?? childOf(element, "mc:Fallback")))
      case "w:drawing":
      case "w:pict":
      case "w:object":
        return this.drawing(element)
      case "w:sdt":
        this.checkbox(element)
        return this.readAll(elementsOf(element))
      default:
        return this.readAll(elementsOf(element))
    }
  }

  private write(text: string): void {
    if (text === "") return
    this.events.text()
    this.written += text
  }

  private symbol(code: string): void {
    const point = Number.parseInt(code, 16)
    // Private-use characters mean something in one font only.
    if (point > 0x20 && point < 0xd800) this.write(String.fromCodePoint(point))
  }

  private link(element: XmlElement, address: string): void {
    const from = this.written.length
    this.readAll(elementsOf(element))
    this.linkFrom(from, address)
  }

  private linkFrom(from: number, address: string): void {
    this.written = this.written.slice(0, from) + markdownLink(this.written.slice(from), address)
  }

  private field(type: string | undefined): void {
    if (type === "begin") this.fields.push({ instruction: "", textFrom: undefined })
    const field = this.fields.at(-1)
    if (field === undefined) return
    if (type === "separate") this.fields.splice(-1, 1, { ...field, textFrom: this.written.length })
    if (type !== "end") return
    this.fields.pop()
    if (field.textFrom !== undefined) this.linkFrom(field.textFrom, addressIn(field.instruction))
  }

  private instruction(element: XmlElement): void {
    const field = this.fields.at(-1)
    if (element.name !== "w:instrText" || field === undefined) return
    this.fields.splice(-1, 1, { ...field, instruction: field.instruction + textOf(element) })
  }

  private note(kind: "w:footnote" | "w:endnote", id: string): void {
    this.notes.push({ kind, id })
    this.write(`[^${noteLabel(kind, id)}]`)
  }

  private formulas(element: XmlElement): void {
    for (const formula of childrenOf(element, "m:oMath")) this.write(`\n${dollars(latex(formula), "$$")}\n`)
  }

  private hidden(run: XmlElement): void {
    if (!this.isHiding && childrenOf(run, "w:t").length > 0) this.office.omitted.add("hidden_text")
    this.isHiding = true
  }

  private drawing(element: XmlElement): void {
    const boxes = allOf(element, "w:txbxContent")
    this.boxes.push(...boxes)
    this.blocks.push(...chartsIn(this.office, this.path, element), ...diagramsIn(this.office, this.path, element))
    const properties = allOf(element, "wp:docPr")
    const text = properties
      .map(alternativeText)
      .filter((each) => each !== "")
      .join(" ")
    this.write(text)
    // The picture of an object only stands for it, and text boxes are read on their own.
    const isTold = text !== "" || boxes.length > 0 || element.name === "w:object" || properties.some(isDecorative)
    const pictures = isTold ? [] : [...allOf(element, "pic:pic"), ...allOf(element, "v:imagedata")]
    this.office.omitted.add("images", "", pictures.length)
  }

  private checkbox(element: XmlElement): void {
    const checked = childOf(childOf(childOf(element, "w:sdtPr"), "w14:checkbox"), "w14:checked")
    if (checked !== undefined) this.write(checked.attributes["w14:val"] === "1" ? "[x] " : "[ ] ")
  }
}

/** The label of a note in Markdown. Ids of footnotes and endnotes overlap, so those of endnotes get an `e`. */
export const noteLabel = (kind: "w:footnote" | "w:endnote", id: string): string =>
  kind === "w:footnote" ? id : `e${id}`

const dollars = (formula: string, sign: string) => (formula === "" ? "" : `${sign}${formula}${sign}`)

/** The address in a field's instruction, such as `HYPERLINK "https://…" \t "_blank"`; empty for other fields. */
const addressIn = (instruction: string): string => /^\s*HYPERLINK\s+"([^"]+)"/i.exec(instruction)?.[1] ?? ""
