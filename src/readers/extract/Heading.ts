export interface Heading {
  /** The level, from 1 to 6. */
  readonly level: number
  readonly text: string
}

/** Parses a Markdown `#` heading, also with closing hashes; `undefined` for other lines and empty headings. */
export const headingOf = (line: string): Heading | undefined => {
  const match = /^ {0,3}(#{1,6})[ \t]+(.*)$/.exec(line)
  if (match?.[1] === undefined || match[2] === undefined) return undefined
  const text = withoutClosing(match[2].trim())
  return text === "" ? undefined : { level: match[1].length, text }
}

const withoutClosing = (text: string) => {
  let end = text.length
  while (text[end - 1] === "#") end--
  // A closing hash follows a space; the one of `C#` belongs to the text.
  return end === 0 || text[end - 1] === " " || text[end - 1] === "\t" ? text.slice(0, end).trimEnd() : text
}

/** Removes the Markdown marks of links, emphasis and code from a heading. */
export const plainText = (heading: string): string =>
  heading.replace(/!?\[([^\][]*)\]\([^()]*\)/g, "$1").replace(/[*`]+|(?<!\w)_+|(?<!_)_+(?!\w)/g, "")
