import PostalMime, { type Address, type Attachment as Part, type Email } from "postal-mime"
import { extensionOf, formatOfContentType } from "../../../domain/knowledge/Formats.ts"
import { type Attachment, type Draft, Omitted, type Reader, Unreadable } from "../Extraction.ts"
import { contentOfCms } from "./Cms.ts"
import { namedAddress } from "./Address.ts"
import { bodyOf, type Mail, mailDraft } from "./Mail.ts"

/** Levels of parts within parts that are read. */
const MAX_NESTING = 50

const addresses = (list: ReadonlyArray<Address> = []): string =>
  list
    .map(({ address, group, name }) =>
      group === undefined ? namedAddress(name, address) : `${name}: ${addresses(group)}`,
    )
    .join(", ")

/** The name of a file in a message; empty for an invitation that is another form of the message. */
const nameOf = ({ filename, mimeType }: Part): string => {
  if (filename !== null && filename.includes(".")) return filename
  if (filename === null && mimeType === "text/calendar") return ""
  const format = formatOfContentType(mimeType)
  return `${filename ?? "attachment"}${format === undefined ? "" : `.${extensionOf(format)}`}`
}

const bytesOf = ({ content }: Part): Uint8Array =>
  typeof content === "string" ? new TextEncoder().encode(content) : new Uint8Array(content)

/** Signed messages within signed messages that are opened. */
const MAX_ENVELOPES = 3

const encrypted = () =>
  new Unreadable("password_protected", "The message is encrypted; save it decrypted in your program of mail.")

const isSealed = ({ filename, mimeType }: Part): boolean =>
  /^application\/(?:x-)?pkcs7-mime$/.test(mimeType) || /\.p7m$/i.test(filename ?? "")

type Content = Pick<Mail, "page" | "text" | "attachments" | "omitted">

/** Opens what is signed: a message is the message itself where that has no text, and a file is in place of its envelope. */
const opened = async (mail: Email, envelopes: number, omitted = new Omitted()): Promise<Content> => {
  let [page, text] = [mail.html ?? "", mail.text ?? ""]
  const isEmpty = () => page.trim() === "" && text.trim() === ""
  const isShown = ({ mimeType, related }: Part) => related === true && mimeType.startsWith("image/")
  const parts = mail.attachments.filter((part) => !isShown(part))
  for (const picture of mail.attachments.filter(isShown)) omitted.add("images", picture.filename ?? "")
  const isPgp = parts.some(({ mimeType }) => mimeType === "application/pgp-encrypted")
  if ((isPgp && isEmpty()) || text.trimStart().startsWith("-----BEGIN PGP MESSAGE-----")) throw encrypted()
  const attachments: Array<Attachment> = []
  for (const part of parts) {
    const name = nameOf(part)
    const content = isSealed(part) && envelopes > 0 ? contentOfCms(bytesOf(part)) : undefined
    if (content === "encrypted" && isEmpty()) throw encrypted()
    if (!(content instanceof Uint8Array)) attachments.push({ name, content: bytesOf(part) })
    else if (/\.\w+\.p7m$/i.test(name)) attachments.push({ name: name.slice(0, -4), content })
    else {
      const inner = await opened(await parsed(content), envelopes - 1, omitted)
      if (isEmpty()) [page, text] = [inner.page, inner.text]
      else attachments.push({ name, content: { title: undefined, text: bodyOf(inner) } })
      attachments.push(...inner.attachments)
    }
  }
  return { page, text, attachments, omitted }
}

const parsed = (bytes: Uint8Array): Promise<Email> =>
  PostalMime.parse(bytes, { forceRfc822Attachments: true, maxNestingDepth: MAX_NESTING }).catch(() => {
    throw new Unreadable("corrupt_document", "The message has too many parts within parts, or too long headers.")
  })

/** The text of a message alone, as of a page of HTML that is stored as one with its pictures. */
export const messageText = async (bytes: Uint8Array): Promise<string> => bodyOf(await opened(await parsed(bytes), 0))

/**
 * Reads a message of mail (RFC 5322) with the files in it, also a signed one. Pictures that its page shows are left out,
 * and signatures are not checked.
 */
export const eml: Reader = async (bytes): Promise<Draft> => {
  const mail = await parsed(bytes)
  return mailDraft({
    subject: mail.subject ?? "",
    from: addresses(mail.from === undefined ? [] : [mail.from]),
    to: addresses(mail.to),
    cc: addresses(mail.cc),
    date: mail.date === undefined ? undefined : new Date(mail.date),
    ...(await opened(mail, MAX_ENVELOPES)),
  })
}
