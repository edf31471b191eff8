import { type ZipEntry, zipOf } from "./ZipFile.ts"

/* Makes small Office documents from their XML, with the namespaces declared here, so that tests write only elements. */

const office = "http://schemas.openxmlformats.org/officeDocument/2006"
const relationshipsNamespace = "http://schemas.openxmlformats.org/package/2006/relationships"

const namespaces = [
  `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"`,
  `xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"`,
  `xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"`,
  `xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"`,
  `xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"`,
  `xmlns:r="${office}/relationships"`,
  `xmlns:dc="http://purl.org/dc/elements/1.1/"`,
].join(" ")

const sheetNamespaces = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="${office}/relationships"`

const root = (name: string, content: string, declared = namespaces) =>
  `<?xml version="1.0" encoding="UTF-8"?><${name} ${declared}>${content}</${name}>`

interface Related {
  readonly type: string
  readonly target: string
  readonly external?: boolean
}

/** The part with the relationships of another part, whose ids are `r1`, `r2` and so on. */
export const relationships = (part: string, related: ReadonlyArray<Related>): ZipEntry => {
  const slash = part.lastIndexOf("/") + 1
  const elements = related.map(
    ({ type, target, external }, index) =>
      `<Relationship Id="r${index + 1}" Type="${office}/relationships/${type}" Target="${target}"${external === true ? ` TargetMode="External"` : ""}/>`,
  )
  return {
    name: `${part.slice(0, slash)}_rels/${part.slice(slash)}.rels`,
    content: root("Relationships", elements.join(""), `xmlns="${relationshipsNamespace}"`),
  }
}

const packageOf = (main: string, entries: ReadonlyArray<ZipEntry>) => {
  const types = `<Default Extension="xml" ContentType="application/xml"/>`
  return zipOf([
    {
      name: "[Content_Types].xml",
      content: root("Types", types, `xmlns="http://schemas.openxmlformats.org/package/2006/content-types"`),
    },
    relationships("", [{ type: "officeDocument", target: main }]),
    ...entries,
  ])
}

const documentPath = "word/document.xml"

/** The content of a Word document's parts besides its body, by type. */
export type DocxParts = Readonly<Partial<Record<"styles" | "numbering" | "footnotes", string>>>

/** A paragraph (`w:p`) with this text and these properties (`w:pPr`). */
export const paragraph = (text: string, properties = ""): string =>
  `<w:p><w:pPr>${properties}</w:pPr><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`

/** Makes a Word document with this body (`w:body`). */
export const docxFile = (
  body: string,
  parts: DocxParts = {},
  more: ReadonlyArray<Related> = [],
  entries: ReadonlyArray<ZipEntry> = [],
): Uint8Array<ArrayBuffer> => docxWith(root("w:document", `<w:body>${body}</w:body>`), parts, more, entries)

/** Makes a Word document with this whole `document.xml`. */
export const docxWith = (
  document: string | Uint8Array,
  parts: DocxParts = {},
  more: ReadonlyArray<Related> = [],
  entries: ReadonlyArray<ZipEntry> = [],
): Uint8Array<ArrayBuffer> =>
  packageOf(documentPath, [
    relationships(documentPath, [...more, ...Object.keys(parts).map((type) => ({ type, target: `${type}.xml` }))]),
    { name: documentPath, content: document },
    ...Object.entries(parts).map(([type, content]) => ({
      name: `word/${type}.xml`,
      content: root(`w:${type}`, content),
    })),
    ...entries,
  ])

/** A slide of a presentation. */
export interface Slide {
  /** The shapes of the slide, as the content of `p:spTree`. */
  readonly shapes: string
  readonly notes?: string
  readonly hidden?: boolean
  /** Parts with comments on the slide. */
  readonly comments?: ReadonlyArray<string>
  /** The part that names those who comment; the first slide has it. */
  readonly people?: string
}

/** A shape with one paragraph per line of the text, in a placeholder of this type. */
export const shape = (text: string, placeholder?: string): string => {
  const place = placeholder === undefined ? "" : `<p:ph type="${placeholder}"/>`
  const paragraphs = text.split("\n").map((line) => `<a:p><a:r><a:t>${line}</a:t></a:r></a:p>`)
  return `<p:sp><p:nvSpPr><p:nvPr>${place}</p:nvPr></p:nvSpPr><p:txBody>${paragraphs.join("")}</p:txBody></p:sp>`
}

/** Makes a presentation. */
export const pptxFile = (slides: ReadonlyArray<Slide>): Uint8Array<ArrayBuffer> => {
  const path = "ppt/presentation.xml"
  const list = slides.map((_, index) => `<p:sldId id="${256 + index}" r:id="r${index + 1}"/>`).join("")
  const parts = slides.flatMap(({ shapes, notes, hidden, comments = [] }, index): ReadonlyArray<ZipEntry> => {
    const slide = `ppt/slides/slide${index + 1}.xml`
    const tree = (content: string) => `<p:cSld><p:spTree>${content}</p:spTree></p:cSld>`
    const content = root("p:sld", tree(shapes), hidden === true ? `${namespaces} show="0"` : namespaces)
    if (comments.length > 0) {
      const related = comments.map((_, number) => ({ type: "comments", target: `../comments/${index}-${number}.xml` }))
      const written = comments.map((text, number) => ({
        name: `ppt/comments/${index}-${number}.xml`,
        content: text.replace(">", ` ${namespaces}>`),
      }))
      return [{ name: slide, content }, relationships(slide, related), ...written]
    }
    if (notes === undefined) return [{ name: slide, content }]
    return [
      { name: slide, content },
      relationships(slide, [{ type: "notesSlide", target: `../notesSlides/notes${index + 1}.xml` }]),
      { name: `ppt/notesSlides/notes${index + 1}.xml`, content: root("p:notes", tree(shape(notes, "body"))) },
    ]
  })
  const people = slides[0]?.people ?? "<p:cmAuthorLst/>"
  return packageOf(path, [
    relationships(path, [
      ...slides.map((_, index) => ({ type: "slide", target: `slides/slide${index + 1}.xml` })),
      { type: "commentAuthors", target: "commentAuthors.xml" },
    ]),
    { name: "ppt/commentAuthors.xml", content: people.replace(/(?=\/?>)/, ` ${namespaces}`) },
    { name: path, content: root("p:presentation", `<p:sldIdLst>${list}</p:sldIdLst>`) },
    ...parts,
  ])
}

/** A sheet of a workbook. */
export interface Sheet {
  readonly name: string
  /** The content of `worksheet`: `sheetData` with the rows, and the elements after it. */
  readonly content: string
  readonly state?: "hidden"
  /** The content of the parts with its comments and the threads of them. */
  readonly comments?: string
  readonly threads?: string
}

/** The `sheetData` of these rows, from A1, with the text of each cell. */
export const rows = (...lines: ReadonlyArray<ReadonlyArray<string>>): string => {
  const cell = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`
  return `<sheetData>${lines.map((line) => `<row>${line.map(cell).join("")}</row>`).join("")}</sheetData>`
}

