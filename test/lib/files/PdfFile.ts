import { deflateSync } from "node:zlib"

/** An object of a PDF: a dictionary, and the content of its stream if it is one. */
export interface PdfObject {
  readonly value: string
  readonly stream?: Uint8Array | string
}

/** Makes a PDF of these objects, which are numbered from 1. The first is the catalog. */
export const pdfOf = (objects: ReadonlyArray<PdfObject>, trailer = ""): Uint8Array<ArrayBuffer> => {
  const parts: Array<Buffer> = [Buffer.from("%PDF-1.7\n")]
  const offsets: Array<number> = []
  let at = parts[0]?.length ?? 0
  const put = (bytes: Buffer) => {
    parts.push(bytes)
    at += bytes.length
  }
  for (const [index, { value, stream }] of objects.entries()) {
    offsets.push(at)
    const body = stream === undefined ? undefined : Buffer.from(stream)
    const head = body === undefined ? value : value.replace(/>>$/, ` /Length ${body.length} >>`)
    put(Buffer.from(`${index + 1} 0 obj\n${head}\n`))
    if (body !== undefined) put(Buffer.concat([Buffer.from("stream\n"), body, Buffer.from("\nendstream\n")]))
    put(Buffer.from("endobj\n"))
  }
  const lines = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`)
  const size = objects.length + 1
  put(
    Buffer.from(
      `xref\n0 ${size}\n0000000000 65535 f \n${lines.join("")}trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\nstartxref\n${at}\n%%EOF\n`,
    ),
  )
  return new Uint8Array(Buffer.concat(parts))
}

const font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"

/** The content of a page that draws one line of text. */
export const drawText = (text: string): string => `BT /F1 12 Tf 72 720 Td (${text}) Tj ET`

/** The first three objects of every document here: catalog, page tree and font. The pages have these numbers. */
const frame = (pages: ReadonlyArray<number>): ReadonlyArray<PdfObject> => [
  { value: "<< /Type /Catalog /Pages 2 0 R >>" },
  { value: `<< /Type /Pages /Kids [${pages.map((page) => `${page} 0 R`).join(" ")}] /Count ${pages.length} >>` },
  { value: font },
]

/** A page whose content is the object of this number, with `more` resources. */
export const pageOf = (content: number, more = ""): PdfObject => ({
  value: `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${content} 0 R /Resources << /Font << /F1 3 0 R >> ${more} >> >>`,
})

/** Makes a document of one page with this content. Further objects are numbered from 6. */
export const onePage = (
  content: PdfObject,
  more: ReadonlyArray<PdfObject> = [],
  resources = "",
): Uint8Array<ArrayBuffer> => pdfOf([...frame([4]), pageOf(5, resources), content, ...more])

/** Makes a document of `count` pages that all have the same text. */
export const manyPages = (count: number, text: string): Uint8Array<ArrayBuffer> => {
  const pages = Array.from({ length: count }, (_, index) => index + 5)
  return pdfOf([...frame(pages), { value: "<< >>", stream: drawText(text) }, ...pages.map(() => pageOf(4))])
}

/** A stream that is compressed `times` times. */
export const packed = (content: Uint8Array, times = 1, value = "<< >>"): PdfObject => {
  let bytes = content
  for (let time = 0; time < times; time++) bytes = deflateSync(bytes)
  const filters = Array.from({ length: times }, () => "/FlateDecode").join(" ")
  return { value: value.replace(/>>$/, ` /Filter [${filters}] >>`), stream: bytes }
}
