import { decodeText } from "./Decode.ts"
import { type Draft, type Reader, tooLarge, Unreadable } from "./Extraction.ts"
import { htmlText } from "./html/Tags.ts"
import { Zip } from "./office/Zip.ts"
import { allOf, childrenOf, descend, parseXml, textOf, type XmlElement } from "./office/Xml.ts"
import { oneLine } from "./Text.ts"

const corrupt = () => new Unreadable("corrupt_document", "The file is not an e-book, or is damaged.")

/** The part of an address before its fragment, decoded and resolved relative to the folder of a part. */
const resolve = (from: string, address: string): string => {
  const [path = ""] = address.split("#", 1)
  try {
    return new URL(decodeURIComponent(path), `file:///${from}`).pathname.slice(1)
  } catch {
    return path
  }
}

/** Ways to obscure fonts, which leave the text readable. */
const FONT_OBFUSCATION = /idpf\.org\/2008\/embedding|ns\.adobe\.com\/pdf\/enc#RC/

/** The parts of an e-book, by their paths as addresses have them. All methods throw `Unreadable`. */
class Book {
  private readonly zip: Zip
  private readonly names = new Map<string, string>()

  constructor(bytes: Uint8Array) {
    this.zip = new Zip(bytes)
    for (const name of this.zip.names) this.names.set(resolve("", encodeURI(name)), name)
  }

  bytes(path: string): Uint8Array | undefined {
    const name = this.names.get(path)
    return name === undefined ? undefined : this.zip.read(name)
  }

  part(path: string): XmlElement | undefined {
    const bytes = this.bytes(path)
    return bytes === undefined ? undefined : parseXml(bytes, "ignored")
  }

  refuseEncrypted(): void {
    const methods = allOf(this.part("META-INF/encryption.xml"), "enc:EncryptionMethod")
    if (methods.some(({ attributes }) => !FONT_OBFUSCATION.test(attributes["Algorithm"] ?? ""))) {
      throw new Unreadable("password_protected", "The e-book is protected against copying.")
    }
  }
}

/** The titles of chapters by their paths, from the table of contents of either version. */
const chapterTitles = (path: string | undefined, contents: XmlElement | undefined): ReadonlyMap<string, string> => {
  const titles = new Map<string, string>()
  const add = (address: string | undefined, title: string) => {
    const chapter = resolve(path ?? "", address ?? "")
    if (!titles.has(chapter)) titles.set(chapter, oneLine(title))
  }
  for (const link of allOf(contents, "a")) add(link.attributes["href"], textOf(link))
  const labels = allOf(contents, "navLabel")
  const targets = allOf(contents, "content")
  if (labels.length === targets.length) {
    targets.forEach(({ attributes }, index) => add(attributes["src"], textOf(labels[index])))
  }
  return titles
}

/** Matches elements that XHTML closes at once, which HTML would leave open. */
const closedAtOnce = /<(title|script|style|textarea|iframe|a|p|div|span|i|b|em|strong|sup|td|li)((?:\s[^<>]*)?)\/>/gi

const chapterText = (bytes: Uint8Array): string =>
  htmlText(decodeText(bytes, "utf-8").replace(closedAtOnce, "<$1$2></$1>"))

/** Reads an e-book (EPUB 2 and 3) chapter by chapter in reading order, each below its heading. */
export const epub: Reader = (bytes, textLimit): Draft => {
  const book = new Book(bytes)
  book.refuseEncrypted()
  const [rootFile] = allOf(book.part("META-INF/container.xml"), "rootfile")
  const path = resolve("", rootFile?.attributes["full-path"] ?? "")
  const root = book.part(path)
  if (root === undefined) throw corrupt()
  const items = new Map(allOf(root, "item").map(({ attributes }) => [attributes["id"], attributes] as const))
  const isNavigation = (properties = "") => properties.split(/\s+/).includes("nav")
  const spine = descend(root, "spine")
  const contents =
    [...items.values()].find(({ properties }) => isNavigation(properties)) ?? items.get(spine?.attributes["toc"])
  const contentsPath = contents === undefined ? undefined : resolve(path, contents["href"] ?? "")
  const titles = chapterTitles(contentsPath, contentsPath === undefined ? undefined : book.part(contentsPath))
  const read = new Set<string>()
  const chapters: Array<string> = []
  let characters = 0
  for (const { attributes } of childrenOf(spine, "itemref")) {
    const item = items.get(attributes["idref"])
    const chapter = resolve(path, item?.["href"] ?? "")
    const page = item === undefined || chapter === contentsPath || read.has(chapter) ? undefined : book.bytes(chapter)
    if (page === undefined) continue
    read.add(chapter)
    const text = chapterText(page)
    const title = titles.get(chapter) ?? ""
    const isTitled = text === "" || title === "" || /^#{1,6} /m.test(text.slice(0, 2_000))
    const rest = text.startsWith(title) ? text.slice(title.length).trimStart() : text
    chapters.push(isTitled ? text : `# ${title}\n\n${rest}`)
    characters += text.length
    if (characters > textLimit) throw tooLarge(textLimit)
  }
  return { title: textOf(allOf(root, "dc:title")[0]), text: chapters.join("\n\n") }
}
