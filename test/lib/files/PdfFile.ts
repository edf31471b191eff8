import { deflateSync } from "node:zlib"

/** An object of a PDF: a dictionary, and what it streams. */
export interface PdfObject {
  readonly value: string
  readonly stream?: Uint8Array | string
}

/** A PDF of these objects, numbered from 1, the first of which is the catalog. */
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

/** What draws one line of text. */
export const drawn = (text: string): string => `BT /F1 12 Tf 72 720 Td (${text}) Tj ET`

/** The first three objects of any document here: catalog, tree of pages, font. Pages come next. */
const frame = (pages: ReadonlyArray<number>): ReadonlyArray<PdfObject> => [
  { value: "<< /Type /Catalog /Pages 2 0 R >>" },
  { value: `<< /Type /Pages /Kids [${pages.map((page) => `${page} 0 R`).join(" ")}] /Count ${pages.length} >>` },
  { value: font },
]

export const pageOf = (content: number, more = ""): PdfObject => ({
  value: `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${content} 0 R /Resources << /Font << /F1 3 0 R >> ${more} >> >>`,
})

/** A document of one page whose content is this stream; further objects begin at number 6. */
export const onePage = (
  content: PdfObject,
  more: ReadonlyArray<PdfObject> = [],
  resources = "",
): Uint8Array<ArrayBuffer> => pdfOf([...frame([4]), pageOf(5, resources), content, ...more])

/** A document of so many pages that all show the same. */
export const manyPages = (count: number, text: string): Uint8Array<ArrayBuffer> => {
  const pages = Array.from({ length: count }, (_, index) => index + 5)
  return pdfOf([...frame(pages), { value: "<< >>", stream: drawn(text) }, ...pages.map(() => pageOf(4))])
}

/** A stream that is packed, as often as there are filters. */
export const packed = (content: Uint8Array, times = 1, value = "<< >>"): PdfObject => {
  let bytes = content
  for (let time = 0; time < times; time++) bytes = deflateSync(bytes)
  const filters = Array.from({ length: times }, () => "/FlateDecode").join(" ")
  return { value: value.replace(/>>$/, ` /Filter [${filters}] >>`), stream: bytes }
}
