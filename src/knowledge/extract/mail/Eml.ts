import PostalMime, { type Address, type Attachment as Part } from "postal-mime"
import { extensionOf, formatOfContentType } from "../../../domain/knowledge/Formats.ts"
import { type Draft, type Reader, Unreadable } from "../Extraction.ts"
import { mailDraft, namedAddress } from "./Mail.ts"

/** Levels of parts within parts that are read. */
const MAX_NESTING = 50

const addresses = (list: ReadonlyArray<Address> = []): string =>
  list
    .map(({ address, group, name }) =>
      group === undefined ? namedAddress(name, address) : `${name}: ${addresses(group)}`,
    )
    .join(", ")

const nameOf = ({ filename, mimeType }: Part): string => {
  if (filename !== null && filename.includes(".")) return filename
  const format = formatOfContentType(mimeType)
  return `${filename ?? "attachment"}${format === undefined ? "" : `.${extensionOf(format)}`}`
}

const bytesOf = ({ content }: Part): Uint8Array =>
  typeof content === "string" ? new TextEncoder().encode(content) : new Uint8Array(content)

/** Reads a message of mail (RFC 5322) with the files in it. Pictures that its page shows are left out. */
export const eml: Reader = async (bytes): Promise<Draft> => {
  const mail = await PostalMime.parse(bytes, { forceRfc822Attachments: true, maxNestingDepth: MAX_NESTING }).catch(
    () => {
      throw new Unreadable("corrupt_document", "The message has too many parts within parts, or too long headers.")
    },
  )
  return mailDraft({
    subject: mail.subject ?? "",
    from: addresses(mail.from === undefined ? [] : [mail.from]),
    to: addresses(mail.to),
    cc: addresses(mail.cc),
    date: mail.date === undefined ? undefined : new Date(mail.date),
    page: mail.html ?? "",
    text: mail.text ?? "",
    attachments: mail.attachments
      .filter(({ mimeType, related }) => related !== true || !mimeType.startsWith("image/"))
      .map((part) => ({ name: nameOf(part), content: bytesOf(part) })),
  })
}
