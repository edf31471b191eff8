import { deflateSync } from "node:zlib"

/*
 * Files that people send: small ones that are whole, and PDFs that would do something by themselves.
 */

const ascii = (text: string) => Buffer.from(text, "latin1")

export const images = {
  png: Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  ),
  jpg: Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0x00, 0x04, 0x00, 0x00, 0xff, 0xd9]),
  gif: Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64"),
  webp: Buffer.from("UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA", "base64"),
} as const

/** A PDF of one page, with further objects. */
export const pdfOf = (...objects: ReadonlyArray<string | Buffer>): Buffer =>
  Buffer.concat([
    ascii("%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n"),
    ascii("2 0 obj\n<< /Type /Pages /Kids [] /Count 0 >>\nendobj\n"),
    ...objects.flatMap((object, index) => [
      ascii(`${index + 3} 0 obj\n`),
      typeof object === "string" ? ascii(object) : object,
      ascii("\nendobj\n"),
    ]),
    ascii("trailer\n<< /Root 1 0 R >>\nstartxref\n9\n%%EOF\n"),
  ])

/** A stream with these entries of its dictionary. */
export const streamOf = (dictionary: string, content: Buffer): Buffer =>
  Buffer.concat([ascii(`<< ${dictionary} /Length ${content.length} >>\nstream\n`), content, ascii("\nendstream")])

/** A stream of objects, as PDFs since version 1.5 have them. */
export const objectStream = (objects: string): Buffer =>
  streamOf("/Type /ObjStm /N 1 /First 4 /Filter /FlateDecode", deflateSync(ascii(`9 0 ${objects}`)))
