import { type Draft, type Reader, Unreadable } from "../Extraction.ts"
import { htmlText } from "../html/Tags.ts"
import { oneLine } from "../Text.ts"
import { RtfHtml } from "./RtfHtml.ts"
import { encodingOfCharset, encodingOfPage, rtfTokens } from "./RtfTokens.ts"

/** The deepest nesting that is read. */
const MAX_DEPTH = 1_000

/** Groups that hold no text of the document: tables of fonts and colours, pictures, running heads, comments. */
const skippedGroups = new Set(
  "info colortbl pict nonshppict objdata header headerl headerr headerf footer footerl footerr footerf filetbl revtbl pntxta pntxtb upr xe tc txe rxe ftnsep ftnsepc aftnsep aftnsepc template private1".split(
    " ",
  ),
)
/** Groups that older programs may skip, but that hold text or say how to read it. */
const knownGroups = new Set("fldinst shppict shpinst listtext pntext".split(" "))

/** The characters that control words stand for. */
const characters = new Map([
  ["tab", " "],
  ["line", "\n"],
  ["lquote", "‘"],
  ["rquote", "’"],
  ["ldblquote", "“"],
  ["rdblquote", "”"],
  ["bullet", "•"],
  ["endash", "–"],
  ["emdash", "—"],
  ["nestcell", " "],
])

type Target = "text" | "none" | "title" | "fonts" | "styles" | "mark" | "instruction" | "shape"

/** The places to which the control words send the text of their group. */
const targets: ReadonlyMap<string, Target> = new Map([
  ["fonttbl", "fonts"],
  ["stylesheet", "styles"],
  ["listtext", "mark"],
  ["pntext", "mark"],
  ["fldinst", "instruction"],
  // A shape has names and values of properties, and its text in a group of its own.
  ["shpinst", "shape"],
])

/** The state that a group inherits, and that ends with it. */
interface Group {
  target: Target
  encoding: string
  /** Number of characters for older programs that follow a character of Unicode. */
  fallback: number
  isHidden: boolean
  /** Whether the group is a note, whose paragraphs do not end the one around it. */
  isNote: boolean
  /** What happens at the end of the group. */
  end: (() => void) | undefined
}

class RtfReader {
  readonly html = new RtfHtml()
  title = ""
  private readonly open: Array<Group> = []
  private group: Group
  private isOptional = false
  private documentEncoding = encodingOfPage(1252)
  private readonly encodings = new Map<number, string>()
  private font = 0
  private defaultFont = -1
  private readonly headingStyles = new Map<number, number>()
  private style = 0
  private styleName = ""
  private instruction = ""
  private pending = ""
  private skip = 0

  constructor() {
    const encoding = this.documentEncoding
    this.group = { target: "text", encoding, fallback: 1, isHidden: false, isNote: false, end: undefined }
  }

  read(source: string): string {
    for (const { kind, text, value } of rtfTokens(source)) {
      if (kind === "bytes") {
        const skipped = Math.min(this.skip, text.length)
        this.skip -= skipped
        // Bytes are decoded together, since a character may have several of them.
        this.pending += text.slice(skipped)
        continue
      }
      this.flush()
      this.skip = 0
      if (kind === "open") this.enter()
      else if (kind === "close") this.leave()
      else if (kind === "symbol") this.symbol(text)
      else this.word(text, value)
    }
    this.flush()
    return this.html.end()
  }

  private enter(): void {
    if (this.open.length >= MAX_DEPTH) {
      throw new Unreadable("corrupt_document", `The document is nested more than ${MAX_DEPTH} levels deep.`)
    }
    this.open.push(this.group)
    this.group = { ...this.group, end: undefined }
  }

  private leave(): void {
    this.group.end?.()
    if (this.group.target === "styles") this.endStyle()
    this.group = this.open.pop() ?? this.group
  }

  private flush(): void {
    const bytes = this.pending
    if (bytes === "") return
    this.pending = ""
    // oxlint-disable-next-line no-control-regex
    const isAscii = /^[\0-\x7f]*$/.test(bytes)
    const decoder = isAscii ? undefined : new TextDecoder(this.group.encoding as Bun.Encoding)
    this.text(decoder?.decode(Buffer.from(bytes, "latin1")) ?? bytes)
  }

