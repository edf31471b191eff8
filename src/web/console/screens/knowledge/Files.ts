/** The endings of the files that can be read, as the server knows them. */
export const EXTENSIONS: ReadonlyArray<string> =
  "md markdown txt text html htm xhtml csv tsv json jsonl ndjson pdf docx pptx xlsx".split(" ")

/** The files that the browser's own dialog offers. */
export const accept = EXTENSIONS.map((extension) => `.${extension}`).join(",")

const MOST_BYTES = 25 * 1_048_576
/** The reason not to send a file at all. */
export const faultOf = ({ name, size }: { readonly name: string; readonly size: number }): string | undefined => {
  const extension = name.slice(name.lastIndexOf(".") + 1).toLowerCase()
  if (!name.includes(".") || !EXTENSIONS.includes(extension))
    return "This file type is not supported. Use PDF, Word, PowerPoint, Excel, HTML, Markdown, text, CSV or JSON."
  if (size === 0) return "The file is empty."
  return size > MOST_BYTES ? "The file is larger than 25 MiB." : undefined
}
