import { type Draft, Omitted, type Reader, Unreadable } from "../Extraction.ts"
import type { OmissionKind } from "../../../domain/knowledge/Omission.ts"
import { oneLine } from "../Text.ts"
import { RtfBlocks } from "./RtfBlocks.ts"

/** The deepest nesting that is read. */
const MAX_DEPTH = 1_000

/** Matches one token: a brace, a byte, a control word with its number, a control symbol, or text. */
const TOKEN = /([{}])|\\'([0-9a-fA-F]{2})|\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\([^a-zA-Z])|([^{}\\\r\n]+)|[\r\n]+|\\/g

/** Matches the entries of the tables of styles and fonts that say which paragraphs are headings, and how bytes are encoded. */
const HEADING_STYLE = /\{\\s(\d{1,5})\b[^{}]*?heading ([1-6])\b/gi
const FONT_CHARSET = /\\f(\d{1,5})\b[^{};]{0,80}?\\fcharset(\d{1,3})/g

/** Groups that hold no text of the document: tables of fonts and colours, pictures, running heads, properties of shapes. */
const skippedGroups = new Set(
  "fonttbl stylesheet colortbl info pict nonshppict sp header headerl headerr headerf footer footerl footerr footerf upr xe tc rxe".split(
    " ",
  ),
)

/** Groups of those that people see. Pictures are in one for newer programs, and in another for older ones. */
const omissions = new Map<string, OmissionKind>([
  ["annotation", "comments"],
  ["pict", "images"],
  ["shppict", "images"],
])

type Target = "text" | "note" | "none" | "title" | "mark" | "instruction"

/** The places to which control words send the text of their group. */
const targets = new Map<string, Target>([
  ["title", "title"],
  ["listtext", "mark"],
  ["pntext", "mark"],
  ["fldinst", "instruction"],
])

/** The characters that control words stand for. */
const characters = new Map([
  ["tab", " "],
  ["nestcell", " "],
  ["line", "\n"],
  ["lquote", "‘"],
  ["rquote", "’"],
  ["ldblquote", "“"],
  ["rdblquote", "”"],
  ["bullet", "•"],
  ["endash", "–"],
  ["emdash", "—"],
])

/** The character sets of fonts, the code pages that they stand for, and the names of their encodings. */
const encodings =
  "77:10000:macintosh 128:932:shift_jis 129:949:euc-kr 134:936:gb18030 136:950:big5 161:1253 162:1254 163:1258 177:1255 178:1256 186:1257 204:1251 222:874 238:1250 :65001:utf-8"
    .split(" ")
    .map((entry) => entry.split(":"))
    .map(([charset, page, name = `windows-${page}`]) => ({ charset, page, name }))

const WESTERN = "windows-1252"

/** The state that a group inherits, and that ends with it. */
interface Group {
  target: Target
  encoding: string
  /** Number of characters for older programs that follow a character of Unicode. */
  fallback: number
  isHidden: boolean
  /** What happens at the end of the group. */
  end?: (() => void) | undefined
}

class RtfReader {
  title = ""
  readonly omitted = new Omitted()
  private readonly blocks = new RtfBlocks()
  private readonly open: Array<Group> = []
  private documentEncoding = WESTERN
  private group: Group = { target: "text", encoding: WESTERN, fallback: 1, isHidden: false }
  private readonly fontEncodings = new Map<number, string>()
  private readonly headings = new Map<number, number>()
  private isOptional = false
  private instruction = ""
  /** Bytes that are decoded together, since a character may have several of them. */
  private bytes = ""
  /** Number of the following bytes that are for older programs. */
  private skip = 0

  read(source: string): string {
    for (const [, style, level] of source.matchAll(HEADING_STYLE)) this.headings.set(Number(style), Number(level))
    for (const [, font, set] of source.matchAll(FONT_CHARSET)) {
      const encoding = encodings.find(({ charset }) => charset === set)
      if (encoding !== undefined) this.fontEncodings.set(Number(font), encoding.name)
    }
    const matcher = new RegExp(TOKEN)
    for (let match = matcher.exec(source); match !== null; match = matcher.exec(source)) {
      const [, brace, byte, word, number, symbol, plain] = match
      const bytes = byte === undefined ? plain : String.fromCharCode(Number.parseInt(byte, 16))
      if (bytes !== undefined) {
        const skipped = Math.min(this.skip, bytes.length)
        this.skip -= skipped
        this.bytes += bytes.slice(skipped)
      } else if (word === "bin") matcher.lastIndex += Math.max(0, Number(number ?? 0))
      else if (word !== undefined || brace !== undefined || symbol !== undefined) {
        this.flush()
        this.skip = 0
        if (word !== undefined) this.word(word, number === undefined ? undefined : Number(number))
        else if (symbol !== undefined) this.symbol(symbol)
        else if (brace === "{") this.enter()
        else this.leave()
      }
    }
    this.flush()
    while (this.open.length > 0) this.leave()
    return this.blocks.end()
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
    this.group = this.open.pop() ?? this.group
  }

  private flush(): void {
    const { bytes } = this
    if (bytes === "") return
    this.bytes = ""
    // oxlint-disable-next-line no-control-regex
    const isAscii = /^[\0-\x7f]*$/.test(bytes)
    const decoder = isAscii ? undefined : new TextDecoder(this.group.encoding as Bun.Encoding)
    this.text(decoder?.decode(Buffer.from(bytes, "latin1")) ?? bytes)
  }

  private text(text: string): void {
    const { isHidden, target } = this.group
    if (target === "instruction") this.instruction += text
    else if (target === "title") this.title += text
    else if (target === "mark") this.blocks.mark += text
    else if (target !== "none" && !isHidden) this.blocks.text(text)
  }

  private symbol(symbol: string): void {
    if (symbol === "*") this.isOptional = true
    else if (symbol === "~") this.text(" ")
    else if (symbol === "_") this.text("-")
    else if ("{}\\".includes(symbol)) this.text(symbol)
    else if (symbol === "\n" || symbol === "\r") this.word("par", undefined)
  }

  private word(word: string, value: number | undefined): void {
    const { group } = this
    // Older programs may skip these groups, but two kinds of them hold text.
    const isUnknown = this.isOptional && word !== "fldinst" && word !== "shpinst"
    this.isOptional = false
    const character = characters.get(word)
    const target = targets.get(word)
    if (isUnknown || skippedGroups.has(word)) {
      const kind = group.target === "none" ? undefined : omissions.get(word)
      if (kind !== undefined) this.omitted.add(kind)
      group.target = "none"
    } else if (character !== undefined) this.text(character)
    else if (target !== undefined) {
      // The title stands in a group without text of the document.
      if (group.target === "none" && target !== "title") return
      group.target = target
      if (target === "mark") this.blocks.mark = ""
      if (target === "instruction") this.instruction = ""
    } else if (!this.character(word, value) && (group.target === "text" || group.target === "note")) {
      this.structure(word, value)
    }
  }

  /** Control words that say which characters follow. Returns whether the word is one of them. */
  private character(word: string, value = 0): boolean {
    const { group } = this
    if (word === "u") {
      this.text(String.fromCharCode(value & 0xffff))
      this.skip = group.fallback
    } else if (word === "uc") group.fallback = Math.min(Math.max(value, 0), 10)
    else if (word === "ansicpg") {
      this.documentEncoding = encodings.find(({ page }) => page === String(value))?.name ?? WESTERN
      group.encoding = this.documentEncoding
    } else if (word === "f") group.encoding = this.fontEncodings.get(value) ?? this.documentEncoding
    else if (word === "plain") {
      group.isHidden = false
      group.encoding = this.documentEncoding
    } else return false
    return true
  }

  /** Control words that divide the text or hide it. */
  private structure(word: string, value: number | undefined): void {
    const { blocks, group } = this
    if (word === "v" || word === "deleted") {
      if (value !== 0 && !group.isHidden) this.omitted.add(word === "v" ? "hidden_text" : "deletions")
      group.isHidden = value !== 0
    } else if (word === "fldrslt") {
      const address = /HYPERLINK\s+"([^"]*)"/.exec(this.instruction)?.[1]
      if (address !== undefined) group.end = blocks.link(address)
    } else if (group.target === "note") {
      if (word === "par") blocks.text(" ")
    } else if (word === "footnote") {
      group.target = "note"
      group.end = blocks.note()
    } else if (word === "par" || word === "sect" || word === "page") blocks.endParagraph()
    else if (word === "pard") {
      blocks.heading = 0
      blocks.isInTable = false
    } else if (word === "s") blocks.heading = this.headings.get(value ?? 0) ?? 0
    else if (word === "outlinelevel") blocks.heading = value !== undefined && value >= 0 && value < 6 ? value + 1 : 0
    else if (word === "intbl") blocks.isInTable = true
    else if (word === "cell") blocks.endCell()
    else if (word === "row") blocks.endRow()
  }
}

/** Reads RTF into Markdown. Pictures, running heads, comments and hidden text are left out. */
export const rtf: Reader = (bytes): Draft => {
  const reader = new RtfReader()
  const text = reader.read(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1"))
  return { title: oneLine(reader.title) || undefined, text, omitted: reader.omitted }
}
