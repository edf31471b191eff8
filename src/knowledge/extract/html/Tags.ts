import { html } from "./Html.ts"

/** Writes text as it stands in HTML, also between quotation marks. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)

/** The Markdown of a page that a reader of another format has written as HTML. */
export const htmlText = (page: string): string => {
  const { text } = html(new TextEncoder().encode(page))
  return typeof text === "string" ? text : text.join("\n\n")
}
