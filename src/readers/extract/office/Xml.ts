import { Parser } from "htmlparser2"
import { Unreadable } from "../Extraction.ts"

/** An element. Names have the prefixes of `prefixes`, not those that the file declares for the namespaces. */
export interface XmlElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: ReadonlyArray<XmlElement | string>
}

/** The events of reading XML, for parts that are too large for a tree. */
interface XmlEvents {
  readonly open: (name: string, attributes: Readonly<Record<string, string>>) => void
  readonly text: (text: string) => void
  readonly close: (name: string) => void
}

/** The deepest nesting that is read. Documents written by Office stay below 100. */
const MAX_DEPTH = 400

/** Most elements of a part that is read into a tree. */
const MAX_ELEMENTS = 3_000_000

/** The prefixes of namespaces by the ends of their URIs, because the URIs of strict documents begin differently. */
const prefixes: ReadonlyArray<readonly [ending: RegExp, prefix: string]> = [
  [/\/wordprocessingml\/(?:2006\/)?main$/, "w"],
  [/\/presentationml\/(?:2006\/)?main$/, "p"],
  [/\/spreadsheetml\/(?:2006\/)?main$/, "x"],
  [/\/drawingml\/(?:2006\/)?main$/, "a"],
  [/\/drawingml\/(?:2006\/)?chart$/, "c"],
  [/\/drawingml\/(?:2006\/)?diagram$/, "dgm"],
  [/\/drawingml\/(?:2006\/)?picture$/, "pic"],
  [/\/drawingml\/(?:2006\/)?spreadsheetDrawing$/, "xdr"],
  [/\/officeDocument\/(?:2006\/)?relationships$/, "r"],
  [/\/officeDocument\/(?:2006\/)?math$/, "m"],
  [/\/markup-compatibility\/2006$/, "mc"],
]

const prefixOf = (namespace: string): string | undefined => prefixes.find(([ending]) => ending.test(namespace))?.[1]

const corrupt = (message: string) => new Unreadable("corrupt_document", message)

const decode = (bytes: Uint8Array): string => {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes)
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes)
  return new TextDecoder().decode(bytes)
}

/** Shared by the elements without attributes, which are most of a large document. */
const noAttributes: Readonly<Record<string, string>> = {}

/** Replaces the prefixes that a file declares by those of `prefixes`, in the scope of the open elements. */
class Namespaces {
  private readonly scopes: Array<ReadonlyMap<string, string>> = [new Map()]
  private readonly renamed = new Map<string, string>()

  enter(attributes: Readonly<Record<string, string>>): void {
    const outer = this.scopes.at(-1) ?? new Map<string, string>()
    let inner: Map<string, string> | undefined
    for (const [name, value] of Object.entries(attributes)) {
      if (!name.startsWith("xmlns")) continue
      inner ??= new Map(outer)
      inner.set(name.slice("xmlns:".length), prefixOf(value) ?? name.slice("xmlns:".length))
    }
    if (inner !== undefined) this.renamed.clear()
    this.scopes.push(inner ?? outer)
  }

  leave(): void {
    const left = this.scopes.pop()
    if (left !== this.scopes.at(-1)) this.renamed.clear()
  }

  /** Replaces the prefix of a name. Attributes (`isElement` is false) have no default namespace. */
  rename(name: string, isElement: boolean): string {
    const known = this.renamed.get(name)
    if (known !== undefined) return known
    const colon = name.indexOf(":")
    if (colon < 0 && !isElement) return name
    const prefix = this.scopes.at(-1)?.get(colon < 0 ? "" : name.slice(0, colon))
    const local = name.slice(colon + 1)
    const renamed = prefix === undefined ? name : prefix === "" ? local : `${prefix}:${local}`
    if (colon >= 0) this.renamed.set(name, renamed)
    return renamed
  }

  renameAttributes(attributes: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    const names = Object.keys(attributes)
    if (names.length === 0) return noAttributes
    const renamed: Record<string, string> = {}
    for (const name of names) renamed[this.rename(name, false)] = attributes[name] ?? ""
    return renamed
  }
}

