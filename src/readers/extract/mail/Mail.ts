import type { Attachment, Draft, Omitted } from "../Extraction.ts"
import { htmlText } from "../html/Html.ts"
import { oneLine } from "../Text.ts"
import { calendarText, isCalendar } from "./Calendar.ts"

/** A message as its format stores it. Addresses are as people read them, such as `Ann <ann@example.com>`. */
export interface Mail {
  readonly subject: string
  readonly from: string
  readonly to: string
  readonly cc: string
  readonly date: Date | undefined
  /** The message as a page of HTML; empty where there is only `text`. */
  readonly page: string
  readonly text: string
  readonly attachments: ReadonlyArray<Attachment>
  readonly omitted?: Omitted
}

export const bodyOf = ({ page, text }: Pick<Mail, "page" | "text">): string => {
  const body = page === "" ? "" : htmlText(page).text
  return body.trim() === "" ? text : body
}

/** The time in UTC, to the minute. */
const timeOf = (date: Date | undefined): string =>
  date === undefined || Number.isNaN(date.getTime()) ? "" : `${date.toISOString().slice(0, 16).replace("T", " ")} UTC`

/** The events of the calendars among the files of a message, each once: invitations often bring theirs twice. */
const eventsOf = (attachments: ReadonlyArray<Attachment>, body: string): ReadonlyArray<string> => {
  const calendars = attachments.flatMap(({ content }) =>
    content instanceof Uint8Array && isCalendar(content) ? calendarText(content, body) : [],
  )
  return [...new Set(calendars)]
}

/**
 * Writes a message as Markdown: its subject as the title, who wrote it to whom and when, its text, the events in it and
 * its files.
 */
export const mailDraft = (mail: Mail): Draft => {
  const { attachments, cc, date, from, to } = mail
  const subject = oneLine(mail.subject)
  const lines = [
    ["From", from],
    ["To", to],
    ["Cc", cc],
    ["Date", timeOf(date)],
    ["Attachments", attachments.flatMap(({ name }) => (name === "" ? [] : [name])).join(", ")],
  ].flatMap(([label, value = ""]) => (value.trim() === "" ? [] : [`${label}: ${oneLine(value)}`]))
  const head = subject === "" ? [] : [`# ${subject}`]
  const body = bodyOf(mail)
  const text = [...head, lines.join("\n"), body, ...eventsOf(attachments, body)]
    .filter((part) => part !== "")
    .join("\n\n")
  return { title: subject || undefined, text, attachments, ...(mail.omitted && { omitted: mail.omitted }) }
}
