import type { PassageJson } from "../../domain/knowledge/Passage.ts"
import { blocksOf } from "../../text/Blocks.ts"
import { bounded } from "../../text/BoundedText.ts"
import { announces, sentencesIn } from "../../text/Lines.ts"
import { plain } from "../../text/Markup.ts"
import { cellsOf, isRule, rowText, withTables } from "../../text/Tables.ts"
import { keysOf } from "./Terms.ts"

/*
 * Reads passages into what an answer may quote: paragraphs, lists and tables, each with what stands above it.
 */

/** Lines above an excerpt, such as headings: all excerpts under one heading share one lead. */
export interface Lead {
  /** The nearest heading, or the question that stands in its place; empty where there is none. */
  readonly heading: string
  /** The words of the nearest heading. */
  readonly keys: ReadonlyArray<string>
  /** The words of the document's title and of the headings above the nearest one. */
  readonly above: ReadonlyArray<string>
}

/** A sentence of a paragraph, an item of a list, or a row of a table. */
export interface Part {
  /** Without marks; a row with the names of its columns. */
  readonly text: string
  readonly keys: ReadonlyArray<string>
  readonly passage: PassageJson
  /** The sign of an item, such as `3.`, with the spaces before it where it is nested. */
  readonly sign: string
  /** The cells of a row. */
  readonly cells: ReadonlyArray<string>
}

/** A paragraph, a list or a table. */
export interface Excerpt {
  readonly form: "paragraph" | "item" | "row"
  readonly lead: Lead
  /** The line above a list or a table that ends with a colon; empty where none is. */
  readonly announcement: string
  /** The names of a table's columns. */
  readonly header: ReadonlyArray<string>
  /** The words of the announcement and of the header. */
  readonly keys: ReadonlyArray<string>
  readonly parts: Array<Part>
  /** The rank of its first passage, from 0. */
  readonly rank: number
}

/** A line with at most this many words is no sentence unless it ends as one. */
const LABEL_WORDS_MAX = 5
/** The most cells of all tables that are looked at. The rows after them are left out. */
const CELLS_MAX = 20_000

