import { type Draft, tooLarge } from "../Extraction.ts"
import { titledTable, MAX_REPEATED_CHARACTERS, MAX_SPAN } from "../Table.ts"
import { oneLine } from "../Text.ts"
import { ChunkBudget, chunkTexts } from "./DocxChunks.ts"
import { DocxInline, type InlineEvents, noteLabel } from "./DocxInline.ts"
import { DocxNumbering } from "./DocxNumbering.ts"
import { DocxStyles, isOn, type ParagraphKind, valueOf } from "./DocxStyles.ts"
import { OfficePackage } from "./OfficePackage.ts"
import { allOf, childOf, childrenOf, descend, elementsOf, type XmlElement } from "./Xml.ts"

type Kind = "paragraph" | "item" | "code"

interface Block {
  readonly kind: Kind
  readonly text: string
  /** The page on which the block begins, from 1. */
  readonly page: number
}

/** Elements that only group other elements. */
const wrappers = new Set(["w:sdt", "w:sdtContent", "w:ins", "w:moveTo", "w:customXml", "w:smartTag", "mc:Choice"])

/** The deepest nesting of text boxes and of tables in tables. Deeper content is left out. */
const MAX_NESTING = 12

/** Counts pages by the page breaks of Word's last rendering, or by the author's page breaks when there was none. */
class Pages {
  page = 1
  readonly isRendered: boolean

  constructor(body: XmlElement | undefined) {
    this.isRendered = allOf(body, "w:lastRenderedPageBreak").length > 0
  }

  break(isRendered: boolean): void {
    if (isRendered === this.isRendered) this.page++
  }
}

/** Writes a document as Markdown blocks. */
class DocxWriter {
  readonly blocks: Array<Block> = []
  title: string | undefined
  private readonly office: OfficePackage
  private readonly path: string
  private readonly styles: DocxStyles
  private readonly numbering: DocxNumbering
  private readonly pages: Pages
  private readonly notes: ReadonlyMap<string, XmlElement>
  private readonly chunks: ReadonlyMap<string, string>
  private readonly textLimit: number
  private readonly notesRead = new Set<XmlElement>()
  private characters = 0
  private nesting = 0

  /** @param chunks the texts of documents in the document, by the ids of their relationships */
  constructor(
    office: OfficePackage,
    path: string,
    root: XmlElement,
    chunks: ReadonlyMap<string, string>,
    textLimit: number,
  ) {
    const related = (type: string) => office.targets(path, type).map((target) => office.part(target))[0]
    this.office = office
    this.path = path
    this.chunks = chunks
    this.textLimit = textLimit
    this.styles = new DocxStyles(related("styles"))
    this.numbering = new DocxNumbering(related("numbering"))
    this.pages = new Pages(root)
    this.notes = new Map(
      [...childrenOf(related("footnotes"), "w:footnote"), ...childrenOf(related("endnotes"), "w:endnote")].map(
        (note) => [`${note.name} ${note.attributes["w:id"] ?? ""}`, note],
      ),
    )
  }

  get hasPages(): boolean {
    return this.pages.page > 1
  }

  readAll(elements: ReadonlyArray<XmlElement>): void {
    for (const element of elements) {
      if (element.name === "w:p") this.paragraph(element)
      else if (element.name === "w:tbl") this.table(element)
      else if (element.name === "w:altChunk") this.chunk(element)
      else if (element.name === "mc:AlternateContent") this.readAll(elementsOf(element).slice(0, 1))
      else if (wrappers.has(element.name)) this.readAll(elementsOf(element))
    }
  }

  private put(kind: Kind, text: string, page: number): void {
    if (text.trim() === "") return
    this.characters += text.length
    if (this.characters > this.textLimit) throw tooLarge(this.textLimit)
    this.blocks.push({ kind, text, page })
  }

  private chunk({ attributes }: XmlElement): void {
    this.put("paragraph", this.chunks.get(attributes["r:id"] ?? "") ?? "", this.pages.page)
  }

