import type { PDFPageProxy } from "pdfjs-dist/legacy/build/pdf.mjs"
import { type Recognize, SCANNED_PAGES_MAX, tooManyScans } from "../Extraction.ts"
import { grayPng } from "../Png.ts"
import { isVisible } from "../Text.ts"
import { PdfFiles } from "./PdfFiles.ts"
import type { Page } from "./PdfLayout.ts"
import { areaOf, asMatrix, inverse, type Matrix, multiply } from "./PdfMatrix.ts"

/*
 * Pages of a PDF that are images, as those of a scan. Scanners put a page together of one image, of strips, or of a
 * background and a mask with the letters, and turn it as they like. So all images of the page are drawn where they belong,
 * in the finest of their resolutions and without colours.
 */

/** A page with more characters is no scan with a stamp or a page number on it. */
export const STAMP_CHARACTERS = 100
/** The share of such a page that its images cover. */
export const LEAST_COVER = 0.5
/** The least area of the images of a page with no other text, in square points: half an inch by half an inch. */
export const LEAST_AREA = 36 * 36
const POINTS_PER_INCH = 72
/** The most pixels of an image, and of a page that is drawn: A3 has as many in 600 dots per inch. */
const PIXELS_MAX = 72_000_000

const WHITE = 255

/** An image as pdf.js decodes it: `kind` is absent for a mask, of which zeros are painted black. */
interface Pixels {
  readonly width: number
  readonly height: number
  readonly kind?: number
  readonly data: Uint8Array | Uint8ClampedArray
}

interface Placed {
  readonly pixels: Pixels
  /** Maps the unit square, whose origin is the image's lower left corner, to points from the page's upper left corner. */
  readonly place: Matrix
}

const isPixels = (value: unknown): value is Pixels =>
  typeof value === "object" &&
  value !== null &&
  "data" in value &&
  (value.data instanceof Uint8Array || value.data instanceof Uint8ClampedArray)

/**
 * The whole of pdf.js: unpdf's copy, which reads text, has no decoders of JPEG 2000, JBIG2 and fax. It needs what unpdf
 * puts in the place of a browser, and so is loaded after that has read a document. Each of them keeps its own worker.
 */
const pdfJs = async () => {
  await import(import.meta.resolve("pdfjs-dist/legacy/build/pdf.worker.mjs"))
  return import("pdfjs-dist/legacy/build/pdf.mjs")
}

/** The images of a page in the order in which they are painted. */
const imagesOn = async (page: PDFPageProxy): Promise<ReadonlyArray<Placed>> => {
  const { OPS } = await pdfJs()
  const { argsArray, fnArray } = await page.getOperatorList()
  /** What pdf.js passes by name, when it is decoded. Images that several pages have are not the page's own. */
  const resolved = (value: unknown): unknown => {
    if (typeof value !== "string") return value
    const objects = value.startsWith("g_") ? page.commonObjs : page.objs
    return new Promise((resolve) => void objects.get(value, resolve))
  }
  const images: Array<Placed> = []
  const saved: Array<Matrix> = []
  let current = asMatrix(page.getViewport({ scale: 1 }).transform)
  const paint = async (value: unknown) => {
    const pixels = await resolved(value)
    if (isPixels(pixels) && areaOf(current) !== 0) images.push({ pixels, place: current })
  }
  for (const [index, operator] of fnArray.entries()) {
    const args: ReadonlyArray<unknown> = argsArray[index] ?? []
    const [first] = args
    if (operator === OPS.save) saved.push(current)
    else if (operator === OPS.restore || operator === OPS.paintFormXObjectEnd) current = saved.pop() ?? current
    else if (operator === OPS.transform) current = multiply(current, asMatrix(args))
    else if (operator === OPS.paintFormXObjectBegin) {
      saved.push(current)
      current = Array.isArray(first) || first instanceof Float32Array ? multiply(current, asMatrix(first)) : current
    } else if (operator === OPS.paintImageXObject || operator === OPS.paintInlineImageXObject) await paint(first)
    else if (operator === OPS.paintImageMaskXObject && typeof first === "object" && first !== null) {
      const data = "data" in first ? await resolved(first.data) : undefined
      await paint(isPixels(data) ? data : { ...first, data })
    }
  }
  return images
}