/** Matches a value, which names no column; a year may. */
const VALUE = /^(?!\d{4}$)[-+(<>~≈]?\s?[$€£¥]?\s?\d/u

const SENTENCE_END = /[.!?…。！？؟।][\p{Pe}\p{Pf}"']*$/u

const isQuestion = (line: string): boolean => /[?？؟]$/u.test(line)

/** Reads passages. Those of one document are read in its order. */
export const read = (passages: ReadonlyArray<PassageJson>): ReadonlyArray<Excerpt> => {
  const documents = [...new Set(passages.map((passage) => passage.document_id))]
  const ordered = passages.toSorted(
    (a, b) => documents.indexOf(a.document_id) - documents.indexOf(b.document_id) || a.chunk - b.chunk,
  )
  const reader = new Reader()
  for (const passage of ordered) reader.read(passage, passages.indexOf(passage))
  return reader.excerpts.filter(({ parts }) => parts.length > 0)
}

/** Headings with their levels, outermost first. Those above a passage have levels below 0. */
type Path = ReadonlyArray<{ readonly level: number; readonly text: string }>

class Reader {
  readonly excerpts: Array<Excerpt> = []
  /** The parts with their headings: neighbouring passages overlap, and repeat some. */
  private readonly seen = new Set<string>()
  private cellCount = 0

  read(passage: PassageJson, rank: number): void {
    const section = passage.section?.split(" > ") ?? []
    let path: Path = section.map((text, index) => ({ level: index - section.length, text }))
    let lead = leadOf(passage, path)
    let announcement = ""
    /** The list or the table that goes on. */
    let open: Excerpt | undefined
    const begin = (form: Excerpt["form"], header: ReadonlyArray<string> = []): Excerpt => {
      const keys = keysOf(bounded([announcement, ...header].join(" ")))
      const begun = { form, lead, announcement, header, keys, parts: [], rank }
      this.excerpts.push(begun)
      announcement = ""
      return begun
    }
    const blocks = blocksOf(withTables(bounded(passage.content))).filter(({ text }) => !isAside(text))
    for (const [at, { kind, level, number, text }] of blocks.entries()) {
      if (kind === "row") {
        if (isRule(text)) continue
        const cells = cellsOf(text)
        const isFirst = isRule(blocks[at + 1]?.text)
        const isHeader = isFirst && !cells.some((cell) => VALUE.test(cell))
        if (isFirst || open?.form !== "row") {
          open = (isHeader ? this.tableOf(passage, cells) : undefined) ?? begin("row", isHeader ? cells : [])
        }
        this.cellCount += cells.length
        if (isHeader || this.cellCount > CELLS_MAX) continue
        const isPair = open.header.length === 0 && cells.filter((cell) => cell !== "").length === 2
        const row = rowText(open.header, cells)
        this.add(open, passage, isPair ? row.replace("; ", ": ") : row, { cells })
      } else if (kind === "item") {
        open = open?.form === "item" ? open : begin("item")
        const sign = `${"  ".repeat(level)}${number || "-"}`
        this.add(open, passage, sentencesIn(text).join(" "), { sign })
      } else {
        open = undefined
        announcement = ""
        const sentences = kind === "paragraph" ? sentencesIn(text) : []
        const last = sentences.at(-1) ?? ""
        if (kind === "heading") path = [...path.filter((each) => each.level < level), { level, text: plain(text) }]
        if (kind === "heading") lead = leadOf(passage, path)
        else if (sentences.length === 1 && isQuestion(last)) {
          lead = leadOf(passage, [...path, { level: 0, text: last }])
        } else {
          // What stands below a question answers it together.
          const before = this.excerpts.at(-1)
          const goesOn = before?.form === "paragraph" && before.lead === lead && isQuestion(lead.heading)
          const paragraph = goesOn ? before : begin("paragraph")
          for (const sentence of sentences) this.add(paragraph, passage, sentence)
          if (announces(last)) announcement = last
        }
      }
    }
  }

  /** The table of the same document with the same columns, of which long ones are split among passages. */
  private tableOf({ document_id: id }: PassageJson, header: ReadonlyArray<string>): Excerpt | undefined {
    const key = header.join("|")
    return this.excerpts.find((each) => each.header.join("|") === key && each.parts[0]?.passage.document_id === id)
  }

  /** Adds a text to an excerpt, unless it is none that an answer may quote. */
  private add(
    { form, header, lead, parts }: Excerpt,
    passage: PassageJson,
    text: string,
    { cells = [], sign = "" }: Partial<Pick<Part, "cells" | "sign">> = {},
  ): void {
    const place = `${lead.heading}\n${text}`
    if (this.seen.has(place) || text === passage.title) return
    this.seen.add(place)
    const keys = keysOf(bounded(header.length > 0 ? cells.join(" ") : text))
    // Labels, captions and the words of buttons are no sentences.
    const isLabel = !SENTENCE_END.test(text) && keys.length <= LABEL_WORDS_MAX && !/[:–—]\s/.test(text)
    if (keys.length > 0 && (form !== "paragraph" || !(isLabel || announces(text)))) {
      parts.push({ text, keys, passage, sign, cells })
    }
  }
}

const leadOf = ({ title }: PassageJson, path: Path): Lead => {
  const heading = path.at(-1)?.text ?? ""
  const above = [title, ...path.slice(0, -1).map(({ text }) => text)].join(" ")
  return { heading, keys: keysOf(bounded(heading)), above: keysOf(bounded(above)) }
}

/** Whether a line is nothing but links, as in the menus of a page, or a reference or a note below a page. */
const isAside = (text: string): boolean =>
  /^(?:\^|↑|\[\^?\d{1,3}\]:?)\s/.test(text) ||
  (text.includes("](") && !/[\p{L}\p{N}]/u.test(text.replaceAll(/\[[^\][]*\]\([^()]*\)/g, "")))
