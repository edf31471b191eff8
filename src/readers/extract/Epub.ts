import { decodeText } from "./Decode.ts"
import { type Draft, Omitted, type Reader, tooLarge, Unreadable } from "./Extraction.ts"
import { htmlText } from "./html/Html.ts"
import { Zip } from "./office/Zip.ts"
import { allOf, childrenOf, descend, parseXml, textOf, type XmlElement } from "./office/Xml.ts"
import { oneLine } from "./Text.ts"

/** Ways to obscure fonts, which leave the text readable. */
const FONT_OBFUSCATION = /idpf\.org\/2008\/embedding|ns\.adobe\.com\/pdf\/enc#RC/

/** The path to which an address in a part leads. */
const resolve = (from: string, address = ""): string => {
  try {
    return decodeURIComponent(new URL(address, `file:///${encodeURI(from)}`).pathname.slice(1))
  } catch {
    return address
  }
}

/** The titles of chapters by their paths, from the table of contents of either version. */
const chapterTitles = (path: string, contents: XmlElement | undefined): ReadonlyMap<string, string> => {
  const links = allOf(contents, "a").map((link) => [link.attributes["href"], textOf(link)] as const)
  const labels = allOf(contents, "navLabel")
  const points = allOf(contents, "content").map(
    ({ attributes }, index) => [attributes["src"], textOf(labels[index])] as const,
  )
  // The first title is that of the chapter, and others are those of places within it.
  return new Map([...links, ...points].toReversed().map(([address, title]) => [resolve(path, address), oneLine(title)]))
}

/** Reads an e-book (EPUB 2 and 3) chapter by chapter in reading order, each below its heading. */
export const epub: Reader = (bytes, textLimit): Draft => {
  const zip = new Zip(bytes)
  const part = (path: string): XmlElement | undefined => {
    const content = zip.read(path)
    return content === undefined ? undefined : parseXml(content, "ignored")
  }
  const methods = allOf(part("META-INF/encryption.xml"), "enc:EncryptionMethod")
  if (methods.some(({ attributes }) => !FONT_OBFUSCATION.test(attributes["Algorithm"] ?? ""))) {
    throw new Unreadable("password_protected", "The e-book is protected against copying.")
  }
  const path = resolve("", allOf(part("META-INF/container.xml"), "rootfile")[0]?.attributes["full-path"])
  const root = part(path)
  if (root === undefined) throw new Unreadable("corrupt_document", "The file is not an e-book, or is damaged.")
  const items = new Map(allOf(root, "item").map(({ attributes }) => [attributes["id"], attributes] as const))
  const spine = descend(root, "spine")
  const contents =
    [...items.values()].find(({ properties = "" }) => properties.split(/\s+/).includes("nav")) ??
    items.get(spine?.attributes["toc"])
  const contentsPath = resolve(path, contents?.["href"])
  const titles = chapterTitles(contentsPath, part(contentsPath))
  const spineItems = childrenOf(spine, "itemref").map(({ attributes }) => items.get(attributes["idref"])?.["href"])
  const paths = spineItems.flatMap((address) => (address === undefined ? [] : [resolve(path, address)]))
  const omitted = new Omitted()
  const chapters: Array<string> = []
  let characters = 0
  for (const chapter of new Set(paths)) {
    const title = titles.get(chapter) ?? ""
    const page = chapter === contentsPath ? undefined : omitted.attempt("parts", title, () => zip.read(chapter))
    if (page === undefined) continue
    const { text } = htmlText(decodeText(page), { recognizeSelfClosing: true })
    const isTitled = text === "" || title === "" || /^#{1,6} /m.test(text.slice(0, 2_000))
    const rest = text.startsWith(title) ? text.slice(title.length).trimStart() : text
    chapters.push(isTitled ? text : `# ${title}\n\n${rest}`)
    characters += text.length
    if (characters > textLimit) throw tooLarge(textLimit)
  }
  return { title: textOf(allOf(root, "dc:title")[0]), text: chapters.join("\n\n"), omitted }
}
