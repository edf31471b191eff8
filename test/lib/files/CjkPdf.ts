import { drawText, type PdfObject, pdfOf } from "./PdfFile.ts"

/** An encoding that both a CMap and the platform decode. */
export type Encoding = "shift_jis" | "euc-jp" | "gbk" | "big5" | "euc-kr" | "utf-16be"

/** The code of each character of an encoding, in hexadecimal digits. */
const codesOf = (encoding: Encoding): ReadonlyMap<string, string> => {
  const decoder = new TextDecoder(encoding)
  const codes = new Map<string, string>()
  const add = (bytes: ReadonlyArray<number>) => {
    const text = decoder.decode(Uint8Array.from(bytes))
    if (!text.includes("\ufffd") && !codes.has(text)) codes.set(text, Buffer.from(bytes).toString("hex"))
  }
  for (let byte = 0x20; byte < 0x7f; byte++) add([byte])
  for (let lead = 0x81; lead < 0xff; lead++) for (let trail = 0x40; trail < 0xff; trail++) add([lead, trail])
  return codes
}

/**
 * Encodes a text in hexadecimal digits. The platform only decodes, so all codes are decoded to find those of the text.
 */
export const encoded = (text: string, encoding: Encoding): string => {
  if (encoding === "utf-16be") return Buffer.from(text, "utf16le").swap16().toString("hex")
  const codes = codesOf(encoding)
  return Array.from(text, (character) => {
    const code = codes.get(character)
    if (code === undefined) throw new Error(`${encoding} has no ${character}`)
    return code
  }).join("")
}

/** A text whose encoding is only named. */
export interface CjkText {
  /** The encoding as PDF source, such as `/90ms-RKSJ-H`, or `8 0 R` for the first of `more`. */
  readonly encoding: string
  /** One of Adobe's character collections, such as `Japan1`, `GB1`, `CNS1` or `Korea1`. */
  readonly ordering: string
  /** The lines, or the columns of vertical text, in hexadecimal digits. */
  readonly lines: ReadonlyArray<string>
  readonly isVertical?: boolean
  /** Further objects, numbered from 8. */
  readonly more?: ReadonlyArray<PdfObject>
}

/**
 * Makes a PDF in a font that is neither embedded nor mapped to Unicode, as older programs did, with `latinText` in
 * Helvetica.
 */
export const cjkPdf = (text: CjkText, latinText = ""): Uint8Array<ArrayBuffer> => {
  const shown = text.lines.map((line, index) => {
    const [x, y] = text.isVertical === true ? [500 - index * 18, 700] : [72, 700 - index * 18]
    return `BT /F2 12 Tf 1 0 0 1 ${x} ${y} Tm <${line}> Tj ET`
  })
  return pdfOf([
    { value: "<< /Type /Catalog /Pages 2 0 R >>" },
    { value: "<< /Type /Pages /Kids [4 0 R] /Count 1 >>" },
    { value: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>" },
    {
      value:
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Resources << /Font << /F1 3 0 R /F2 6 0 R >> >> >>",
    },
    { value: "<< >>", stream: [...shown, latinText === "" ? "" : drawText(latinText)].join("\n") },
    {
      value: `<< /Type /Font /Subtype /Type0 /BaseFont /Mincho /Encoding ${text.encoding} /DescendantFonts [7 0 R] >>`,
    },
    {
      value: `<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Mincho /CIDSystemInfo << /Registry (Adobe) /Ordering (${text.ordering}) /Supplement 2 >> /DW 1000 /FontDescriptor << /Type /FontDescriptor /FontName /Mincho /Flags 4 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 800 /Descent -200 /StemV 80 >> >>`,
    },
    ...(text.more ?? []),
  ])
}
