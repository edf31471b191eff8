import {
  type Draft,
  IMAGE_MAX_BYTES,
  noText,
  Omitted,
  type Reader,
  SCANNED_PAGES_MAX,
  tooManyScans,
  Unreadable,
} from "./Extraction.ts"

/*
 * Images are recognized as they are: no decoder of them runs here. A TIFF may have several pages.
 */

const recognized = async (pages: ReadonlyArray<() => Uint8Array>, recognize: Parameters<Reader>[2]): Promise<Draft> => {
  if (recognize === undefined) throw noText(false)
  const texts: Array<string> = []
  for (const [index, image] of pages.entries()) {
    texts.push(await recognize(image(), { page: index + 1, of: pages.length }))
  }
  if (texts.every((text) => text.trim() === "")) throw noText(true)
  const omitted = new Omitted()
  for (const [index, text] of texts.entries()) if (text.trim() === "") omitted.add("scans", index + 1)
  return { title: undefined, text: texts, omitted }
}

const refuseLarge = (bytes: Uint8Array) => {
  if (bytes.length > IMAGE_MAX_BYTES) {
    const most = `${IMAGE_MAX_BYTES / 1024 / 1024} MiB`
    throw new Unreadable("too_large_when_extracted", `The image is larger than ${most}.`)
  }
}

/** Reads an image of one page. */
export const image: Reader = (bytes, _, recognize) => {
  refuseLarge(bytes)
  return recognized([() => bytes], recognize)
}

/** The size of an entry of a TIFF's directory, and of the number of entries before them. */
const ENTRY_BYTES = 12
const COUNT_BYTES = 2
const POINTER_BYTES = 4

/**
 * Reads a TIFF. Each page is recognized as the same file, whose header leads to the directory of this page, after which
 * no other one comes.
 */
export const tiff: Reader = (bytes, _, recognize) => {
  refuseLarge(bytes)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const isLittle = bytes[0] === 0x49
  /** The place of the pointer to the next directory, by the place of a directory. */
  const pointers = new Map<number, number>()
  const follow = (pointer: number): number =>
    pointer + POINTER_BYTES <= bytes.length ? view.getUint32(pointer, isLittle) : 0
  for (let at = follow(POINTER_BYTES); at > 0 && at + COUNT_BYTES <= bytes.length && !pointers.has(at);) {
    if (pointers.size === SCANNED_PAGES_MAX) throw tooManyScans()
    const pointer = at + COUNT_BYTES + view.getUint16(at, isLittle) * ENTRY_BYTES
    pointers.set(at, pointer)
    at = follow(pointer)
  }
  if (pointers.size === 0) throw new Unreadable("corrupt_document", "The image is damaged and cannot be read.")
  const pageAt = (at: number, pointer: number) => () => {
    const page = bytes.slice()
    const header = new DataView(page.buffer)
    header.setUint32(POINTER_BYTES, at, isLittle)
    if (pointer + POINTER_BYTES <= page.length) header.setUint32(pointer, 0)
    return page
  }
  return recognized(
    Array.from(pointers, ([at, pointer]) => pageAt(at, pointer)),
    recognize,
  )
}
