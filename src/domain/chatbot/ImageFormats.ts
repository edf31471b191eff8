/**
 * Image formats of avatars, recognized by their first bytes whatever the client claims. SVG is none of them, because it
 * can carry scripts.
 */
const formats = {
  png: { contentType: "image/png", magic: [[0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]]] },
  jpg: { contentType: "image/jpeg", magic: [[0, [0xff, 0xd8, 0xff]]] },
  gif: { contentType: "image/gif", magic: [[0, [0x47, 0x49, 0x46, 0x38]]] },
  webp: {
    contentType: "image/webp",
    magic: [
      [0, [0x52, 0x49, 0x46, 0x46]],
      [8, [0x57, 0x45, 0x42, 0x50]],
    ],
  },
} as const satisfies Record<
  string,
  { readonly contentType: string; readonly magic: ReadonlyArray<readonly [number, ReadonlyArray<number>]> }
>

type ImageExtension = keyof typeof formats

const extensions = Object.keys(formats) as ReadonlyArray<ImageExtension>

/** The file extension of an image, by its first bytes; undefined for other files. */
export const imageExtension = (bytes: Uint8Array): ImageExtension | undefined =>
  extensions.find((extension) =>
    formats[extension].magic.every(([at, magic]) => magic.every((byte, index) => bytes[at + index] === byte)),
  )

export const imageContentType = (bytes: Uint8Array): string => {
  const extension = imageExtension(bytes)
  return extension === undefined ? "application/octet-stream" : formats[extension].contentType
}
