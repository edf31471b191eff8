/*
 * Older Chinese, Japanese and Korean PDFs name the encoding of their text, such as 90ms-RKSJ-H, and leave the table of
 * it, a CMap, to the reader. pdf.js asks for those it knows by their file names.
 */

const cMapName = /^[\w-]+\.bcmap$/

/** What pdf.js asks for: `kind` is `cMapUrl`, or another for fonts and programs, which only drawing takes. */
interface Wanted {
  readonly kind: string
  readonly filename: string
}

/** Gives pdf.js the CMaps of its own package, each read when a document first wants it, and nothing else. */
export class PdfCMaps {
  async fetch({ kind, filename }: Wanted): Promise<Uint8Array> {
    // The name comes from the document, if only by way of pdf.js's list of names.
    if (kind !== "cMapUrl" || !cMapName.test(filename)) throw new Error("It is no CMap.")
    return Bun.file(new URL(`cmaps/${filename}`, import.meta.resolve("pdfjs-dist/package.json"))).bytes()
  }
}
