import type { Token } from "marked"
import { type Block, isKnown } from "./Blocks.ts"

const textOf = (token: Token): string => {
  if (!isKnown(token)) return ""
  switch (token.type) {
    case "list":
      // A list within an item follows its text without a space.
      return ` ${token.items.map(({ tokens }) => textsOf(tokens)).join(", ")}`
    case "table":
      return [token.header, ...token.rows].map((row) => row.map(({ tokens }) => textsOf(tokens)).join(" ")).join(", ")
    case "heading":
      return `${textsOf(token.tokens)} –`
    case "space":
    case "hr":
    case "def":
    case "br":
      return " "
    default:
      return "tokens" in token && token.tokens !== undefined ? textsOf(token.tokens) : "text" in token ? token.text : ""
  }
}

const textsOf = (tokens: ReadonlyArray<Token>): string => tokens.map(textOf).join("")

export const plainText = (blocks: ReadonlyArray<Block>): string =>
  blocks
    .map(({ token }) => textOf(token))
    .join(" ")
    .replaceAll(/\s+/g, " ")
    .trim()
