import { childOf, childrenOf, type XmlElement } from "./Xml.ts"

/** The role of a paragraph, by its own properties and those of its style. */
export interface ParagraphKind {
  /** The level of a heading, from 1 to 6. */
  readonly heading: number | undefined
  readonly isTitle: boolean
  readonly isCode: boolean
  readonly isQuote: boolean
  /** The list that the paragraph is an item of. `level` counts from 0. */
  readonly list: { readonly id: string; readonly level: number } | undefined
}

const plain: ParagraphKind = { heading: undefined, isTitle: false, isCode: false, isQuote: false, list: undefined }

/** The deepest heading in Markdown. Word has nine levels. */
const MAX_HEADING = 6

/** The longest chain of styles that are based on each other. A file may have circles of them. */
const MAX_STYLE_DEPTH = 20

const codeStyle =
  /^(?:source ?code|code(?: ?(?:block|sample|text|snippet))?|html preformatted|preformatted text|listing|verbatim)$/i

/** The `w:val` attribute of a child element. */
export const valueOf = (properties: XmlElement | undefined, name: string): string | undefined =>
  childOf(properties, name)?.attributes["w:val"]

/** Whether a property is on. It is on by being there, unless its value says otherwise. */
export const isOn = (properties: XmlElement | undefined, name: string): boolean => {
  const property = childOf(properties, name)
  return property !== undefined && !["0", "false", "none"].includes(property.attributes["w:val"] ?? "1")
}

const headingOf = (properties: XmlElement | undefined): number | undefined => {
  const level = valueOf(properties, "w:outlineLvl")
  // Level 9 is body text.
  return level === undefined || Number(level) > 8 ? undefined : Math.min(Number(level) + 1, MAX_HEADING)
}

const listOf = (properties: XmlElement | undefined, inherited: ParagraphKind["list"]): ParagraphKind["list"] => {
  const numbering = childOf(properties, "w:numPr")
  if (numbering === undefined) return inherited
  const id = valueOf(numbering, "w:numId") ?? inherited?.id
  const level = Number(valueOf(numbering, "w:ilvl") ?? inherited?.level ?? 0)
  // The id 0 takes a paragraph out of its style's list.
  return id === undefined || id === "0" ? undefined : { id, level: Math.min(Math.max(level, 0) || 0, 8) }
}

export class DocxStyles {
  private readonly elements = new Map<string, XmlElement>()
  private readonly known = new Map<string, ParagraphKind>()
  private readonly standard: string | undefined

  constructor(styles: XmlElement | undefined) {
    for (const style of childrenOf(styles, "w:style")) {
      this.elements.set(style.attributes["w:styleId"] ?? "", style)
    }
    this.standard = childrenOf(styles, "w:style").find(
      ({ attributes }) => attributes["w:type"] === "paragraph" && attributes["w:default"] === "1",
    )?.attributes["w:styleId"]
  }

  kindOf(paragraph: XmlElement): ParagraphKind {
    const properties = childOf(paragraph, "w:pPr")
    const style = this.style(valueOf(properties, "w:pStyle") ?? this.standard, MAX_STYLE_DEPTH)
    return {
      ...style,
      heading: headingOf(properties) ?? style.heading,
      list: listOf(properties, style.list),
    }
  }

  private style(id: string | undefined, depth: number): ParagraphKind {
    const element = this.elements.get(id ?? "")
    if (id === undefined || element === undefined || depth === 0) return plain
    const known = this.known.get(id)
    if (known !== undefined) return known
    const base = this.style(valueOf(element, "w:basedOn"), depth - 1)
    const properties = childOf(element, "w:pPr")
    const name = valueOf(element, "w:name") ?? ""
    const named = /^heading ([1-9])$/i.exec(name)?.[1]
    const style: ParagraphKind = {
      heading: named === undefined ? (headingOf(properties) ?? base.heading) : Math.min(Number(named), MAX_HEADING),
      isTitle: /^title$/i.test(name) || base.isTitle,
      isCode: codeStyle.test(name.trim()) || base.isCode,
      isQuote: /^(?:intense )?quote$/i.test(name) || base.isQuote,
      list: listOf(properties, base.list),
    }
    this.known.set(id, style)
    return style
  }
}
