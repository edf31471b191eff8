import type { Document, Element } from "domhandler"
import { existsOne, findAll, findOne, textContent } from "domutils"
import { bounded } from "../../../text/BoundedText.ts"
import { detect } from "../../../domain/knowledge/Formats.ts"
import { decodeText } from "../Decode.ts"
import { type PageSource, type PageText, tooLarge, Unreadable } from "../Extraction.ts"
import { headingOf, plainText } from "../Heading.ts"
import { cleanTitle, oneLine } from "../Text.ts"
import { isNeverContent } from "./Chrome.ts"
import { isElement } from "./Elements.ts"
import { unfold } from "./Folded.ts"
import { declaredEncoding, parseDocument } from "./Html.ts"
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

/** The texts of the first headings that may be the title: not of a site's name, which is a link to its first page. */
const titleHeadings = (document: Document): ReadonlyArray<string> => {
  const isLink = ({ attribs, name }: Element) => name === "a" && attribs["href"]?.startsWith("#") !== true
  return findAll(({ name }) => name === "h1" || name === "h2", document.children)
    .slice(0, 5)
    .filter(({ children, parent }) => !existsOne(isLink, children) && !(parent?.type === "tag" && isLink(parent)))
    .map(({ children }) => textContent(children.filter((node) => !isElement(node) || !isNeverContent(node))))
    .flatMap((heading) => cleanTitle(bounded(heading)) ?? [])
}

/** The title of a page without the name of its site, where a heading or the page itself says which part that is. */
const titleOf = (document: Document, headings: ReadonlyArray<string>, siteName: string): string => {
  const element = findOne(({ name }) => name === "title", document.children)
  const title = cleanTitle(bounded(element === null ? "" : textContent(element)))
  if (title === undefined) return headings[0] ?? ""
  const heading = headings.find((each) => title.startsWith(each) && /^\s*[|·•:»«/–—-]/.test(title.slice(each.length)))
  const isNamed = siteName !== "" && title.endsWith(siteName)
  const own = isNamed ? title.slice(0, -siteName.length).replace(/\s*[|·•:»«/–—-]+\s*$/, "") : ""
  return heading ?? (own === "" ? title : own)
}

const appRoot = /^(?:root|app|__next|__nuxt|___gatsby|main-app|react-root|svelte|app-root)$/i
const asksForScripts = /java\s?script/i

/** Whether an element tells that scripts make the page: the root of an application, or an advice to allow them. */
const isForScripts = (element: Element): boolean =>
  appRoot.test(element.attribs["id"] ?? element.name) ||
  (element.name === "noscript" && asksForScripts.test(textContent(element)))

/** Leaves out a first heading that is the title, and last headings below which nothing is. */
const withoutTitle = (blocks: ReadonlyArray<string>, title: string): ReadonlyArray<string> => {
  const first = headingOf(blocks[0] ?? "")?.text
  const isTitle = first !== undefined && title.toLowerCase().includes(plainText(first).toLowerCase())
  const last = blocks.findLastIndex((block) => headingOf(block) === undefined)
  return blocks.slice(isTitle ? 1 : 0, last < 0 ? undefined : last + 1)
}

/** Reads a web page: its main content, and what it says about itself. Throws `Unreadable`. */
export const page = (source: PageSource, textLimit: number): PageText => {
  const document = parse(source)
  unfold(document)
  const { base, siteName, ...declared } = declarationsOf(document, source.url)
  const isPassword = ({ attribs, name }: Element) => name === "input" && /^password$/i.test(attribs["type"] ?? "")
  const hasPassword = existsOne(isPassword, document.children)
  const hasScripts = existsOne(({ name }) => name === "script", document.children)
  const isScripted = existsOne(isForScripts, document.children)
  const title = titleOf(document, titleHeadings(document), oneLine(siteName))
  const blocks = withoutTitle(blocksOf(mainContent(document), base), title)
  const characters = blocks.reduce((sum, block) => sum + block.length, 0)
  const limit = Math.min(textLimit, MAX_CHARACTERS)
  if (characters > limit) throw tooLarge(limit)
  const isLittle = characters < LITTLE_TEXT
  const isUnmade = hasScripts && (isScripted || characters === 0 || asksForScripts.test(blocks.join("\n")))
  return {
    ...declared,
    title,
    blocks,
    needsBrowser: isLittle && !hasPassword && isUnmade,
    needsLogin: isLittle && hasPassword,
  }
}
