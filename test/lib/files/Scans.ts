import { crc32, deflateSync } from "node:zlib"
import { type Browser, chromium, type Page } from "playwright-core"
import { findBrowser } from "../../browser/lib/Chromium.ts"
import { wideFont } from "../Programs.ts"
import { pdfOf, type PdfObject } from "./PdfFile.ts"

/*
 * Makes scans of known text: a browser writes it, and it is packed as scanners pack it.
 */

/** A picture of a page in shades of grey. */
export interface Picture {
  readonly width: number
  readonly height: number
  readonly gray: Uint8Array
  readonly png: Uint8Array<ArrayBuffer>
  readonly jpeg: Uint8Array<ArrayBuffer>
  readonly webp: Uint8Array<ArrayBuffer>
}

const browser = findBrowser(process.env)

/** Dots of a picture for each pixel of the page, which stand 96 to the inch. */
const SCALE = 2

const htmlOf = async (body: string, { isRightToLeft, turn }: { isRightToLeft: boolean; turn: number }) => {
  const font = wideFont === undefined ? "" : Buffer.from(await Bun.file(wideFont).bytes()).toString("base64")
  return `<!doctype html><meta charset="utf-8"><style>
    @font-face { font-family: wide; src: url(data:font/ttf;base64,${font}) }
    body { margin: 0; padding: 70px; width: 660px; font: 17px/1.5 "DejaVu Serif", wide, serif; background: white; transform: rotate(${turn}deg) }
    </style><body dir="${isRightToLeft ? "rtl" : "ltr"}">${body}`
}

/** What a browser can do that this process cannot: pack a picture as WebP, and unpack it. */
const packing = `async (source) => {
  const image = new Image()
  image.src = source
  await image.decode()
  const canvas = document.createElement("canvas")
  canvas.width = image.width
  canvas.height = image.height
  const context = canvas.getContext("2d")
  context.drawImage(image, 0, 0)
  const data = context.getImageData(0, 0, image.width, image.height).data
  const gray = Array.from({ length: data.length / 4 }, (_, index) => String.fromCharCode(data[index * 4]))
  const webp = canvas.toDataURL("image/webp", 0.9).split(",")[1]
  return { width: image.width, height: image.height, gray: btoa(gray.join("")), webp }
}`

const packed = (page: Page, png: Uint8Array) => {
  const source = `data:image/png;base64,${Buffer.from(png).toString("base64")}`
  return page.evaluate<Pick<Picture, "width" | "height"> & { readonly gray: string; readonly webp: string }>(
    `(${packing})(${JSON.stringify(source)})`,
  )
}

/** Draws pages of HTML, each as a picture of 192 dots per inch. */
export const draw = async (
  bodies: ReadonlyArray<{ readonly body: string; readonly isRightToLeft?: boolean; readonly turn?: number }>,
): Promise<ReadonlyArray<Picture>> => {
  if ("why" in browser) throw new Error(browser.why)
  const running: Browser = await chromium.launch({ executablePath: browser.path, args: ["--no-sandbox"] })
  try {
    const page = await running.newPage({ viewport: { width: 800, height: 1131 }, deviceScaleFactor: SCALE })
    const pictures: Array<Picture> = []
    for (const { body, isRightToLeft = false, turn = 0 } of bodies) {
      await page.setContent(await htmlOf(body, { isRightToLeft, turn }))
      await page.evaluate("document.fonts.ready.then(() => {})")
      const png = new Uint8Array(await page.screenshot({ type: "png" }))
      const jpeg = new Uint8Array(await page.screenshot({ type: "jpeg", quality: 60 }))
      const { gray, height, webp, width } = await packed(page, png)
      pictures.push({
        width,
        height,
        gray: new Uint8Array(Buffer.from(gray, "base64")),
        png,
        jpeg,
        webp: new Uint8Array(Buffer.from(webp, "base64")),
      })
    }
    return pictures
  } finally {
    await running.close()
  }
}

const chunkOf = (type: string, content: Uint8Array): Buffer => {
  const typed = Buffer.concat([Buffer.from(type, "latin1"), content])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(content.length, 0)
  frame.writeUInt32BE(crc32(typed), 4)
  return Buffer.concat([frame.subarray(0, 4), typed, frame.subarray(4)])
}

/** A black PNG in colours of this width and height, which takes a thousandth of its pixels. */
export const blank = (size: number): Uint8Array<ArrayBuffer> => {
  const head = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0])
  for (const at of [0, 4]) head.writeUInt32BE(size, at)
  return new Uint8Array(
    Buffer.concat([
      Buffer.from("\u0089PNG\r\n\u001a\n", "latin1"),
      chunkOf("IHDR", head),
      chunkOf("IDAT", deflateSync(Buffer.alloc((size * 3 + 1) * size))),
      chunkOf("IEND", new Uint8Array()),
    ]),
  )
}

