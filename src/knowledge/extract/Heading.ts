export interface Heading {
  /** 1 to 6. */
  readonly level: number
  readonly text: string
}

/** A Markdown `#` heading, with or without closing hashes; `undefined` for any other line and for an empty heading. */
export const headingOf = (line: string): Heading | undefined => {
  const match = /^ {0,3}(#{1,6})[ \t]+(.*)$/.exec(line)
  if (match?.[1] === undefined || match[2] === undefined) return undefined
  const text = withoutClosing(match[2].trim())
  return text === "" ? undefined : { level: match[1].length, text }
}

const withoutClosing = (text: string) => {
  let end = text.length
  while (text[end - 1] === "#") end--
  // `C#` ends with a hash of its own; a closing one stands apart.
  return end === 0 || text[end - 1] === " " || text[end - 1] === "\t" ? text.slice(0, end).trimEnd() : text
}

/** A heading without the marks of links, emphasis and code. */
export const plainText = (heading: string): string =>
  heading.replace(/!?\[([^\][]*)\]\([^()]*\)/g, "$1").replace(/[*`]+|(?<!\w)_+|(?<!_)_+(?!\w)/g, "")
