import { type Draft, type Reader, tooLarge } from "../Extraction.ts"
import { titledTable } from "../Table.ts"
import { oneLine } from "../Text.ts"
import { peopleOf, slideComments } from "./Comments.ts"
import { alternativeText, chartsIn, diagramsIn, drawingTableRows, isDecorative } from "./Drawing.ts"
import { latex } from "./Math.ts"
import { markdownLink } from "../Link.ts"
import { OfficePackage } from "./OfficePackage.ts"
import { allOf, childOf, childrenOf, descend, elementsOf, textOf, type XmlElement } from "./Xml.ts"

/** Types of placeholders whose content is the same on all slides. */
const repeatedPlaceholders = new Set(["dt", "ftr", "sldNum", "hdr", "sldImg"])

/** Types of placeholders whose paragraphs are items of a list, unless a paragraph says otherwise. */
const listPlaceholders = new Set(["body", "obj", undefined])

/** The place of a slide's layout that a shape fills. */
interface Placeholder {
  /** The type; `undefined` for a general placeholder. */
  readonly type: string | undefined
}

const placeholderOf = (shape: XmlElement): Placeholder | undefined => {
  const place = elementsOf(shape)
    .filter(({ name }) => /^p:nv.*Pr$/.test(name))
    .map((properties) => descend(properties, "p:nvPr", "p:ph"))
    .find((found) => found !== undefined)
  return place === undefined ? undefined : { type: place.attributes["type"] }
}

const isTitle = (placeholder: Placeholder | undefined) =>
  placeholder?.type === "title" || placeholder?.type === "ctrTitle"

const pictureProperties = (picture: XmlElement) => descend(picture, "p:nvPicPr", "p:cNvPr")

/** Writes one slide as Markdown blocks. */
class SlideWriter {
  readonly blocks: Array<string> = []
  title: string | undefined
  private readonly office: OfficePackage
  private readonly path: string

  constructor(office: OfficePackage, path: string) {
    this.office = office
    this.path = path
  }

  /** Writes the title first and the other shapes in the order of the file, in which screen readers read them. */
  write(tree: XmlElement | undefined): void {
    const isTitleShape = (shape: XmlElement) => isTitle(placeholderOf(shape))
    const shapes = elementsOf(tree)
    for (const shape of shapes.filter(isTitleShape)) this.titleShape(shape)
    for (const shape of shapes) if (!isTitleShape(shape)) this.shape(shape)
  }

  private titleShape(shape: XmlElement): void {
    const paragraphs = this.paragraphs(shape).map((paragraph) => this.textOfParagraph(paragraph))
    const text = oneLine(paragraphs.join(" "))
    if (text === "") return
    this.title ??= text
    this.blocks.push(`# ${text}`)
  }

  private shape(shape: XmlElement): void {
    const placeholder = placeholderOf(shape)
    if (repeatedPlaceholders.has(placeholder?.type ?? "")) return
    switch (shape.name) {
      case "p:sp":
        return this.put(this.text(shape, placeholder))
      case "p:grpSp":
        return elementsOf(shape).forEach((child) => this.shape(child))
      case "p:graphicFrame":
        return this.frame(shape)
      case "p:pic":
        return this.picture(pictureProperties(shape))
      case "mc:AlternateContent": {
        const content = childOf(shape, "mc:Choice") ?? childOf(shape, "mc:Fallback")
        return elementsOf(content).forEach((child) => this.shape(child))
      }
      default:
        return
    }
  }

  private put(block: string): void {
    if (block.trim() !== "") this.blocks.push(block)
  }

  private picture(properties: XmlElement | undefined): void {
    const text = alternativeText(properties)
    if (text === "" && !isDecorative(properties)) this.office.omitted.add("images")
    this.put(text)
  }

  private frame(frame: XmlElement): void {
    for (const table of allOf(frame, "a:tbl")) {
      const rows = drawingTableRows(table, (cell) => this.cellText(cell)).filter((row) =>
        row.some((text) => text !== ""),
      )
      if (rows.length > 0) this.put(titledTable(rows))
    }
    for (const block of chartsIn(this.office, this.path, frame)) this.put(block)
    for (const block of diagramsIn(this.office, this.path, frame)) this.put(block)
  }

  private cellText(cell: XmlElement): string {
    return allOf(cell, "a:p")
      .map((paragraph) => this.textOfParagraph(paragraph).trim())
      .join(" ")
      .trim()
  }

  private paragraphs(shape: XmlElement): ReadonlyArray<XmlElement> {
    return childrenOf(childOf(shape, "p:txBody"), "a:p")
  }

