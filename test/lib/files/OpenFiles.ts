import { type ZipEntry, zipOf } from "./ZipFile.ts"

/* Makes small OpenDocument files and e-books from their XML, so that tests write only elements. */

const kinds = { odt: "text", ods: "spreadsheet", odp: "presentation" }

const namespaces = ["office", "style", "text", "table", "presentation"]
  .map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
  .concat(
    `xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"`,
    `xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"`,
    `xmlns:xlink="http://www.w3.org/1999/xlink"`,
    `xmlns:dc="http://purl.org/dc/elements/1.1/"`,
  )
  .join(" ")

/** Makes an OpenDocument file with this body and these automatic styles. */
export const openDocument = (
  format: keyof typeof kinds,
  body: string,
  {
    styles = "",
    title = "",
    entries = [],
  }: { styles?: string; title?: string; entries?: ReadonlyArray<ZipEntry> } = {},
): Uint8Array<ArrayBuffer> => {
  const kind = kinds[format]
  return zipOf([
    { name: "mimetype", content: `application/vnd.oasis.opendocument.${kind}`, isStored: true },
    {
      name: "content.xml",
      content: `<?xml version="1.0"?><office:document-content ${namespaces}><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`,
    },
    {
      name: "meta.xml",
      content: `<office:document-meta ${namespaces}><office:meta><dc:title>${title}</dc:title></office:meta></office:document-meta>`,
    },
    ...entries,
  ])
}

/** A chapter of an e-book: its path, and its body in XHTML. */
export interface Chapter {
  readonly path: string
  readonly body: string
}

/** Makes an e-book with a table of contents. */
export const epubFile = (
  chapters: ReadonlyArray<Chapter>,
  {
    contents = "",
    entries = [],
    title = "",
  }: { contents?: string; entries?: ReadonlyArray<ZipEntry>; title?: string } = {},
): Uint8Array<ArrayBuffer> => {
  const items = chapters.map(
    ({ path }, index) => `<item id="c${index}" href="${path}" media-type="application/xhtml+xml"/>`,
  )
  const spine = chapters.map((_, index) => `<itemref idref="c${index}"/>`)
  return zipOf([
    { name: "mimetype", content: "application/epub+zip", isStored: true },
    {
      name: "META-INF/container.xml",
      content: `<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>`,
    },
    {
      name: "OEBPS/book.opf",
      content: `<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>${title}</dc:title></metadata><manifest><item id="nav" href="nav.xhtml" properties="nav"/>${items.join("")}</manifest><spine>${spine.join("")}</spine></package>`,
    },
    {
      name: "OEBPS/nav.xhtml",
      content: `<!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><body><nav><ol>${contents}</ol></nav></body></html>`,
    },
    ...chapters.map(({ body, path }) => ({
      name: `OEBPS/${decodeURI(path)}`,
      content: `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body>${body}</body></html>`,
    })),
    ...entries,
  ])
}