  private paragraph(element: XmlElement): void {
    const kind = this.styles.kindOf(element)
    const properties = childOf(element, "w:pPr")
    if (isOn(properties, "w:pageBreakBefore")) this.pages.break(false)
    let page: number | undefined
    const events: InlineEvents = {
      pageBreak: (isRendered) => this.pages.break(isRendered),
      text: () => {
        page ??= this.pages.page
      },
    }
    const inline = new DocxInline(this.office, this.path, events)
    inline.readAll(elementsOf(element))
    const { text } = inline
    this.put(...this.written(kind, kind.isCode ? text : text.trim()), page ?? this.pages.page)
    for (const block of inline.blocks) this.put("paragraph", block, this.pages.page)
    for (const chunk of childrenOf(element, "w:altChunk")) this.chunk(chunk)
    for (const box of inline.boxes) this.nested(() => this.readAll(elementsOf(box)))
    for (const { kind: noteKind, id } of inline.notes) this.note(noteKind, id)
    const section = valueOf(childOf(properties, "w:sectPr"), "w:type")
    if (childOf(properties, "w:sectPr") !== undefined && section !== "continuous") this.pages.break(false)
  }

  private written(kind: ParagraphKind, text: string): readonly [Kind, string] {
    if (text === "") return ["paragraph", ""]
    // Without the look-behind, a long run of spaces would be matched from each of its positions, in quadratic time.
    const line = text.replace(/(?<!\s)\s*\n\s*/g, " ")
    if (kind.isTitle) {
      this.title ??= line
      return ["paragraph", `# ${line}`]
    }
    const marker = kind.list === undefined ? undefined : this.numbering.next(kind.list)
    if (kind.heading !== undefined) {
      const label = marker === undefined || marker === "-" ? "" : `${marker.replace(/\.$/, "")} `
      return ["paragraph", `${"#".repeat(kind.heading)} ${label}${line}`]
    }
    if (marker !== undefined) {
      const indent = "  ".repeat(kind.list?.level ?? 0)
      return ["item", `${indent}${marker} ${text.replaceAll("\n", `\n${indent}  `)}`]
    }
    if (kind.isCode) return ["code", text]
    return ["paragraph", kind.isQuote ? `> ${text.replaceAll("\n", "\n> ")}` : text]
  }

  /** Writes a note after the paragraph that refers to it, so that both get into one passage. */
  private note(kind: "w:footnote" | "w:endnote", id: string): void {
    const note = this.notes.get(`${kind} ${id}`)
    if (note === undefined || this.notesRead.has(note)) return
    this.notesRead.add(note)
    const text = this.textOf(elementsOf(note))
    this.put("paragraph", text === "" ? "" : `[^${noteLabel(kind, id)}]: ${text}`, this.pages.page)
  }

  private nested(read: () => void): void {
    if (this.nesting >= MAX_NESTING) return this.office.omitted.add("parts")
    this.nesting++
    read()
    this.nesting--
  }

  /** The text of elements, on one line. */
  private textOf(elements: ReadonlyArray<XmlElement>): string {
    const from = this.blocks.length
    this.nested(() => this.readAll(elements))
    const blocks = this.blocks.splice(from)
    return oneLine(blocks.map(({ text }) => text).join(" "))
  }

  private table(element: XmlElement): void {
    const rows = rowsOf(element)
    const cells = rows.map(cellsOf)
    // A table with one cell is a frame around text.
    if (cells.length === 1 && cells[0]?.length === 1) return this.readAll(elementsOf(cells[0][0]))
    if (this.nesting > 0) {
      const lines = cells.map((row) => row.map((cell) => this.textOf(elementsOf(cell))).join(" "))
      return this.put("paragraph", lines.join("; "), this.pages.page)
    }
    const page = this.pages.page
    const grid = this.grid(rows)
    if (grid.length > 0) this.put("paragraph", titledTable(grid), page)
  }

