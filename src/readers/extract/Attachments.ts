import { detect, DETECT_LAST_BYTES, type Format } from "../../domain/knowledge/Formats.ts"
import { type Attachment, type Draft, Omitted, type Reader, tooLarge, Unreadable } from "./Extraction.ts"
import { isCalendar } from "./mail/Calendar.ts"
import { oneLine } from "./Text.ts"

/** Most files that are read of a document, counting those within its files. */
const MAX_ATTACHMENTS = 100
/** Levels of files within files that are read. */
const MAX_DEPTH = 3

const PICTURE = /\.(?:avif|bmp|emf|gif|heic|jpe?g|png|svg|tiff?|webp|wmf)$/i

/** Files that a message says itself: its events, and the marks of its signature. */
const isOfMessage = ({ content, name }: Attachment): boolean =>
  name === "" || /\.(?:asc|p7s)$/i.test(name) || (content instanceof Uint8Array && isCalendar(content))

type Readers = Readonly<Record<Format, Reader>>

/** Makes each heading one level deeper, so that it stands below the heading of its file; code stays as it is. */
const demoted = (text: string): string => {
  let fence: string | undefined
  const lines = text.split("\n").map((line) => {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (fence === undefined) fence = mark
    else if (mark?.startsWith(fence) === true) fence = undefined
    return fence === undefined && /^#{1,5} /.test(line) ? `#${line}` : line
  })
  return lines.join("\n")
}

/** Appends the texts of a document's files to it, each below a heading with its name. Rejects with `Unreadable`. */
export const withAttachments = async (draft: Draft, readers: Readers, textLimit: number): Promise<Draft> => {
  if (draft.attachments === undefined || draft.attachments.length === 0) return draft
  const { omitted = new Omitted() } = draft
  let files = 0
  let characters = 0

  /** Reads a file. One of an unknown format, or that cannot be read, does not keep the others from being read. */
  const draftOf = async ({ content, name }: Attachment): Promise<Draft | undefined> => {
    if (++files > MAX_ATTACHMENTS) return undefined
    if (!(content instanceof Uint8Array)) return content
    const format = content.length === 0 ? undefined : detect(name, content, content.subarray(-DETECT_LAST_BYTES))
    try {
      return format === undefined ? undefined : await readers[format](content, textLimit)
    } catch (cause) {
      if (cause instanceof Unreadable) return undefined
      throw cause
    }
  }

  /** The text of a document with the texts of its files below it. Throws when they exceed the limit together. */
  const textOf = async ({ attachments = [], text }: Draft, depth: number): Promise<string> => {
    const own = typeof text === "string" ? text : text.join("\n\n")
    characters += own.length
    if (characters > textLimit) throw tooLarge(textLimit)
    const parts = [own]
    for (const attachment of attachments) {
      const { name } = attachment
      const inner = depth < MAX_DEPTH ? await draftOf(attachment) : undefined
      if (inner === undefined && !isOfMessage(attachment)) omitted.add(PICTURE.test(name) ? "images" : "files", name)
      omitted.addAll(inner?.omitted, name)
      const innerText = inner === undefined ? "" : await textOf(inner, depth + 1)
      if (innerText.trim() !== "") parts.push(`# Attachment: ${oneLine(name)}`, demoted(innerText))
    }
    return parts.join("\n\n")
  }

  return { title: draft.title, text: await textOf(draft, 0), omitted }
}
