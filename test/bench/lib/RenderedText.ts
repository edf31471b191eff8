import { getElementsByTagName, innerText } from "domutils"
import { parseDocument } from "htmlparser2"
import { marked } from "marked"

/** Matches the tags that separate words. */
const SEPARATING_TAG =
  /<(?=\/?(?:address|article|aside|blockquote|br|caption|center|dd|details|div|dl|dt|figure|footer|h[1-6]|header|hr|img|input|li|nav|ol|option|p|picture|pre|section|source|summary|table|tbody|td|tfoot|th|thead|tr|ul|video)\b)/gi

/**
 * The text that a reader of Markdown sees: that of the HTML which an independent renderer makes, and that of its
 * images.
 */
export const renderedText = (markdown: string): string => {
  const document = parseDocument(marked.parse(markdown, { async: false }).replace(SEPARATING_TAG, " <"))
  const images = getElementsByTagName("img", document, true).map((image) => image.attribs["alt"] ?? "")
  return [innerText(document.children), ...images].join("\n")
}