  /** The cells of each row. The text of a cell that spans rows or columns is repeated in each of them. */
  private grid(rows: ReadonlyArray<XmlElement>): ReadonlyArray<ReadonlyArray<string>> {
    let above: ReadonlyArray<string> = []
    const grid: Array<ReadonlyArray<string>> = []
    for (const row of rows) {
      const line: Array<string> = []
      for (const cell of cellsOf(row)) {
        const properties = childOf(cell, "w:tcPr")
        const merge = childOf(properties, "w:vMerge")
        const isContinued = merge !== undefined && merge.attributes["w:val"] !== "restart"
        const text = isContinued ? (above[line.length] ?? "") : this.textOf(elementsOf(cell))
        const repeated = text.length <= MAX_REPEATED_CHARACTERS ? text : ""
        const width = Math.min(Number(valueOf(properties, "w:gridSpan") ?? 1) || 1, MAX_SPAN)
        for (let column = 0; column < width; column++) line.push(column === 0 && !isContinued ? text : repeated)
      }
      above = line
      if (line.some((text) => text !== "")) grid.push(line)
    }
    return grid
  }
}

const within = (element: XmlElement, name: string): ReadonlyArray<XmlElement> =>
  elementsOf(element).flatMap((child) =>
    child.name === name ? [child] : wrappers.has(child.name) ? within(child, name) : [],
  )

const rowsOf = (table: XmlElement) =>
  within(table, "w:tr").filter((row) => descend(row, "w:trPr", "w:del") === undefined)

const cellsOf = (row: XmlElement) => within(row, "w:tc")

/** Joins blocks into Markdown, with consecutive items as one list and consecutive code within one fence. */
const join = (blocks: ReadonlyArray<Block>): string => {
  let written = ""
  for (const [index, { kind, text }] of blocks.entries()) {
    const [before, after] = [blocks[index - 1]?.kind, blocks[index + 1]?.kind]
    if (index > 0) written += kind === before && kind !== "paragraph" ? "\n" : "\n\n"
    if (kind === "code" && before !== "code") written += "```\n"
    written += text
    if (kind === "code" && after !== "code") written += "\n```"
  }
  return written
}

const byPage = (blocks: ReadonlyArray<Block>): ReadonlyArray<string> => {
  const pages: Array<Array<Block>> = []
  for (const block of blocks) {
    while (pages.length < block.page) pages.push([])
    pages[block.page - 1]?.push(block)
  }
  return pages.map(join)
}

const isZip = ([first, second]: Uint8Array): boolean => first === 0x50 && second === 0x4b

const readDocx = async (
  bytes: Uint8Array,
  textLimit: number,
  embeddedText: (bytes: Uint8Array) => Promise<string>,
  budget: ChunkBudget,
): Promise<Draft> => {
  const office = new OfficePackage(bytes)
  const { path, root } = office.main("w:document")
  const readChunk = async (chunk: Uint8Array): Promise<string> => {
    if (!isZip(chunk)) return embeddedText(chunk)
    const { omitted, text } = await readDocx(chunk, textLimit, embeddedText, budget)
    office.omitted.addAll(omitted, "")
    return typeof text === "string" ? text : text.join("\n\n")
  }
  const chunks = await chunkTexts(office, path, root, readChunk, budget)
  const writer = new DocxWriter(office, path, root, chunks, textLimit)
  writer.readAll(elementsOf(childOf(root, "w:body")))
  office.omitObjects(path)
  return {
    title: office.title() ?? writer.title,
    text: writer.hasPages ? byPage(writer.blocks) : join(writer.blocks),
    omitted: office.omitted,
  }
}

/**
 * Reads a Word document into Markdown, without comments, deletions, hidden text, headers and footers.
 *
 * @param embeddedText reads documents of other formats in it
 */
export const docx = (
  bytes: Uint8Array,
  textLimit: number,
  embeddedText: (bytes: Uint8Array) => Promise<string>,
): Promise<Draft> => readDocx(bytes, textLimit, embeddedText, new ChunkBudget())
