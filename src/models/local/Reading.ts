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
  /** The rank of its document among those of the passages, from 0. */
  readonly document: number
  /** The rank of its passage, from 0. */
  readonly rank: number
  /** Its place in reading order. */
  readonly place: number
  /** A `record` is the name of a thing with its value, and a `fragment` a line that is no whole sentence. */
  readonly form: "sentence" | "item" | "record" | "fragment"
  readonly lead: Lead
  /** The number of sentences between the lead and this one. */
  readonly distance: number
  /** The sentence before it in its paragraph. */
  readonly before: Sentence | undefined
  /** The list that holds the item. */
  readonly list: ItemList | undefined
}

/** A list with what announces it. */
export interface ItemList {
  /** The line above the list that ends with a colon, or the item to which a nested list belongs; empty where none is. */
  readonly announcement: string
  readonly announcementKeys: ReadonlyArray<string>
  readonly items: ReadonlyArray<Sentence>
  /** Steps have numbers; topics are the headings below another one. */
  readonly form: "items" | "steps" | "topics"
  readonly lead: Lead
}

/** Contents of the passages, in reading order. */
export interface Reading {
  readonly sentences: ReadonlyArray<Sentence>
  readonly lists: ReadonlyArray<ItemList>
}

/** The least share of links among the items of a menu. */
const MENU_LINKS_MIN = 0.6
/** A line with at most this many words is no sentence unless it ends as one. */
const LABEL_WORDS_MAX = 5
/** A sentence of at most so many words says little without the next one. */
const SHORT_WORDS_MAX = 1
/** The longest value of a record, and the most values, in UTF-16 code units. */
const VALUE_MAX_LENGTH = 200
const VALUES_MAX = 4