/** Handling of a document type declaration. Ignoring it is safe, since the entities that it declares stay unresolved. */
type Doctype = "refused" | "ignored"

/**
 * Reads XML and calls `events` in the order of the text. Only XML's five predefined entities are resolved, and a
 * document type declaration, which could declare more, is rejected unless it is to be ignored. Throws `Unreadable`.
 */
export const readXml = (bytes: Uint8Array, events: XmlEvents, doctype: Doctype = "refused"): void => {
  const namespaces = new Namespaces()
  let depth = 0
  const parser = new Parser(
    {
      onprocessinginstruction: (name) => {
        if (doctype === "refused" && /^!doctype/i.test(name))
          throw corrupt("The file declares a document type, which no such document does.")
      },
      onopentag: (name, attributes) => {
        if (++depth > MAX_DEPTH) throw corrupt(`The document is nested more than ${MAX_DEPTH} levels deep.`)
        namespaces.enter(attributes)
        events.open(namespaces.rename(name, true), namespaces.renameAttributes(attributes))
      },
      ontext: (text) => events.text(text),
      onclosetag: (name) => {
        depth--
        events.close(namespaces.rename(name, true))
        namespaces.leave()
      },
    },
    { xmlMode: true },
  )
  const text = decode(bytes)
  // The parser gets pieces, so that it stops early at a document that is too deep or too large.
  for (let at = 0; at < text.length; at += PIECE_CHARACTERS) parser.write(text.slice(at, at + PIECE_CHARACTERS))
  parser.end()
}

/** The length of a piece that the parser gets at a time, in UTF-16 code units. */
const PIECE_CHARACTERS = 1024 * 1024

/** An element whose children are still being read. */
interface OpenElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: Array<XmlElement | string>
}

/** Parses XML into a tree and returns the root element, or an empty element when there is none. Throws `Unreadable`. */
export const parseXml = (bytes: Uint8Array, doctype?: Doctype): XmlElement => {
  const root: OpenElement = { name: "", attributes: {}, children: [] }
  const open: Array<OpenElement> = [root]
  let elements = 0
  const events: XmlEvents = {
    open: (name, attributes) => {
      if (++elements > MAX_ELEMENTS) {
        throw new Unreadable("too_large_when_extracted", "The document consists of too many parts to be read.")
      }
      const element: OpenElement = { name, attributes, children: [] }
      open.at(-1)?.children.push(element)
      open.push(element)
    },
    text: (text) => {
      const children = open.at(-1)?.children
      const last = children?.at(-1)
      // One text may arrive in several events.
      if (children !== undefined && typeof last === "string") children[children.length - 1] = last + text
      else children?.push(text)
    },
    close: () => {
      if (open.length > 1) open.pop()
    },
  }
  readXml(bytes, events, doctype)
  return root.children.find((child) => typeof child !== "string") ?? root
}

export const elementsOf = (element: XmlElement | undefined): ReadonlyArray<XmlElement> =>
  element?.children.filter((child) => typeof child !== "string") ?? []

export const childOf = (element: XmlElement | undefined, name: string): XmlElement | undefined =>
  elementsOf(element).find((child) => child.name === name)

export const childrenOf = (element: XmlElement | undefined, name: string): ReadonlyArray<XmlElement> =>
  elementsOf(element).filter((child) => child.name === name)

/** The element at the end of a path of names, taking the first child of each name. */
export const descend = (element: XmlElement | undefined, ...path: ReadonlyArray<string>): XmlElement | undefined =>
  path.reduce(childOf, element)

/** The descendants of this name, in document order, without those nested in one another. */
export const allOf = (element: XmlElement | undefined, name: string): ReadonlyArray<XmlElement> =>
  elementsOf(element).flatMap((child) => (child.name === name ? [child] : allOf(child, name)))

export const textOf = (element: XmlElement | undefined): string =>
  element?.children.map((child) => (typeof child === "string" ? child : textOf(child))).join("") ?? ""
