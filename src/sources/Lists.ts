import { Effect, Schema } from "effect"
import { Parser } from "htmlparser2"
import { gunzip } from "node:zlib"
import type { CrawledKind } from "../domain/knowledge/Source.ts"
import { SourceRunError } from "../domain/knowledge/SourceRun.ts"
import { addressOf } from "./Address.ts"
import type { Requests } from "./PoliteFetch.ts"

/*
 * Lists of pages: sitemaps, feeds, and llms.txt. They are read in the server's process, since that takes linear time and
 * memory within these bounds, and others run after each piece.
 */

/** The bounds of the protocol of sitemaps. */
const LIST_MAX_BYTES = 50 * 1024 * 1024
const ENTRIES_MAX = 50_000
/** Lists that a source may consist of, and how deep indexes may name indexes. */
const LISTS_MAX = 500
const INDEX_DEPTH_MAX = 3
/** Characters that are parsed before others run. */
const PIECE = 64 * 1024
/** No list has elements within so many others. */
const NESTING_MAX = 32
const ADDRESS_MAX_LENGTH = 4_000

/** What a list names, as it is written there. */
interface Named {
  readonly pages: Array<string>
  readonly lists: Array<string>
}

/** The lists of a source cannot be read. */
export class ListsUnreadable extends Schema.TaggedError<ListsUnreadable>()("ListsUnreadable", {
  error: SourceRunError,
}) {}

const unreadable = (code: SourceRunError["code"], message: string) => new ListsUnreadable({ error: { code, message } })

class Overfull extends Error {}

/** Splits the name of an element into its prefix, with the colon, and its local name. */
const splitName = (name: string): readonly [prefix: string, local: string] => {
  const at = name.indexOf(":") + 1
  return [name.slice(0, at), name.slice(at)]
}

/**
 * Collects the addresses of a sitemap or a feed, with any prefix of its namespace. Elements count that have the prefix
 * of the entry that they are children of: what stands in others, such as `image:loc`, is no page. `isList` is set by the
 * first element.
 */
const makeReader = (named: Named) => {
  const parents: Array<string> = []
  let isList: boolean | undefined
  let text = ""
  let attributes: Record<string, string> = {}
  const add = (address: string, to: Array<string> = named.pages) => {
    if (address.trim() !== "" && to.push(address.trim()) >= ENTRIES_MAX) throw new Overfull()
  }
  const parser = new Parser(
    {
      onopentagname: (name) => {
        if (parents.push(name) > NESTING_MAX) throw new Overfull()
        isList ??= /^(?:urlset|sitemapindex|rss|feed|RDF)$/.test(splitName(name)[1])
        text = ""
        attributes = {}
      },
      onattribute: (name, value) => {
        if (/^(?:href|rel|isPermaLink)$/.test(name)) attributes[name] = value.slice(0, ADDRESS_MAX_LENGTH)
      },
      ontext: (piece) => {
        if (text.length < ADDRESS_MAX_LENGTH) text += piece.slice(0, ADDRESS_MAX_LENGTH)
      },
      onclosetag: (name) => {
        parents.pop()
        const [prefix, local] = splitName(name)
        const [prefixOfEntry, entry] = splitName(parents.at(-1) ?? "")
        const { href, isPermaLink, rel = "alternate" } = attributes
        if (prefix === prefixOfEntry) {
          if (local === "loc" && entry === "url") add(text)
          if (local === "loc" && entry === "sitemap") add(text, named.lists)
          if (local === "link" && entry === "entry" && rel === "alternate" && href !== undefined) add(href)
          if (local === "link" && entry === "item") add(text)
          if (local === "guid" && entry === "item" && isPermaLink === "true") add(text)
        }
        text = ""
        attributes = {}
      },
    },
    { xmlMode: true, decodeEntities: true },
  )
  return { parser, isList: () => isList === true }
}

const unpacked = (bytes: Uint8Array): Effect.Effect<Uint8Array> =>
  bytes[0] !== 0x1f || bytes[1] !== 0x8b
    ? Effect.succeed(bytes)
    : Effect.callback((resume) =>
        gunzip(bytes, { maxOutputLength: LIST_MAX_BYTES }, (error, body) =>
          resume(Effect.succeed(error === null ? body : new Uint8Array())),
        ),
      )

