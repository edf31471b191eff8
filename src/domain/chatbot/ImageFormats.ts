/**
 * Image formats of avatars, recognized by their first bytes, here in hexadecimal, not by what the client claims. SVG is none
 * of them, because it can carry scripts.
 */
const formats = {
  png: { contentType: "image/png", beginning: /^89504e470d0a1a0a/ },
  jpg: { contentType: "image/jpeg", beginning: /^ffd8ff/ },
  gif: { contentType: "image/gif", beginning: /^47494638/ },
  webp: { contentType: "image/webp", beginning: /^52494646.{8}57454250/ },
} as const

type ImageExtension = keyof typeof formats

const extensions = Object.keys(formats) as ReadonlyArray<ImageExtension>

/** The number of first bytes that tell the formats apart. */
const HEAD_BYTES = 12

/** The file extension of an image, by its first bytes; undefined for other files. */
export const imageExtension = (bytes: Uint8Array): ImageExtension | undefined => {
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString("hex")
  return extensions.find((extension) => formats[extension].beginning.test(head))
}

/** The media type of an image, by its first bytes; undefined for other files. */
export const imageContentType = (bytes: Uint8Array) => {
  const extension = imageExtension(bytes)
  return extension && formats[extension].contentType
}