  private text(shape: XmlElement, placeholder: Placeholder | undefined): string {
    const isList = placeholder !== undefined && listPlaceholders.has(placeholder.type)
    const counts: Array<number> = []
    let written = ""
    let wasItem = false
    for (const paragraph of this.paragraphs(shape)) {
      const text = this.textOfParagraph(paragraph).trim()
      if (text === "") continue
      const marker = markerOf(paragraph, isList, counts)
      const joint = written === "" ? "" : wasItem && marker !== undefined ? "\n" : "\n\n"
      written += joint + (marker === undefined ? text : marker + text.replaceAll("\n", " "))
      wasItem = marker !== undefined
    }
    return written
  }

  /** The text of a paragraph, with its links and formulas. */
  textOfParagraph(paragraph: XmlElement): string {
    return elementsOf(paragraph)
      .map((run) => {
        if (run.name === "a:br") return "\n"
        if (run.name === "a:r" || run.name === "a:fld") return this.textOfRun(run)
        return allOf(run, "m:oMath")
          .map((formula) => `$${latex(formula)}$`)
          .join(" ")
      })
      .join("")
  }

  private textOfRun(run: XmlElement): string {
    const text = textOf(childOf(run, "a:t"))
    const id = descend(run, "a:rPr", "a:hlinkClick")?.attributes["r:id"]
    const link = id === undefined ? undefined : this.office.relationships(this.path).get(id)
    return link?.isExternal === true ? markdownLink(text, link.target) : text
  }
}

/** The indented marker of a list item, such as `- ` or `3. `, if it is one. `counts` has a count per level. */
const markerOf = (paragraph: XmlElement, isList: boolean, counts: Array<number>): string | undefined => {
  const properties = childOf(paragraph, "a:pPr")
  const level = Math.min(Math.max(Number(properties?.attributes["lvl"] ?? 0) || 0, 0), 8)
  const indent = "  ".repeat(level)
  counts.length = Math.min(counts.length, level + 1)
  const numbered = childOf(properties, "a:buAutoNum")
  if (numbered !== undefined) {
    const count = (counts[level] ?? Number(numbered.attributes["startAt"] ?? 1) - 1) + 1
    counts[level] = count
    return `${indent}${count}. `
  }
  counts.length = Math.min(counts.length, level)
  if (childOf(properties, "a:buNone") !== undefined) return undefined
  const isItem =
    isList || childOf(properties, "a:buChar") !== undefined || childOf(properties, "a:buBlip") !== undefined
  return isItem ? `${indent}- ` : undefined
}

/** The speaker's notes of a slide. */
const notesOf = (office: OfficePackage, slidePath: string): string => {
  const [path] = office.targets(slidePath, "notesSlide")
  if (path === undefined) return ""
  const shapes = allOf(office.part(path), "p:sp").filter((shape) => placeholderOf(shape)?.type === "body")
  const writer = new SlideWriter(office, path)
  const texts = shapes
    .flatMap((shape) => allOf(shape, "a:p"))
    .map((paragraph) => writer.textOfParagraph(paragraph).trim())
  return texts.filter((text) => text !== "").join("\n\n")
}

const slidesOf = (office: OfficePackage, path: string, root: XmlElement): ReadonlyArray<string> =>
  childrenOf(childOf(root, "p:sldIdLst"), "p:sldId").flatMap(
    ({ attributes }) => office.target(path, attributes["r:id"]) ?? [],
  )

/** Reads a presentation into Markdown, with one page per slide, its speaker's notes and its comments. Hidden slides are left out. */
export const pptx: Reader = (bytes, textLimit): Draft => {
  const office = new OfficePackage(bytes)
  const { path, root } = office.main("p:presentation")
  let title: string | undefined
  let characters = 0
  const people = peopleOf(office, path)
  const slides = slidesOf(office, path, root).map((slidePath, index) => {
    const slide = office.part(slidePath, "pages", index + 1)
    if (slide === undefined) return ""
    if (slide.attributes["show"] === "0") {
      office.omitted.add("hidden_slides", index + 1)
      return ""
    }
    office.omitObjects(slidePath)
    const writer = new SlideWriter(office, slidePath)
    writer.write(descend(slide, "p:cSld", "p:spTree"))
    title ??= writer.title
    const notes = notesOf(office, slidePath)
    const comments = slideComments(office, slidePath, people)
    const text = [...writer.blocks, ...(notes === "" ? [] : [`Speaker notes: ${notes}`]), ...comments].join("\n\n")
    characters += text.length
    if (characters > textLimit) throw tooLarge(textLimit)
    return text
  })
  return { title: authoredTitle(office.title()) ?? title, text: slides, omitted: office.omitted }
}

/** Ignores the titles that programs give to presentations. */
const authoredTitle = (title: string | undefined): string | undefined =>
  title === undefined || /^(?:powerpoint|pptx|presentation|präsentation|presentación)\b/i.test(title)
    ? undefined
    : title
