import { decodeText } from "./Decode.ts"
import { type Draft, type Reader, Unreadable } from "./Extraction.ts"
import { Lines } from "./Json.ts"
import { elementsOf, parseXml, textOf, type XmlElement } from "./office/Xml.ts"
import { oneLine } from "./Text.ts"

/** Elements whose text is a paragraph or an item, so that their name says nothing. */
const proseNames = new Set("p para paragraph simpara l line text li".split(" "))
const headingNames = new Set("title head heading caption".split(" "))
/** The heading of an element is among so many of its first children. */
const HEADING_WITHIN = 3
/** Characters of a longer text are no heading. */
const MAX_HEADING_CHARACTERS = 200

const localName = (name: string): string => name.slice(name.indexOf(":") + 1)

const isLeaf = (element: XmlElement): boolean => elementsOf(element).length === 0

/** Whether an element has words beside its elements, as a sentence with a link has. */
const isMixed = ({ children }: XmlElement): boolean =>
  children.some((child) => typeof child === "string" && child.trim() !== "") &&
  children.some((child) => typeof child !== "string")

const headingElement = (element: XmlElement): XmlElement | undefined =>
  elementsOf(element)
    .slice(0, HEADING_WITHIN)
    .find((child) => headingNames.has(localName(child.name)) && oneLine(textOf(child)) !== "")

/** Attributes that say how to read the file, and nothing to people. */
const TECHNICAL = /^xmlns\b|^xsi:|^xml:/

/** Writes elements as lines and paragraphs. */
class Outline extends Lines {
  title: string | undefined

  /**
   * Writes an element that begins a block: below its title, or after an empty line. Elements within it are lines of the
   * form `name: text`, with the names of the elements between, unless they begin blocks themselves: they have a title,
   * or others of their name beside them.
   */
  block(element: XmlElement, depth: number): void {
    const heading = headingElement(element)
    const title = oneLine(textOf(heading))
    const isHeading = heading !== undefined && title.length <= MAX_HEADING_CHARACTERS
    if (isHeading) this.title ??= title
    this.line(isHeading ? `\n${"#".repeat(Math.min(depth, 6))} ${title}\n` : "")
    this.members(element, "", isHeading ? depth + 1 : depth, isHeading ? heading : undefined)
  }

  private members(element: XmlElement, path: string, depth: number, heading?: XmlElement): void {
    this.attributes(element, path)
    const children = elementsOf(element)
    const counts = new Map<string, number>()
    for (const { name } of children) counts.set(name, (counts.get(name) ?? 0) + 1)
    for (const child of children) {
      if (child === heading) continue
      if (isLeaf(child) || isMixed(child)) this.leaf(child, path)
      else if ((counts.get(child.name) ?? 0) > 1 || headingElement(child) !== undefined) {
        this.block(child, depth)
        this.line("")
      } else this.members(child, `${path}${localName(child.name)}.`, depth)
    }
  }

  private attributes({ attributes }: XmlElement, path: string): void {
    for (const [name, value] of Object.entries(attributes)) {
      if (!TECHNICAL.test(name) && value.trim() !== "") this.line(`${path}${localName(name)}: ${oneLine(value)}`)
    }
  }

  private leaf(element: XmlElement, path: string): void {
    const name = localName(element.name)
    const text = oneLine(textOf(element))
    const isProse = proseNames.has(name) || isMixed(element)
    if (!isProse) this.attributes(element, `${path}${name}.`)
    if (text !== "") this.line(isProse ? `\n${text}\n` : `${path}${name}: ${text}`)
  }
}

const declaredEncoding = (bytes: Uint8Array): string | undefined =>
  /^\s*<\?xml[^>]{0,200}encoding\s*=\s*["']([\w-]+)/.exec(
    new TextDecoder("latin1").decode(bytes.subarray(0, 1024)),
  )?.[1]

/** Reads XML of any kind: titles as headings, sentences as paragraphs, and everything else as `name: text`. */
export const xml: Reader = async (bytes, textLimit): Promise<Draft> => {
  const text = decodeText(bytes, declaredEncoding(bytes))
  const root = parseXml(new TextEncoder().encode(text), "ignored")
  if (root.name === "") throw new Unreadable("corrupt_document", "The file is not XML.")
  if (localName(root.name).toLowerCase() === "html") return (await import("./html/Html.ts")).html(bytes)
  const outline = new Outline(textLimit)
  if (isLeaf(root) || isMixed(root)) return { title: undefined, text: textOf(root) }
  outline.block(root, 1)
  return { title: outline.title, text: outline.toString() }
}
