/** A text of separated values below the line that names their delimiter: `sep=;`, which Excel obeys and does not show. */
export const separated = (text: string): { readonly delimiter: string | undefined; readonly rows: string } => {
  const [line = "", , delimiter] = /^("?)sep=([^"\r\n])\1(?:\r\n?|\n|$)/i.exec(text) ?? []
  return { delimiter, rows: text.slice(line.length) }
}
