import type { PassageJson } from "../../domain/knowledge/Passage.ts"
import { bounded } from "../../text/BoundedText.ts"
import { type Block, blocksOf } from "../../text/Blocks.ts"
import { announces, sentencesIn } from "../../text/Lines.ts"
import { plain } from "../../text/Markup.ts"
import { withoutRecords } from "../../text/Tables.ts"
import { keysOf } from "./Terms.ts"
import { areAlike } from "./Values.ts"

/*
 * Reads passages into what an answer may quote: sentences, and the items of lists, each with what stands above it.
 */

/** Lines above sentences, such as headings: all sentences under one heading share one lead. */
export interface Lead {
  /** The nearest heading, or the question that stands in its place; empty where there is none. */
  readonly heading: string
  /** The words of the nearest heading. */
  readonly keys: ReadonlyArray<string>
  /** The words of the document's title and of the headings above the nearest one. */
  readonly above: ReadonlyArray<string>
}

/** A sentence, or an item of a list. */
export interface Sentence {
  readonly text: string
  readonly keys: ReadonlyArray<string>
  readonly passage: PassageJson
  /** The rank of its passage, from 0. */
  readonly rank: number
  /** The number of its paragraph or list in reading order. */
  readonly paragraph: number
  readonly lead: Lead
  /** The sentence before it in its paragraph. */
  readonly before?: Sentence | undefined
  /** The list that holds the item; undefined for a sentence. */
  readonly list?: ItemList | undefined
  /** The number of a step with its sign, such as `3.`; empty for other items. */
  readonly number?: string
}

/** A list with what announces it. */
export interface ItemList {
  /** The line above the list that ends with a colon, or the item to which a nested list belongs; empty where none is. */
  readonly announcement: string
  readonly announcementKeys: ReadonlyArray<string>
  readonly items: Array<Sentence>
  readonly lead: Lead
}

/** Contents of the passages, in reading order. */
export interface Reading {
  readonly sentences: ReadonlyArray<Sentence>
  readonly lists: ReadonlyArray<ItemList>
}

/** A line with at most this many words is no sentence unless it ends as one. */
const LABEL_WORDS_MAX = 5
/** The longest nested list that is a part of its item, in UTF-16 code units. */
const NESTED_MAX_LENGTH = 200

export const SENTENCE_END = /[.!?…。！？؟।][\p{Pe}\p{Pf}"']*$/u

export const isQuestion = (line: string): boolean => /[?？؟]$/u.test(line)

/** Reads passages. Those of one document are read in its order. */
export const read = (passages: ReadonlyArray<PassageJson>): Reading => {
  const documents = [...new Set(passages.map((passage) => passage.document_id))]
  const ordered = passages.toSorted(
    (a, b) => documents.indexOf(a.document_id) - documents.indexOf(b.document_id) || a.chunk - b.chunk,
  )
  const reader = new Reader()
  for (const passage of ordered) reader.read(passage, passages.indexOf(passage))
  return reader
}

/** Headings with their levels, outermost first. Those above a passage have levels below 0. */
type Path = ReadonlyArray<{ readonly level: number; readonly text: string }>

/** Passage of a sentence, and its place there. */
type Place = Pick<Sentence, "lead" | "paragraph" | "passage" | "rank">

class Reader implements Reading {
  readonly sentences: Array<Sentence> = []
  readonly lists: Array<ItemList> = []
  /** The texts of the sentences: neighbouring passages overlap, and repeat some. */
  private readonly seen = new Set<string>()
  private paragraph = 0

  read(passage: PassageJson, rank: number): void {
    const section = passage.section?.split(" > ") ?? []
    let path: Path = section.map((text, index) => ({ level: index - section.length, text }))
    let lead = leadOf(passage, path)
    let announcement = ""
    const blocks = blocksOf(withoutRecords(bounded(passage.content), areAlike)).filter(({ text }) => !isAside(text))
    for (let at = 0; at < blocks.length; at++) {
      const block = blocks[at]
      if (block === undefined || block.kind === "row") continue
      const place = { lead, paragraph: this.paragraph++, passage, rank }
      if (block.kind === "heading") {
        path = [...path.filter(({ level }) => level < block.level), { level: block.level, text: plain(block.text) }]
        lead = leadOf(passage, path)
      } else if (block.kind === "item") {
        const end = blocks.findIndex(({ kind }, index) => index > at && kind !== "item")
        const items = blocks.slice(at, end < 0 ? blocks.length : end)
        this.readItems(items, announcement, place)
        at += items.length - 1
      }
      announcement = ""
      if (block.kind !== "paragraph") continue
      const sentences = sentencesIn(block.text)
      const last = sentences.at(-1) ?? ""
      if (sentences.length === 1 && isQuestion(last)) lead = leadOf(passage, [...path, { level: 0, text: last }])
      else {
        let before: Sentence | undefined
        for (const text of sentences) before = this.add({ ...place, text, before }) ?? before
        if (announces(last)) announcement = last
      }
    }
  }

  private readItems(blocks: ReadonlyArray<Block>, announcement: string, place: Place): void {
    const top = Math.min(...blocks.map(({ level }) => level))
    const list: ItemList = {
      announcement,
      announcementKeys: keysOf(bounded(announcement)),
      items: [],
      lead: place.lead,
    }
    for (let at = 0; at < blocks.length;) {
      const block = blocks[at]
      const own = sentencesIn(block?.text ?? bounded("")).join(" ")
      const start = ++at
      while ((blocks[at]?.level ?? top) > top) at++
      const nested = blocks.slice(start, at)
      const values = nested.map(({ text }) => sentencesIn(text).join(" ")).join("; ")
      const isPart = nested.length > 0 && values.length <= NESTED_MAX_LENGTH && !SENTENCE_END.test(own)
      const text = isPart ? `${own.replace(/\s*:$/, "")}: ${values}` : own
      const item = this.add({ ...place, text, list, number: block?.number ?? "" })
      if (item !== undefined) list.items.push(item)
      if (!isPart && nested.length > 0) this.readItems(nested, own, place)
    }
    if (list.items.length > 1) this.lists.push(list)
  }

  /** Adds a text, unless it is none that an answer may quote. */
  private add(read: Omit<Sentence, "keys">): Sentence | undefined {
    const text = read.text.replace(/^(\S[^:]{0,60}) : /, "$1: ")
    if (this.seen.has(text) || text === read.passage.title) return undefined
    this.seen.add(text)
    const keys = keysOf(bounded(text))
    // Labels, captions and the words of buttons are no sentences.
    const isLabel = !SENTENCE_END.test(text) && keys.length <= LABEL_WORDS_MAX && !/[:–—]\s/.test(text)
    if (keys.length === 0 || (read.list === undefined && (isLabel || announces(text)))) return undefined
    const sentence = { ...read, text, keys }
    this.sentences.push(sentence)
    return sentence
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