/** Reads what a list names; undefined when it is none of the kind. */
const read = Effect.fnUntraced(function* (kind: CrawledKind, body: Uint8Array) {
  const bytes = yield* unpacked(body)
  const named: Named = { pages: [], lists: [] }
  const beginning = new TextDecoder().decode(bytes.subarray(0, 1_000)).trimStart()
  if (!beginning.startsWith("<")) {
    if (beginning === "" || kind === "feed") return undefined
    // A sitemap may be a text with an address in each line.
    const pattern =
      kind === "llms_txt"
        ? /\]\(\s{0,9}<?([^\s()<>]{1,2000})|<(https?:[^\s<>]{1,2000})>/g
        : /^(https?:\S{1,2000})\s*$/gm
    for (const [, one, other] of new TextDecoder().decode(bytes).matchAll(pattern))
      if (named.pages.push(one ?? other ?? "") >= ENTRIES_MAX) break
    return named
  }
  if (kind === "llms_txt") return undefined
  const { isList, parser } = makeReader(named)
  const encoding = /^<\?xml[^>]{0,200}encoding=["']([\w-]{1,40})/.exec(beginning)?.[1] ?? "utf-8"
  const decoder = /^(?:iso-8859-1|latin1|us-ascii|windows-1252)$/i.test(encoding)
    ? new TextDecoder("windows-1252")
    : new TextDecoder()
  for (let at = 0; at < bytes.length; at += PIECE) {
    const isOver = yield* Effect.try(() =>
      parser.write(decoder.decode(bytes.subarray(at, at + PIECE), { stream: true })),
    ).pipe(
      Effect.as(false),
      Effect.orElseSucceed(() => true),
    )
    if (isOver) break
    yield* Effect.yieldNow
  }
  return isList() ? named : undefined
})

const kinds: Readonly<Record<Exclude<CrawledKind, "website">, string>> = {
  sitemap: "a sitemap",
  llms_txt: "an llms.txt",
  feed: "an RSS or Atom feed",
}

/**
 * Reads the addresses that lists name, at most `most`, each once. `isWhole`: everything that they name was read. Fails when
 * none of the lists can be read.
 */
export const readLists = Effect.fnUntraced(function* (
  kind: Exclude<CrawledKind, "website">,
  urls: ReadonlyArray<string>,
  requests: Requests,
  most: number,
) {
  const waiting = urls.map((url) => ({ url, depth: 0 }))
  const met = new Set(urls)
  const pages = new Set<string>()
  let failure: ListsUnreadable | undefined
  let [readable, isWhole] = [0, true]
  const fail = (code: SourceRunError["code"], message: string) => {
    failure ??= unreadable(code, message)
    isWhole = false
  }
  for (let list = waiting.shift(); list !== undefined; list = waiting.shift()) {
    const { depth, url } = list
    const answer = yield* requests
      .getList(url, LIST_MAX_BYTES)
      .pipe(Effect.catchTag("NotRead", ({ detail }) => Effect.succeed(detail)))
    if (typeof answer === "string") {
      fail("unreachable", `${url}: ${answer}`)
      continue
    }
    const { at, response } = answer
    if (response === undefined || response.status >= 300) {
      fail(
        "unreachable",
        `${url}: The server answers with ${response === undefined ? "too many redirects" : `the status ${response.status}`}.`,
      )
      continue
    }
    const named = yield* read(kind, response.body)
    if (named === undefined) {
      fail("not_a_list", `${url} is not ${kinds[kind]}.`)
      continue
    }
    readable++
    for (const [index, text] of named.pages.entries()) {
      if (index % 1_000 === 0) yield* Effect.yieldNow
      const address = addressOf(text, at)
      if (address !== undefined && pages.size < most) pages.add(address)
      else if (address !== undefined && !pages.has(address)) isWhole = false
    }
    for (const text of depth < INDEX_DEPTH_MAX ? named.lists : []) {
      const address = addressOf(text, at)
      if (address === undefined || met.has(address)) continue
      if (met.size >= LISTS_MAX || pages.size >= most) {
        isWhole = false
        break
      }
      met.add(address)
      waiting.push({ url: address, depth: depth + 1 })
    }
  }
  if (readable === 0 && failure !== undefined) return yield* failure
  return { pages: [...pages], isWhole }
})
