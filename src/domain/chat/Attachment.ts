import { Schema } from "effect"
import { imageContentType } from "../chatbot/ImageFormats.ts"
import { idOf } from "../Ids.ts"
import { detect } from "../knowledge/Formats.ts"
import { boundedList } from "../schema/Bounded.ts"

/*
 * Files that people and visitors send with their messages: images that browsers show, and PDFs.
 */

export const AttachmentId = idOf("an attachment").pipe(Schema.brand("AttachmentId"))
export type AttachmentId = typeof AttachmentId.Type

/** Largest attachment: a photo as phones take them. */
export const ATTACHMENT_MAX_BYTES = 10 * 1024 * 1024
/** Most attachments of one message. */
export const ATTACHMENTS_MAX_COUNT = 10

/** An attachment as a message names it. */
export const SentAttachment = Schema.Struct({
  name: Schema.String,
  url: Schema.String.annotate({
    description: "Anyone who knows the address can read the file, without a key. It ends with the conversation.",
  }),
})
export type SentAttachment = typeof SentAttachment.Type

/** An attachment as it was uploaded. */
export const Attachment = Schema.Struct({
  id: AttachmentId,
  ...SentAttachment.fields,
  media_type: Schema.String.annotate({ description: "By the content.", examples: ["image/png"] }),
  size: Schema.Int.annotate({ description: "In bytes." }),
}).annotate({ identifier: "Attachment" })
export type Attachment = typeof Attachment.Type

/** The attachments that go with a message. */
export const AttachmentIds = boundedList(
  AttachmentId,
  { maximum: ATTACHMENTS_MAX_COUNT },
  { description: "Ids of attachments that were uploaded for this chatbot and not sent yet." },
)

/** The formats of attachments by their media types: the extensions of names, the first of which is added to others. */
const formats = {
  "image/png": ["png"],
  "image/jpeg": ["jpg", "jpeg"],
  "image/gif": ["gif"],
  "image/webp": ["webp"],
  "application/pdf": ["pdf"],
} as const
export type AttachmentType = keyof typeof formats

/** The media type of a file by its content; undefined where it may not be sent. */
export const attachmentType = (bytes: Uint8Array): AttachmentType | undefined =>
  imageContentType(bytes) ?? (detect("file.pdf", bytes, bytes) === "pdf" ? "application/pdf" : undefined)

/** A name with an extension of its type, by which programs open the file after it was downloaded. */
export const withExtension = (name: string, type: AttachmentType): string => {
  const lower = name.toLowerCase()
  return formats[type].some((extension) => lower.endsWith(`.${extension}`)) ? name : `${name}.${formats[type][0]}`
}

/** Bytes at the end of a file among which its end mark has to be. Programs append some to it. */
const END_WITHIN = 1024

/** Whether a file has the end of its format, without which most of it may be missing. */
export const isWhole = (bytes: Uint8Array, type: AttachmentType): boolean => {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  switch (type) {
    case "image/png":
      return file.includes("IEND", -END_WITHIN)
    case "image/jpeg":
      // Phones append much, such as the video of a moving photo.
      return file.includes(Buffer.from([0xff, 0xd9]))
    case "image/gif":
      return file.subarray(-END_WITHIN).includes(0x3b)
    case "image/webp":
      return file.length >= 12 && file.readUInt32LE(4) + 8 <= file.length
    case "application/pdf":
      return file.subarray(-END_WITHIN).includes("%%EOF")
  }
}

/** A file of a turn as a model gets it. Without data, the model is told its name alone. */
export interface ChatFile {
  readonly name: string
  readonly mediaType: string
  /** The content of an image in base64. */
  readonly data?: string | undefined
}

/** Most images in one prompt, their bytes together, and those of one, which providers limit. Newer ones come first. */
export const PROMPT_IMAGES_MAX_COUNT = 4
export const PROMPT_IMAGES_MAX_BYTES = 8_000_000
export const PROMPT_IMAGE_MAX_BYTES = 3_700_000
/** An upper estimate of the tokens of one image: providers scale larger ones down. */
export const IMAGE_TOKENS = 1_600