/** Shared parts of a workbook. */
export interface WorkbookParts {
  /** The content of `sst`. */
  readonly strings?: string
  /** The content of `styleSheet`. */
  readonly styles?: string
  /** The content of `personList`. */
  readonly people?: string
}

/** Makes a workbook. */
export const xlsxFile = (
  sheets: ReadonlyArray<Sheet>,
  { people, strings, styles }: WorkbookParts = {},
): Uint8Array<ArrayBuffer> => {
  const path = "xl/workbook.xml"
  const list = sheets.map(
    ({ name, state }, index) =>
      `<sheet name="${name}" sheetId="${index + 1}" r:id="r${index + 1}"${state === undefined ? "" : ` state="${state}"`}/>`,
  )
  return packageOf(path, [
    relationships(path, [
      ...sheets.map((_, index) => ({ type: "worksheet", target: `worksheets/sheet${index + 1}.xml` })),
      { type: "sharedStrings", target: "sharedStrings.xml" },
      { type: "styles", target: "styles.xml" },
      ...(people === undefined ? [] : [{ type: "person", target: "persons.xml" }]),
    ]),
    ...(people === undefined ? [] : [{ name: "xl/persons.xml", content: root("personList", people, "") }]),
    { name: path, content: root("workbook", `<sheets>${list.join("")}</sheets>`, sheetNamespaces) },
    { name: "xl/sharedStrings.xml", content: root("sst", strings ?? "", sheetNamespaces) },
    { name: "xl/styles.xml", content: root("styleSheet", styles ?? "", sheetNamespaces) },
    ...sheets.map(({ content }, index) => ({
      name: `xl/worksheets/sheet${index + 1}.xml`,
      content: root("worksheet", content, sheetNamespaces),
    })),
    ...sheets.flatMap(({ comments, threads }, index): ReadonlyArray<ZipEntry> => {
      if (comments === undefined) return []
      const related = ["comments", "threadedComment"].map((type) => ({ type, target: `../${type}${index}.xml` }))
      return [
        relationships(`xl/worksheets/sheet${index + 1}.xml`, related),
        { name: `xl/comments${index}.xml`, content: root("comments", comments, sheetNamespaces) },
        { name: `xl/threadedComment${index}.xml`, content: root("ThreadedComments", threads ?? "", "") },
      ]
    }),
  ])
}

/** Makes the beginning of a compound file, with the name of one stream in it. */
export const compoundFile = (stream: string): Uint8Array<ArrayBuffer> => {
  const bytes = Buffer.alloc(4096)
  Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]).copy(bytes)
  Buffer.from(stream, "utf16le").copy(bytes, 1024)
  return new Uint8Array(bytes)
}