/** Reads the grey of a pixel, by its index in a row and the row; undefined where nothing is painted. */
const grayOf = ({ data, height, kind, width }: Pixels): ((x: number, y: number) => number | undefined) => {
  const rowBytes = (width + 7) >> 3
  const bit = (x: number, y: number) => ((data[y * rowBytes + (x >> 3)] ?? WHITE) >> (7 - (x & 7))) & 1
  const channels = Math.round(data.length / (width * height))
  if (kind === undefined) return (x, y) => (bit(x, y) === 0 ? 0 : undefined)
  if (kind === 1) return (x, y) => bit(x, y) * WHITE
  return (x, y) => {
    const at = (y * width + x) * channels
    const gray = ((data[at] ?? WHITE) * 77 + (data[at + 1] ?? WHITE) * 151 + (data[at + 2] ?? WHITE) * 28) >> 8
    return channels === 4 && (data[at + 3] ?? WHITE) < WHITE / 2 ? undefined : gray
  }
}

/** The pixels between the corners of an image, in one direction of a page that has so many. */
const spanOf = (corner: number, side: number, otherSide: number, pixels: number): readonly [number, number] => [
  Math.max(0, Math.floor(corner + Math.min(0, side) + Math.min(0, otherSide))),
  Math.min(pixels, Math.ceil(corner + Math.max(0, side) + Math.max(0, otherSide))),
]

/** Draws images on a white page of this size in points, as PNG. */
const drawn = (images: ReadonlyArray<Placed>, size: { readonly width: number; readonly height: number }) => {
  const finest = images.reduce((most, { pixels, place }) => {
    const density = Math.sqrt((pixels.width * pixels.height) / Math.abs(areaOf(place)))
    return Math.abs(areaOf(place)) < LEAST_AREA ? most : Math.max(most, density)
  }, 1)
  const scale = Math.min(finest, Math.sqrt(PIXELS_MAX / (size.width * size.height)))
  const width = Math.max(1, Math.round(size.width * scale))
  const height = Math.max(1, Math.round(size.height * scale))
  const rowBytes = width + 1
  const rows = new Uint8Array(rowBytes * height).fill(WHITE)
  for (let row = 0; row < height; row++) rows[row * rowBytes] = 0
  for (const { pixels, place } of images) {
    const gray = grayOf(pixels)
    const placed = multiply([scale, 0, 0, scale, 0, 0], place)
    const [a, b, c, d, e, f] = inverse(placed)
    const [left, right] = spanOf(placed[4], placed[0], placed[2], width)
    const [top, bottom] = spanOf(placed[5], placed[1], placed[3], height)
    for (let y = top; y < bottom; y++) {
      for (let x = left; x < right; x++) {
        const column = Math.floor((a * (x + 0.5) + c * (y + 0.5) + e) * pixels.width)
        const row = Math.floor((1 - (b * (x + 0.5) + d * (y + 0.5) + f)) * pixels.height)
        if (column < 0 || row < 0 || column >= pixels.width || row >= pixels.height) continue
        const value = gray(column, row)
        if (value !== undefined) rows[y * rowBytes + x + 1] = value
      }
    }
  }
  return grayPng(width, height, rows, scale * POINTS_PER_INCH)
}

const charactersOn = ({ lines }: Page): number => lines.reduce((sum, { text }) => sum + text.length, 0)

/** Recognizes the text of the pages that are images, by the index of the page. */
export const scanned = async (
  bytes: Uint8Array,
  pages: ReadonlyArray<Page>,
  recognize: Recognize,
): Promise<ReadonlyMap<number, string>> => {
  const candidates = pages.flatMap((page, index) => (charactersOn(page) <= STAMP_CHARACTERS ? [index] : []))
  const empty = candidates.filter((index) => pages[index]?.lines.length === 0)
  if (empty.length > SCANNED_PAGES_MAX) throw tooManyScans()
  const texts = new Map<number, string>()
  if (candidates.length === 0) return texts
  const { getDocument } = await pdfJs()
  const options = { verbosity: 0, BinaryDataFactory: PdfFiles, maxImageSize: PIXELS_MAX, useWorkerFetch: false }
  // pdf.js transfers the buffer, so it gets a copy.
  const loading = getDocument({ data: bytes.slice(), ...options })
  try {
    const document = await loading.promise
    let images = 0
    for (const [done, index] of candidates.entries()) {
      const page = await document.getPage(index + 1).catch(() => undefined)
      if (page === undefined) continue
      const { height, width } = page.getViewport({ scale: 1 })
      const found = await imagesOn(page)
      const area = found.reduce((sum, { place }) => sum + Math.abs(areaOf(place)), 0)
      const least = pages[index]?.lines.length === 0 ? LEAST_AREA : LEAST_COVER * width * height
      if (area >= least && images++ < SCANNED_PAGES_MAX) {
        const text = await recognize(drawn(found, { width, height }), { page: done + 1, of: candidates.length })
        if (isVisible(text)) texts.set(index, text)
      }
      page.cleanup()
    }
    return texts
  } finally {
    await loading.destroy()
  }
}
