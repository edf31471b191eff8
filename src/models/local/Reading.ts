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
  /** Its place in reading order. */
  readonly place: number
  /** The number of its paragraph or list in reading order. */
  readonly paragraph: number
  /** A `record` is the name of a thing with its value, and a `fragment` a line that is no whole sentence. */
  readonly form: "sentence" | "item" | "record" | "fragment"
  readonly lead: Lead
  /** The number of a step with its sign, such as `3.`; empty for what has none. */
  readonly number: string
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
  readonly items: Array<Sentence>
  /** Steps have numbers; topics are the headings below another one. */
  readonly form: "items" | "steps" | "topics"
  readonly lead: Lead
}

/** Contents of the passages, in reading order. */
export interface Reading {
  readonly sentences: ReadonlyArray<Sentence>
  readonly lists: ReadonlyArray<ItemList>
}

/** A line with at most this many words is no sentence unless it ends as one. */
const LABEL_WORDS_MAX = 5
/** The longest value of a record, and the most values, in UTF-16 code units. */
const VALUE_MAX_LENGTH = 200
const VALUES_MAX = 4

export const SENTENCE_END = /[.!?…。！？؟।][\p{Pe}\p{Pf}"']*$/u

export const isQuestion = (line: string): boolean => /[?？؟]$/u.test(line)

/** Reads passages. Those of one document are read in its order. */
export const read = (passages: ReadonlyArray<PassageJson>): Reading => {
  const documents = [...new Set(passages.map((passage) => passage.document_id))]
  const ordered = passages.toSorted(
    (a, b) => documents.indexOf(a.document_id) - documents.indexOf(b.document_id) || a.chunk - b.chunk,
  )
  const contents: Contents = { sentences: [], lists: [], seen: new Set(), topics: new Map() }
  for (const passage of ordered) new Reader(contents, passage, passages.indexOf(passage)).read()
  return contents
}

interface Contents extends Reading {
  readonly sentences: Array<Sentence>
  readonly lists: Array<ItemList>
  /** The texts of the sentences: neighbouring passages overlap, and repeat some. */
  readonly seen: Set<string>
  /** Lists of the headings below another one, by the path of that one. */
  readonly topics: Map<string, ItemList>
}

/** Headings with their levels, outermost first. Those above a passage have levels below 0. */
type Path = ReadonlyArray<{ readonly level: number; readonly text: string }>

/** Reads one passage. */
class Reader {
  private readonly contents: Contents
  private readonly passage: PassageJson
  private readonly rank: number
  private lead: Lead
  private distance = 0
  private paragraph: number

  constructor(contents: Contents, passage: PassageJson, rank: number) {
    this.contents = contents
    this.passage = passage
    this.rank = rank
    this.lead = this.leadOf([])
    this.paragraph = contents.sentences.length
  }

  read(): void {
    const section = this.passage.section?.split(" > ") ?? []
    let path: Path = section.map((text, index) => ({ level: index - section.length, text }))
    this.under(path)
    const blocks = blocksOf(withoutRecords(bounded(this.passage.content), areAlike))
      .filter(({ text }) => !isAside(text))
      .map(asStep)
    let announcement = ""
    for (let at = 0; at < blocks.length; at++) {
      const block = blocks[at]
      if (block === undefined || block.kind === "row") continue
      this.paragraph++
      if (block.kind === "heading") {
        const above = path.filter(({ level }) => level < block.level)
        path = [...above, { level: block.level, text: plain(block.text) }]
        this.under(path)
        this.addTopic(above)
      } else if (block.kind === "item") {
        const end = blocks.findIndex(({ kind }, index) => index > at && kind !== "item")
        const items = blocks.slice(at, end < 0 ? blocks.length : end)
        this.readItems(items, announcement)
        at += items.length - 1
      }
      announcement = ""
      if (block.kind !== "paragraph") continue
      const sentences = sentencesIn(block.text)
      const last = sentences.at(-1) ?? ""
      if (sentences.length === 1 && isQuestion(last)) this.under([...path, { level: 0, text: last }])
      else {
        let before: Sentence | undefined
        for (const text of sentences) before = this.add(text, "sentence", { before }) ?? before
        if (announces(last)) announcement = last
      }
    }
  }

  private leadOf(path: Path): Lead {
    const heading = path.at(-1)?.text ?? ""
    const above = [this.passage.title, ...path.slice(0, -1).map(({ text }) => text)].join(" ")
    return { heading, keys: keysOf(bounded(heading)), above: keysOf(bounded(above)) }
  }

  private under(path: Path): void {
    this.lead = this.leadOf(path)
    this.distance = 0
  }

  /** Adds the heading that was just read to the list of those below the one above it. */
  private addTopic(above: Path): void {
    const { heading, keys } = this.lead
    if (above.length === 0 || isQuestion(heading) || keys.length === 0) return
    const { lists, topics } = this.contents
    const key = JSON.stringify([this.passage.document_id, ...above.map(({ text }) => text)])
    const known = topics.get(key)
    const list = known ?? {
      announcement: "",
      announcementKeys: [],
      items: [],
      form: "topics",
      lead: this.leadOf(above),
    }
    if (known === undefined) topics.set(key, list)
    list.items.push(this.sentence(heading, keys, "item", { lead: list.lead }))
    if (list.items.length === 2) lists.push(list)
  }

  private readItems(blocks: ReadonlyArray<Block>, announcement: string): void {
    const top = Math.min(...blocks.map(({ level }) => level))
    const list: ItemList = {
      announcement,
      announcementKeys: keysOf(bounded(announcement)),
      items: [],
      form: (blocks[0]?.number ?? "") !== "" ? "steps" : "items",
      lead: this.lead,
    }
    for (let at = 0; at < blocks.length; at++) {
      const block = blocks[at]
      const text = sentencesIn(block?.text ?? bounded("")).join(" ")
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
      const item = this.add(whole, isRecord ? "record" : "item", { list, number: block?.number ?? "" })
      if (item !== undefined) list.items.push(item)
      if (!isRecord && nested.length > 0) this.readItems(nested, text)
    }
    if (list.items.length > 1) this.contents.lists.push(list)
  }

  /** Adds a text, unless it is none that an answer may quote. */
  private add(text: string, form: Sentence["form"], around: Partial<Sentence>): Sentence | undefined {
    const { seen, sentences } = this.contents
    const clean = text.replace(/^(\S[^:]{0,60}) : /, "$1: ")
    if (seen.has(clean) || clean === this.passage.title || clean === "") return undefined
    seen.add(clean)
    const keys = keysOf(bounded(clean))
    const isFragment = form === "sentence" && !SENTENCE_END.test(clean)
    // Labels, captions and the words of buttons are no sentences.
    if (keys.length === 0 || (isFragment && keys.length <= LABEL_WORDS_MAX && !/[:–—]\s/.test(clean))) return undefined
    if (announces(clean) && form === "sentence") return undefined
    const sentence = this.sentence(clean, keys, isFragment ? "fragment" : form, around)
    this.distance++
    sentences.push(sentence)
    return sentence
  }

  private sentence(
    text: string,
    keys: ReadonlyArray<string>,
    form: Sentence["form"],
    around: Partial<Sentence>,
  ): Sentence {
    const { distance, lead, paragraph, passage, rank } = this
    const place = this.contents.sentences.length
    return {
      text,
      keys,
      passage,
      rank,
      place,
      paragraph,
      form,
      lead,
      number: "",
      distance,
      before: undefined,
      list: undefined,
      ...around,
    }
  }
}

/** Matches the beginning of a paragraph that is a step. */
const STEP =
  /^[*_]{0,2}(?:step|schritt|étape|paso|passo|passaggio|stap|steg|trin|krok|шаг|крок|adım|الخطوة)\s\p{N}{1,2}\s?[.:)–-]?[*_]{0,2}[.:)–-]?\s+(?=\S)/iu

/** A paragraph that begins as “Step 1.” is an item of a list. */
const asStep = (block: Block): Block =>
  block.kind === "paragraph" && STEP.test(block.text)
    ? {
        kind: "item",
        text: bounded(block.text.replace(STEP, "")),
        level: 0,
        number: `${/\p{N}+/u.exec(block.text)?.[0]}.`,
      }
    : block

/** Whether a line is nothing but links, as in the menus of a page, or a reference or a note below a page. */
const isAside = (text: string): boolean =>
  /^(?:\^|↑|\[\^?\d{1,3}\]:?)\s/.test(text) ||
  (text.includes("](") && !/[\p{L}\p{N}]/u.test(text.replaceAll(/\[[^\][]*\]\([^()]*\)/g, "")))
