import type { Document, Element } from "domhandler"
import { findAll, findOne, textContent } from "domutils"
import { bounded } from "../../../text/BoundedText.ts"
import { detect } from "../../../domain/knowledge/Formats.ts"
import { decodeText } from "../Decode.ts"
import { type PageSource, type PageText, tooLarge, Unreadable } from "../Extraction.ts"
import { headingOf, plainText } from "../Heading.ts"
import { cleanTitle, oneLine } from "../Text.ts"
import { declaredEncoding, isElement, parseDocument } from "./Html.ts"
import { mainContent } from "./MainContent.ts"
import { declarationsOf } from "./PageFacts.ts"
import { blocksOf } from "./PageMarkdown.ts"

/** Most characters (UTF-16 code units) of the text of a page: several times the longest articles of encyclopedias. */
const MAX_CHARACTERS = 2_000_000

/** A page with fewer characters of text than this may be one that scripts fill, or a form. */
const LITTLE_TEXT = 250

/** The elements with which pages begin; others, such as `rss` and `svg`, begin other documents. */
const FIRST =
  /^(?:html|head|body|title|meta|link|base|script|style|noscript|template|div|main|article|section|header|nav|p|h[1-6]|table|[uod]l|pre|span|a|b|i|br|hr|img|form|center|font|strong|em|code|blockquote|frameset|\w+-[\w-]+)$/

const noPage = () => new Unreadable("unsupported_format", "The address did not return a web page.")

const decode = (bytes: Uint8Array, contentType: string): string => {
  if (bytes.length === 0) throw new Unreadable("empty_document", "The page is empty.")
  if (detect("page.html", bytes) === undefined) throw noPage()
  const declared = /charset\s{0,9}=\s{0,9}["']?([\w-]{1,40})/i.exec(contentType)?.[1]
  return decodeText(bytes, declared ?? declaredEncoding(bytes))
}

const parse = ({ bytes, contentType }: PageSource): Document => {
  const isXml = /[/+]xml\b/i.test(contentType)
  const document = parseDocument(decode(bytes, contentType), { recognizeSelfClosing: isXml, recognizeCDATA: isXml })
  const first = findOne(() => true, document.children)
  if (first === null || !FIRST.test(first.name)) throw noPage()
  return document
}

/** The title of a page without the name of its site, where a heading or the page itself says which part that is. */
const titleOf = (document: Document, headings: ReadonlyArray<string>, siteName = ""): string => {
  const byName = (name: string) => findOne((element) => element.name === name, document.children)
  const element = byName("title")
  const title = cleanTitle(bounded(element === null ? "" : textContent(element)))
  if (title === undefined) return headings[0] ?? ""
  const heading = headings.find((each) => title !== each && title.startsWith(each))
  if (heading !== undefined && /^\s*[|·•:»«/–—-]/.test(title.slice(heading.length))) return heading
  const [site, rest] = [oneLine(siteName), title.length - oneLine(siteName).length]
  if (site !== "" && title.endsWith(site)) return title.slice(0, rest).replace(/\s*[|·•:»«/–—-]+\s*$/, "") || title
  return title
}

const appRoot = /^(?:root|app|__next|__nuxt|___gatsby|app-root|main-app|react-root|svelte)$/i

/** Whether a page with little text has scripts that would make it. */
const isMadeByScripts = (document: Document, text: string): boolean => {
  const elements = findAll(() => true, document.children)
  const named = (name: string) => elements.filter((each) => each.name === name)
  if (named("script").length === 0) return false
  const isRoot = ({ attribs, name }: Element) => appRoot.test(attribs["id"] ?? "") || name === "app-root"
  const asks = [text, ...named("noscript").map((each) => textContent(each))].some((words) => /javascript/i.test(words))
  return asks || text === "" || elements.some((each) => isRoot(each) && oneLine(textContent(each)).length < LITTLE_TEXT)
}

/** Reads a web page: its main content, and what it says about itself. Throws `Unreadable`. */
export const page = (source: PageSource, textLimit: number): PageText => {
  const document = parse(source)
  const { base, siteName, ...declared } = declarationsOf(document, source.url)
  const hasPassword =
    findOne(({ attribs, name }) => name === "input" && /^password$/i.test(attribs["type"] ?? ""), document.children) !==
    null
  const isEmptied = isMadeByScripts
  const content = mainContent(document)
  const titles = content.headings
    .slice(0, 3)
    .map(({ children }) => textContent(children.filter((node) => !isElement(node) || !content.dropped.has(node))))
    .flatMap((heading) => cleanTitle(bounded(heading)) ?? [])
  const title = titleOf(document, titles, siteName)
  const blocks = blocksOf(content, base)
  const characters = blocks.reduce((sum, block) => sum + block.length, 0)
  if (characters > Math.min(textLimit, MAX_CHARACTERS)) throw tooLarge(Math.min(textLimit, MAX_CHARACTERS))
  const first = headingOf(blocks[0] ?? "")?.text
  const isLittle = characters < LITTLE_TEXT
  return {
    ...declared,
    title,
    blocks: first !== undefined && plainText(first) === title ? blocks.slice(1) : blocks,
    needsBrowser: isLittle && !hasPassword && isEmptied(document, blocks.join("\n")),
    needsLogin: hasPassword && isLittle,
  }
}
