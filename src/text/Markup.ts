/** The text of a line, a list item or a cell, without the marks of Markdown. */
export const plain = (text: string): string =>
  text
    .replace(/^(?:[-*+•]|\d{1,3}[.)]|>)\s+/, "")
    // A link ends before the next one begins. Otherwise a text of brackets would be read to its end from each of them.
    .replaceAll(/!?\[([^\][]*)\]\([^()]*\)/g, "$1")
    .replaceAll(/(\*\*|__|`)(.+?)\1/g, "$2")
    .trim()
