import { decodeText } from "./Decode.ts"
import type { Draft } from "./Extraction.ts"
import { headingOf, plainText } from "./Heading.ts"
import { maxTitleCharacters } from "./Text.ts"

const fence = /^ {0,3}(`{3,}|~{3,})/
const setextRule = /^ {0,3}(=+|-+)[ \t]*$/
/** Lines that cannot be the text of a heading that the next line underlines. */
const notHeadingText = /^(?: {4}|\t| {0,3}(?:[-*+>|#]|\d+[.)]\s))|^\s*$/

/** Splits off the YAML front matter, of which only `title` is understood. */
const splitFrontMatter = (text: string): { readonly matter: string; readonly body: string } => {
  const match = /^---[ \t]*\n([\s\S]*?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)/.exec(text)
  if (match?.[1] === undefined) return { matter: "", body: text }
  return { matter: match[1], body: text.slice(match[0].length) }
}

const matterTitle = (matter: string): string | undefined =>
  /^title:(.*)$/m
    .exec(matter)?.[1]
    ?.trim()
    .replace(/^(["'])(.*)\1$/, "$2")

/** Outside of code, underlined headings become `#` headings, so that one form is left. */
const simplify = (body: string): { readonly text: string; readonly firstHeading: string | undefined } => {
  const out: Array<string> = []
  let open: string | undefined
  let firstHeading: string | undefined
  for (const line of body.split("\n")) {
    const marker = fence.exec(line)?.[1]
    if (open !== undefined) {
      if (marker !== undefined && marker.startsWith(open) && line.trim() === marker) open = undefined
      out.push(line)
      continue
    }
    if (marker !== undefined) open = marker
    const rule = setextRule.exec(line)?.[1]
    const above = out.at(-1)
    // Only a paragraph of one line: a rule below several lines is more often a rule than a heading.
    const underlines = rule !== undefined && above !== undefined && !notHeadingText.test(above)
    if (underlines && (out.at(-2) ?? "").trim() === "") {
      out[out.length - 1] = `${rule.startsWith("=") ? "#" : "##"} ${above.trim()}`
    } else {
      out.push(line)
    }
    firstHeading ??= headingOf(out.at(-1) ?? "")?.text
  }
  return { text: out.join("\n"), firstHeading }
}

/** Markdown is passed on as it is, but for the fences of its front matter and its underlined headings. */
export const markdown = (bytes: Uint8Array): Draft => {
  const source = decodeText(bytes)
    .replace(/^\ufeff/, "")
    .replace(/\r\n?/g, "\n")
  const { matter, body } = splitFrontMatter(source)
  const { text, firstHeading } = simplify(body)
  return {
    title:
      matterTitle(matter) ??
      (firstHeading === undefined ? undefined : plainText(firstHeading.slice(0, maxTitleCharacters))),
    text: matter === "" ? text : `${matter}\n\n${text}`,
  }
}
