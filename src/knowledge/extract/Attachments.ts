import { detect, DETECT_LAST_BYTES, type Format } from "../../domain/knowledge/Formats.ts"
import { type Attachment, type Draft, type Reader, tooLarge, Unreadable } from "./Extraction.ts"
import { oneLine } from "./Text.ts"

/** Most files that are read of a document, counting those within its files. */
const MAX_ATTACHMENTS = 100
/** Levels of files within files that are read. */
const MAX_DEPTH = 3

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

class AttachmentReader {
  private files = 0
  private characters = 0
  private readonly readers: Readers
  private readonly textLimit: number

  constructor(readers: Readers, textLimit: number) {
    this.readers = readers
    this.textLimit = textLimit
  }

  /** The text of a document with the texts of its files below it. Throws when they exceed the limit together. */
  async textOf({ attachments = [], text }: Draft, depth: number): Promise<string> {
    const parts = [typeof text === "string" ? text : text.join("\n\n")]
    this.characters += parts[0]?.length ?? 0
    if (this.characters > this.textLimit) throw tooLarge(this.textLimit)
    for (const attachment of depth < MAX_DEPTH ? attachments : []) {
      const draft = await this.draftOf(attachment)
      const inner = draft === undefined ? "" : await this.textOf(draft, depth + 1)
      if (inner.trim() !== "") parts.push(`# Attachment: ${oneLine(attachment.name)}`, demoted(inner))
    }
    return parts.join("\n\n")
  }

  /** Reads a file. One of an unknown format, or that cannot be read, does not keep the others from being read. */
  private async draftOf({ content, name }: Attachment): Promise<Draft | undefined> {
    if (++this.files > MAX_ATTACHMENTS) return undefined
    if (!(content instanceof Uint8Array)) return content
    const format = content.length === 0 ? undefined : detect(name, content, content.subarray(-DETECT_LAST_BYTES))
    if (format === undefined) return undefined
    try {
      return await this.readers[format](content, this.textLimit)
    } catch (cause) {
      if (cause instanceof Unreadable) return undefined
      throw cause
    }
  }
}

/** Appends the texts of a document's files to it, each below a heading with its name. Rejects with `Unreadable`. */
export const withAttachments = async (draft: Draft, readers: Readers, textLimit: number): Promise<Draft> => {
  if (draft.attachments === undefined || draft.attachments.length === 0) return draft
  return { title: draft.title, text: await new AttachmentReader(readers, textLimit).textOf(draft, 0) }
}
