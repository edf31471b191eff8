/** The lines of a text that are not empty. */
export const linesIn = (text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean)

/** The texts in a line that are divided by commas, each once. */
export const textsIn = (line: string): ReadonlyArray<string> =>
  Array.from(new Set(line.split(/[,，、]/u).map((text) => text.trim()))).filter(Boolean)

export const inOneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim()

/** The title of a conversation, or words for one that has none. */
export const titleOf = ({ title = "" }: { readonly title?: string | undefined }): string =>
  title || "Untitled conversation"
