/**
 * The first `length` UTF-16 code units of a text, or one fewer where a surrogate pair would be split: half a pair has
 * no UTF-8.
 */
export const cut = (text: string, length: number): string =>
  text.length <= length ? text : text.slice(0, length).replace(/[\uD800-\uDBFF]$/, "")