/** Packs pictures as the pages of one TIFF, whose last directory leads to `after`. */
export const tiffOf = (pictures: ReadonlyArray<Picture>, after = 0): Uint8Array<ArrayBuffer> => {
  const parts: Array<Buffer> = [Buffer.from("II*\0\0\0\0\0", "latin1")]
  let at = 8
  let pointer = { in: parts[0] ?? Buffer.alloc(0), at: 4 }
  for (const { gray, height, width } of pictures) {
    const entries: ReadonlyArray<readonly [tag: number, type: number, value: number]> = [
      [256, 4, width],
      [257, 4, height],
      [258, 3, 8],
      [259, 3, 1],
      [262, 3, 1],
      [273, 4, at],
      [277, 3, 1],
      [278, 4, height],
      [279, 4, gray.length],
    ]
    const directory = Buffer.alloc(2 + entries.length * 12 + 4)
    directory.writeUInt16LE(entries.length, 0)
    for (const [index, [tag, type, value]] of entries.entries()) {
      directory.writeUInt16LE(tag, 2 + index * 12)
      directory.writeUInt16LE(type, 4 + index * 12)
      directory.writeUInt32LE(1, 6 + index * 12)
      directory.writeUInt32LE(value, 10 + index * 12)
    }
    const even = gray.length % 2
    pointer.in.writeUInt32LE(at + gray.length + even, pointer.at)
    pointer = { in: directory, at: directory.length - 4 }
    parts.push(Buffer.from(gray), Buffer.alloc(even), directory)
    at += gray.length + even + directory.length
  }
  pointer.in.writeUInt32LE(after, pointer.at)
  return new Uint8Array(Buffer.concat(parts))
}

/** An image of a page: its object, and where the page's content draws it, as a matrix. */
export interface PdfImage {
  readonly object: PdfObject
  readonly place: string
}

export const A4 = { width: 595, height: 842 } as const

/** Makes a PDF whose pages are images, with their text where they have some. */
export const imagePdf = (
  pages: ReadonlyArray<{ readonly images: ReadonlyArray<PdfImage>; readonly rotate?: number; readonly text?: string }>,
): Uint8Array<ArrayBuffer> => {
  const objects: Array<PdfObject> = [
    { value: "" },
    { value: "" },
    { value: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>" },
  ]
  const add = (object: PdfObject) => objects.push(object)
  const numbers = pages.map(({ images, rotate = 0, text }) => {
    const names = images.map(({ object }, index) => `/I${index} ${add(object)} 0 R`)
    const drawn = images.map(({ place }, index) => `q ${place} cm /I${index} Do Q`)
    const written = text === undefined ? [] : [`BT /F1 5 Tf 72 720 Td (${text}) Tj ET`]
    const content = add({ value: "<< >>", stream: [...drawn, ...written].join("\n") })
    return add({
      value: `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${A4.width} ${A4.height}] /Rotate ${rotate} /Contents ${content} 0 R /Resources << /Font << /F1 3 0 R >> /XObject << ${names.join(" ")} >> >> >>`,
    })
  })
  objects[0] = { value: "<< /Type /Catalog /Pages 2 0 R >>" }
  objects[1] = {
    value: `<< /Type /Pages /Kids [${numbers.map((number) => `${number} 0 R`).join(" ")}] /Count ${numbers.length} >>`,
  }
  return pdfOf(objects)
}

const imageObject = (width: number, height: number, rest: string, stream: Uint8Array): PdfObject => ({
  value: `<< /Type /XObject /Subtype /Image /Width ${width} /Height ${height} ${rest} >>`,
  stream,
})

const WHOLE_PAGE = `${A4.width} 0 0 ${A4.height} 0 0`

/** A picture as a camera or a scanner packs it. */
export const jpegImage = ({ height, jpeg, width }: Picture, place = WHOLE_PAGE): PdfImage => ({
  object: imageObject(width, height, "/ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode", jpeg),
  place,
})

/** A picture as `count` strips, from the top of the page to its bottom. */
export const strips = ({ gray, height, width }: Picture, count: number): ReadonlyArray<PdfImage> =>
  Array.from({ length: count }, (_, index) => {
    const [from, to] = [index, index + 1].map((part) => Math.round((part * height) / count))
    const rows = (to ?? 0) - (from ?? 0)
    const bottom = A4.height * (1 - (to ?? 0) / height)
    return {
      object: imageObject(
        width,
        rows,
        "/ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode",
        deflateSync(gray.subarray((from ?? 0) * width, (to ?? 0) * width)),
      ),
      place: `${A4.width} 0 0 ${(A4.height * rows) / height} 0 ${bottom}`,
    }
  })

/** A picture in black and white: as an image, or as a mask, through which the page is painted black. */
export const bilevel = ({ gray, height, width }: Picture, isMask: boolean): PdfImage => {
  const rowBytes = Math.ceil(width / 8)
  const bits = new Uint8Array(rowBytes * height)
  gray.forEach((value, index) => {
    const [x, y] = [index % width, Math.floor(index / width)]
    if (value > 128) bits[y * rowBytes + (x >> 3)] = (bits[y * rowBytes + (x >> 3)] ?? 0) | (0x80 >> (x & 7))
  })
  const kind = isMask ? "/ImageMask true" : "/ColorSpace /DeviceGray"
  return {
    object: imageObject(width, height, `${kind} /BitsPerComponent 1 /Filter /FlateDecode`, deflateSync(bits)),
    place: WHOLE_PAGE,
  }
}
