/*
 * Older Chinese, Japanese and Korean PDFs only name the encoding of their text, such as 90ms-RKSJ-H, and do not include
 * its table, a CMap. pdf.js requests the CMaps that it knows by their file names.
 */

const cMapName = /^[\w-]+\.bcmap$/

/** A request of pdf.js for a file. `kind` is `cMapUrl` for a CMap, and another for files that only drawing needs. */
interface FileRequest {
  readonly kind: string
  readonly filename: string
}

/** Reads the CMaps in pdf.js's own package, and no other file. */
export class PdfCMaps {
  async fetch({ kind, filename }: FileRequest): Promise<Uint8Array> {
    // The name comes from the document, although pdf.js checks it against its list of names.
    if (kind !== "cMapUrl" || !cMapName.test(filename)) throw new Error("It is no CMap.")
    return Bun.file(new URL(`cmaps/${filename}`, import.meta.resolve("pdfjs-dist/package.json"))).bytes()
  }
}
