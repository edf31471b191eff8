import { getElementsByTagName, innerText } from "domutils"
import { parseDocument } from "htmlparser2"
import { marked } from "marked"

/** Elements that end a word where they begin and where they end. */
const block =
  /<(?=\/?(?:address|article|aside|blockquote|br|caption|center|dd|details|div|dl|dt|figure|footer|h[1-6]|header|hr|img|input|li|nav|ol|option|p|picture|pre|section|source|summary|table|tbody|td|tfoot|th|thead|tr|ul|video)\b)/gi

/** What a reader sees of Markdown: the text of the HTML that an independent renderer makes of it, and that of its images. */
export const renderedText = (markdown: string): string => {
  const document = parseDocument(marked.parse(markdown, { async: false }).replace(block, " <"))
  const images = getElementsByTagName("img", document, true).map((image) => image.attribs["alt"] ?? "")
  return [innerText(document.children), ...images].join("\n")
}
