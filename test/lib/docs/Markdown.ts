import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { marked, type Token, type Tokens } from "marked"

/* The pages that people read, for the tests that hold them to what is so. */

/** The checkout. */
export const root = join(import.meta.dir, "../../..")

/** Paths of all pages in the checkout, in the order in which a newcomer reads those that lead through the API. */
export const pages: ReadonlyArray<string> = [
  "README.md",
  "docs/guide.md",
  "docs/widget.md",
  "docs/keys-and-budgets.md",
  ...readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md") && !["guide.md", "widget.md", "keys-and-budgets.md"].includes(name))
    .toSorted()
    .map((name) => `docs/${name}`),
  "SECURITY.md",
  "CHANGELOG.md",
]

/** The text of a page. */
export const textOf = (page: string): string => readFileSync(join(root, page), "utf8")

/** Every token of a page, those inside others too. */
export const tokensOf = (page: string): ReadonlyArray<Token> => {
  const found: Array<Token> = []
  marked.walkTokens(marked.lexer(textOf(page)), (token) => {
    found.push(token)
  })
  return found
}

/** A fenced block of code: the page it stands on, its language, and its text. */
export interface Block {
  readonly page: string
  /** Text of the heading that it stands below. */
  readonly section: string
  readonly language: string
  /** Why its commands are not run by a test; undefined when they are. */
  readonly notRun: string | undefined
  readonly text: string
}

const isCode = (token: Token): token is Tokens.Code => token.type === "code"

/** The fenced blocks of a page, in their order. */
export const blocksOf = (page: string): ReadonlyArray<Block> => {
  let section = ""
  return tokensOf(page).flatMap((token) => {
    if (token.type === "heading") section = String(token["text"])
    if (!isCode(token)) return []
    const { lang = "", text } = token
    const notRun = /not-run="([^"]+)"/.exec(lang)?.[1]
    return [{ page, section, language: lang.split(" ")[0] ?? "", notRun, text }]
  })
}
