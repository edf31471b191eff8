/*
 * Older Chinese, Japanese and Korean PDFs only name the encoding of their text, such as 90ms-RKSJ-H, and do not include
 * its table, a CMap. Scans are often packed as JPEG 2000, JBIG2 or for a fax, for which pdf.js has decoders in WebAssembly.
 * pdf.js requests both by their file names.
 */

const fileNames: Readonly<Record<string, { readonly folder: string; readonly name: RegExp }>> = {
  cMapUrl: { folder: "cmaps", name: /^[\w-]+\.bcmap$/ },
  wasmUrl: { folder: "wasm", name: /^\w+\.wasm$/ },
}

/** A request of pdf.js for a file. Further kinds are files that only drawing needs. */
interface FileRequest {
  readonly kind: string
  readonly filename: string
}

/** Reads CMaps and decoders in pdf.js's own package, and no other file. */
export class PdfFiles {
  async fetch({ kind, filename }: FileRequest): Promise<Uint8Array> {
    const files = fileNames[kind]
    // The name may come from the document, although pdf.js checks it against its list of names.
    if (files === undefined || !files.name.test(filename)) throw new Error("It is no file of pdf.js that is needed.")
    return Bun.file(new URL(`${files.folder}/${filename}`, import.meta.resolve("pdfjs-dist/package.json"))).bytes()
  }
}
