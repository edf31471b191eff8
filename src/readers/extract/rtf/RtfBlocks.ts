import { markdownLink } from "../Link.ts"
import { titledTable } from "../Table.ts"
import { oneLine } from "../Text.ts"

/** Collects the text of RTF as blocks of Markdown. */
export class RtfBlocks {
  /** The level of the paragraph as a heading; 0 for text. */
  heading = 0
  isInTable = false
  /** The mark of the paragraph in a list, as a program has drawn it. */
  mark = ""
  private readonly blocks: Array<string> = []
  private pieces: Array<string> = []
  private readonly rows: Array<ReadonlyArray<string>> = []
  private readonly row: Array<string> = []
  private readonly cell: Array<string> = []
  private readonly notes: Array<string> = []
  private noteCount = 0
  /** Whether the last block is a list. */
  private isInList = false

  text(text: string): void {
    this.pieces.push(text)
  }

  /** Begins a link, and returns how to end it. */
  link(address: string): () => void {
    const { pieces } = this
    const start = pieces.length
    return () => {
      // A link around paragraphs cannot be written in Markdown.
      if (this.pieces !== pieces) return
      const text = pieces.splice(start).join("")
      pieces.push(text.replace(text.trim(), (words) => markdownLink(oneLine(words), address)))
    }
  }

  /** Begins a note, and returns how to end it. It stands below its paragraph. */
  note(): () => void {
    const outer = this.pieces
    this.pieces = []
    return () => {
      const text = oneLine(this.pieces.join(""))
      this.pieces = outer
      if (text === "") return
      this.notes.push(`[^${++this.noteCount}]: ${text}`)
      outer.push(`[^${this.noteCount}]`)
    }
  }

  endParagraph(): void {
    const text = this.pieces.join("").split("\n").map(oneLine).join("\n").trim()
    const mark = text === "" ? "" : this.mark.trim()
    this.pieces = []
    this.mark = ""
    // Numbers stay, and signs become dashes.
    const item = mark === "" ? text : `${/[\p{L}\p{N}]/u.test(mark) ? mark : "-"} ${text}`
    if (this.isInTable) this.cell.push(item)
    else {
      this.endRow()
      this.endTable()
      if (text !== "") this.block(item, mark !== "" && this.heading === 0)
    }
  }

  private block(text: string, isItem: boolean): void {
    if (isItem && this.isInList) this.blocks.push(`${this.blocks.pop()}\n${text}`)
    else this.blocks.push(this.heading === 0 ? text : `${"#".repeat(this.heading)} ${oneLine(text)}`)
    this.isInList = isItem && this.notes.length === 0
    this.blocks.push(...this.notes.splice(0))
  }

  endCell(): void {
    this.isInTable = true
    this.endParagraph()
    this.row.push(oneLine(this.cell.splice(0).join(" ")))
  }

  endRow(): void {
    if (this.cell.length > 0) this.endCell()
    this.isInTable = false
    const row = this.row.splice(0)
    if (row.some((cell) => cell !== "")) this.rows.push(row)
  }

  private endTable(): void {
    const rows = this.rows.splice(0)
    if (rows.length === 0) return
    this.isInList = false
    // A table of one column only frames the text.
    if (rows.every(({ length }) => length === 1)) this.blocks.push(...rows.flat())
    else this.blocks.push(titledTable(rows))
  }

  /** The whole text, after the end of what the file has not ended. */
  end(): string {
    this.isInTable = false
    this.endParagraph()
    return [...this.blocks, ...this.notes].join("\n\n")
  }
}