  private text(text: string): void {
    const { isHidden, target } = this.group
    if (target === "instruction") this.instruction += text
    else if (target === "title") this.title += text
    else if (target === "styles") this.styleName += text
    else if (target === "mark") this.html.mark += text
    else if (target === "text" && !isHidden) this.html.text(text)
  }

  private symbol(symbol: string): void {
    if (symbol === "*") this.isOptional = true
    else if (symbol === "~") this.text(" ")
    else if (symbol === "_") this.text("-")
    else if ("{}\\".includes(symbol)) this.text(symbol)
    else if (symbol === "\n" || symbol === "\r") this.paragraph()
  }

  private word(word: string, value: number | undefined): void {
    const { group } = this
    const isUnknown = this.isOptional && !knownGroups.has(word)
    this.isOptional = false
    const character = characters.get(word)
    const target = targets.get(word)
    if (isUnknown || skippedGroups.has(word)) group.target = "none"
    else if (character !== undefined) this.text(character)
    else if (target !== undefined && group.target !== "none") {
      group.target = target
      if (target === "mark") this.html.mark = ""
      if (target === "instruction") this.instruction = ""
    } else if (!this.character(word, value) && group.target === "text") this.structure(word, value)
  }

  /** Control words that say which characters follow. Returns whether the word is one of them. */
  private character(word: string, value = 0): boolean {
    const { group } = this
    if (word === "u") {
      this.text(String.fromCharCode(value & 0xffff))
      this.skip = group.fallback
    } else if (word === "uc") group.fallback = Math.min(Math.max(value, 0), 10)
    else if (word === "ansicpg") this.documentEncoding = group.encoding = encodingOfPage(value)
    else if (word === "mac") this.documentEncoding = group.encoding = encodingOfPage(10_000)
    else if (word === "deff") this.defaultFont = value
    else if (word === "f") {
      this.font = value
      if (group.target !== "fonts") group.encoding = this.encodings.get(value) ?? this.documentEncoding
    } else if (word === "fcharset") {
      const encoding = encodingOfCharset(value)
      if (group.target === "fonts" && encoding !== undefined) this.encodings.set(this.font, encoding)
    } else if (word === "plain") {
      group.isHidden = false
      group.encoding = this.encodings.get(this.defaultFont) ?? this.documentEncoding
    } else if (word === "title" && group.target === "none") group.target = "title"
    else if (word === "shptxt" && group.target === "shape") group.target = "text"
    else if (word === "s" && group.target === "styles") this.style = value
    else return false
    return true
  }

  /** Control words that divide the text: paragraphs, tables, links and notes. */
  private structure(word: string, value: number | undefined): void {
    const { group, html } = this
    if (word === "v" || word === "deleted") group.isHidden = value !== 0
    else if (word === "fldrslt") {
      const address = /HYPERLINK\s+"([^"]*)"/.exec(this.instruction)?.[1]
      if (address === undefined) return
      html.beginLink(address)
      group.end = () => html.endLink()
    } else if (group.isNote) {
      if (word === "par") html.text(" ")
    } else if (word === "footnote") {
      group.isNote = true
      group.end = html.beginNote()
    } else if (word === "par" || word === "sect" || word === "page") this.paragraph()
    else if (word === "pard") html.resetParagraph()
    else if (word === "s") html.heading = this.headingStyles.get(value ?? 0) ?? 0
    else if (word === "outlinelevel") html.heading = value !== undefined && value >= 0 && value < 6 ? value + 1 : 0
    else if (word === "intbl") html.isInTable = true
    else if (word === "cell") html.endCell()
    else if (word === "row") html.endRow()
  }

  private paragraph(): void {
    if (this.group.target === "text" && !this.group.isNote) this.html.endParagraph()
  }

  private endStyle(): void {
    const level = /^\s*(?:heading|überschrift|titre|título|titolo|kop)\s*([1-6])\b/i.exec(this.styleName)?.[1]
    if (level !== undefined) this.headingStyles.set(this.style, Number(level))
    ;[this.styleName, this.style] = ["", 0]
  }
}

/** Reads RTF into Markdown. Pictures, running heads, comments and hidden text are left out. */
export const rtf: Reader = (bytes): Draft => {
  const reader = new RtfReader()
  const page = reader.read(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1"))
  return { title: oneLine(reader.title) || undefined, text: htmlText(page) }
}