export const SENTENCE_END = /[.!?…。！？؟।][\p{Pe}\p{Pf}"']*$/u

/** Whether a line is a question. */
export const isQuestion = (line: string): boolean => /[?？؟]$/u.test(line)

/** Reads passages. Those of one document are read in its order. */
export const read = (passages: ReadonlyArray<PassageJson>): Reading => {
  const documents = [...new Set(passages.map((passage) => passage.document_id))]
  const ordered = passages.toSorted(
    (a, b) => documents.indexOf(a.document_id) - documents.indexOf(b.document_id) || a.chunk - b.chunk,
  )
  const reader = new Reader()
  for (const passage of ordered) {
    reader.read(passage, { document: documents.indexOf(passage.document_id), rank: passages.indexOf(passage) })
  }
  return reader
}

/** The ranks of a passage and of its document. */
type Ranks = Pick<Sentence, "document" | "rank">

class Reader implements Reading {
  readonly sentences: Array<Sentence> = []
  readonly lists: Array<ItemList> = []
  private readonly seen = new Set<string>()
  private lead: Lead = { heading: "", keys: [], above: [] }
  private distance = 0
  /** The headings above the place that is read, with their levels. */
  private leads: ReadonlyArray<{ readonly level: number; readonly lead: Lead }> = []
  private readonly topics = new Map<Lead, Array<Sentence>>()

  read(passage: PassageJson, ranks: Ranks): void {
    const section = passage.section?.split(" > ") ?? []
    let path: ReadonlyArray<{ readonly level: number; readonly text: string }> = section.map((text, index) => ({
      level: index - section.length,
      text,
    }))
    this.under(passage.title, path)
    this.leads = section.length === 0 ? [] : [{ level: 0, lead: this.lead }]
    const blocks = blocksOf(withoutRecords(bounded(passage.content), areAlike)).map(asStep)
    let announcement = ""
    for (let at = 0; at < blocks.length; at++) {
      const block = blocks[at]
      if (block === undefined) break
      if (block.kind === "row") continue
      if (block.kind === "heading") {
        const parent = this.leads.findLast(({ level }) => level < block.level)
        path = [...path.filter(({ level }) => level < block.level), { level: block.level, text: plain(block.text) }]
        this.under(passage.title, path)
        this.readTopic(block.level, parent?.lead, passage, ranks)
      } else if (block.kind === "item") {
        const end = blocks.findIndex(({ kind }, index) => index > at && kind !== "item")
        const items = blocks.slice(at, end < 0 ? blocks.length : end)
        if (!isMenu(items)) this.readItems(items, announcement, passage, ranks)
        at += items.length - 1
      }
      announcement = ""
      if (block.kind !== "paragraph" || isFootnote(block.text)) continue
      const sentences = sentencesIn(block.text)
      const last = sentences.at(-1) ?? ""
      if (sentences.length === 1 && isQuestion(last)) this.under(passage.title, [...path, { level: 0, text: last }])
      else if (!isMenu([block])) {
        this.readSentences(sentences, passage, ranks)
        if (announces(last)) announcement = last
      }
    }
  }

  private under(title: string, path: ReadonlyArray<{ readonly text: string }>): void {
    const heading = path.at(-1)?.text ?? ""
    this.lead = {
      heading,
      keys: keysOf(bounded(heading)),
      above: keysOf(bounded([title, ...path.slice(0, -1).map(({ text }) => text)].join(" "))),
    }
    this.distance = 0
  }

  /** Reads a heading as an item of the list of what stands under the heading above it. */
  private readTopic(level: number, parent: Lead | undefined, passage: PassageJson, ranks: Ranks): void {
    const { heading, keys } = this.lead
    this.leads = [...this.leads.filter((above) => above.level < level), { level, lead: this.lead }]
    if (parent === undefined || isQuestion(heading) || keys.length === 0) return
    const items = this.topics.get(parent) ?? []
    const place = this.sentences.length
    const above = { passage, ...ranks, lead: parent, before: undefined, list: undefined }
    items.push({ text: heading, keys, form: "item", place, distance: items.length, ...above })
    if (items.length === 1) this.topics.set(parent, items)
    if (items.length !== 2) return
    this.lists.push({ announcement: "", announcementKeys: [], items, form: "topics", lead: parent })
  }

  private readSentences(texts: ReadonlyArray<string>, passage: PassageJson, ranks: Ranks): void {
    let before: Sentence | undefined
    for (const text of withShortOnes(texts)) {
      const sentence = this.add(text, passage, ranks, "sentence", before, undefined)
      if (sentence !== undefined) before = sentence
    }
  }

  private readItems(blocks: ReadonlyArray<Block>, announcement: string, passage: PassageJson, ranks: Ranks): void {
    const top = Math.min(...blocks.map(({ level }) => level))
    const items: Array<Sentence> = []
    const list: ItemList = {
      announcement,
      announcementKeys: keysOf(bounded(announcement)),
      items,
      form: blocks[0]?.isOrdered === true ? "steps" : "items",
      lead: this.lead,
    }
    for (let at = 0; at < blocks.length; at++) {
      if (isFootnote(blocks[at]?.text ?? "")) continue
      const text = sentencesIn(blocks[at]?.text ?? bounded("")).join(" ")
      let end = at + 1
      while ((blocks[end]?.level ?? top) > top) end++
      const nested = blocks.slice(at + 1, end)
      const values = nested.map((block) => sentencesIn(block.text).join(" "))
      at = end - 1
      const isRecord =
        nested.length > 0 &&
        nested.length <= VALUES_MAX &&
        !SENTENCE_END.test(text) &&
        values.join("; ").length <= VALUE_MAX_LENGTH
      const whole = isRecord ? `${text.replace(/\s*:$/, "")}: ${values.join("; ")}` : text
      const item = this.add(whole, passage, ranks, isRecord ? "record" : "item", undefined, list)
      if (item !== undefined) items.push(item)
      if (!isRecord && nested.length > 0) this.readItems(nested, text, passage, ranks)
    }
    if (items.length > 1) this.lists.push(list)
  }

  private add(
    text: string,
    passage: PassageJson,
    ranks: Ranks,
    form: Sentence["form"],
    before: Sentence | undefined,
    list: ItemList | undefined,
  ): Sentence | undefined {
    const clean = text.replace(/^(\S[^:]{0,60}) : /, "$1: ")
    // Neighbouring chunks overlap, and repeat sentences.
    if (this.seen.has(clean) || clean === passage.title || clean === "") return undefined
    this.seen.add(clean)
    const keys = keysOf(bounded(clean))
    const isFragment = form === "sentence" && !SENTENCE_END.test(clean) && !announces(clean)
    // Labels, captions and the words of buttons are no sentences.
    if (keys.length === 0 || (isFragment && keys.length <= LABEL_WORDS_MAX && !/[:–—]\s/.test(clean))) return undefined
    if (announces(clean) && form === "sentence") return undefined
    const sentence: Sentence = {
      text: clean,
      keys,
      passage,
      ...ranks,
      place: this.sentences.length,
      form: isFragment ? "fragment" : form,
      lead: this.lead,
      distance: this.distance++,
      before,
      list,
    }
    this.sentences.push(sentence)
    return sentence
  }
}

/** Matches the beginning of a paragraph that is a step. */
const STEP =
  /^[*_]{0,2}(?:step|schritt|étape|paso|passo|passaggio|stap|steg|trin|krok|шаг|крок|adım|الخطوة)\s\p{N}{1,2}\s?[.:)–-]?[*_]{0,2}[.:)–-]?\s+(?=\S)/iu

/** A paragraph that begins as “Step 1.” is an item of a list. */
const asStep = (block: Block): Block =>
  block.kind === "paragraph" && STEP.test(block.text)
    ? { kind: "item", text: bounded(block.text.replace(STEP, "")), level: 0, isOrdered: true }
    : block

/** Sentences in which one as short as “Yes.” stands together with the next one. */
const withShortOnes = (texts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const joined: Array<string> = []
  let open = ""
  for (const text of texts) {
    const whole = open === "" ? text : `${open} ${text}`
    open = !announces(text) && keysOf(bounded(whole)).length <= SHORT_WORDS_MAX ? whole : ""
    if (open === "") joined.push(whole)
  }
  return open === "" ? joined : [...joined, open]
}

/** Whether lines are mostly links, as in the menus of a page. */
const isMenu = (blocks: ReadonlyArray<Block>): boolean => {
  const links = blocks.filter(({ text }) => isOnlyLinks(text)).length
  return links > 0 && links >= MENU_LINKS_MIN * blocks.length
}

const isOnlyLinks = (text: string): boolean => {
  if (!text.includes("](")) return false
  const rest = text.replaceAll(/\[[^\][]*\]\([^()]*\)/g, "")
  return rest.length < text.length && !/[\p{L}\p{N}]/u.test(rest)
}

/** The references and notes below a page begin with a mark. */
const isFootnote = (text: string): boolean => /^(?:\^|↑|\[\^?\d{1,3}\]:?)\s/.test(text)
