import { escapeHtml } from "../html/Tags.ts"

/** Writes the text of RTF as HTML, whose reader knows headings, tables and links. */
export class RtfHtml {
  /** The level of the paragraph as a heading; 0 for text. */
  heading = 0
  isInTable = false
  /** The mark of the paragraph in a list, as a program has drawn it. */
  mark = ""
  private readonly written: Array<string> = []
  private paragraph: Array<string> = []
  private cell: Array<string> = []
  private row: Array<string> = []
  private notes: Array<string> = []
  private noteCount = 0
  /** The list or table that following paragraphs and rows continue. */
  private open: "p" | "table" | undefined

  text(text: string): void {
    this.paragraph.push(escapeHtml(text).replaceAll("\n", "<br>"))
  }

  beginLink(address: string): void {
    this.paragraph.push(`<a href="${escapeHtml(address)}">`)
  }

  endLink(): void {
    this.paragraph.push("</a>")
  }

  /** Takes the text of a note, and returns how to end the note: it stands below the paragraph. */
  beginNote(): () => void {
    const outer = this.paragraph
    this.paragraph = []
    return () => {
      const text = this.paragraph.join("")
      this.paragraph = outer
      if (text.trim() === "") return
      this.notes.push(`<p>[^${++this.noteCount}]: ${text}</p>`)
      outer.push(`[^${this.noteCount}]`)
    }
  }

  resetParagraph(): void {
    this.heading = 0
    this.isInTable = false
  }

  endParagraph(): void {
    const text = this.marked(this.paragraph.join(""))
    this.paragraph = []
    if (this.isInTable) {
      this.cell.push(text)
      return
    }
    if (this.cell.length + this.row.length > 0) this.endRow()
    if (text.trim() === "") return
    const isItem = this.mark !== "" && this.heading === 0
    this.continueIn(isItem ? "p" : undefined)
    const tag = this.heading === 0 ? "p" : `h${this.heading}`
    this.written.push(isItem ? `${text}<br>` : `<${tag}>${text}</${tag}>`)
    if (this.notes.length > 0) this.continueIn(undefined)
    this.written.push(...this.notes.splice(0))
    this.mark = ""
  }

  /** Puts the mark of a list before a text. Numbers stay, and signs become dashes. */
  private marked(text: string): string {
    const mark = this.mark.trim()
    if (mark === "" || text.trim() === "") return text
    return /[\p{L}\p{N}]/u.test(mark) ? `${escapeHtml(mark)} ${text}` : `- ${text}`
  }

  private continueIn(element: "p" | "table" | undefined): void {
    if (this.open === element) return
    if (this.open !== undefined) this.written.push(`</${this.open}>`)
    if (element !== undefined) this.written.push(`<${element}>`)
    this.open = element
  }

  endCell(): void {
    this.isInTable = true
    this.endParagraph()
    this.row.push(this.cell.splice(0).join("<br>"))
    this.mark = ""
  }

  endRow(): void {
    if (this.cell.length > 0) this.row.push(this.cell.splice(0).join("<br>"))
    this.continueIn("table")
    this.written.push(`<tr>${this.row.map((cell) => `<td>${cell}</td>`).join("")}</tr>`)
    this.row = []
    this.isInTable = false
  }

  /** The whole text, after the end of whatever the file has not ended. */
  end(): string {
    this.isInTable = false
    this.endParagraph()
    this.continueIn(undefined)
    return [...this.written, ...this.notes].join("")
  }
}
