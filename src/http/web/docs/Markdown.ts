import { basename } from "node:path"
import { Marked, Renderer, type Tokens } from "marked"
import { pagePath } from "../../../api/Docs.ts"
import { escape } from "../Html.ts"

/*
 * The Markdown of the documentation as HTML.
 */

/** The Markdown files in the groups and the order of the navigation: of `docs`, or of its parent where they are in capitals. */
const names: Readonly<Record<string, string>> = {
  Start: "README guide console widget",
  Build: "webhooks sources answers inbox voice formats errors idempotency people keys-and-budgets",
  Operate: "deployment settings operations observability backups files scaling privacy SECURITY",
  Contribute: "architecture development CHANGELOG",
}

/** Each of them: the last segment of the page's path, its group in the navigation, and its path in the checkout. */
export const entries = Object.entries(names).flatMap(([group, files]) =>
  files.split(" ").map((name) => ({
    name: name.toLowerCase(),
    group,
    file: /[A-Z]/.test(name) ? `${name}.md` : `docs/${name}.md`,
  })),
)

/** The anchor of a heading, without `#`, as GitHub derives it from the heading's text. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-")

/**
 * Turns a link between Markdown files, or to a path of the server, into one that is relative to a page. Undefined for a
 * link to a file that is no page.
 */
const addressOf = (href: string): string | undefined => {
  if (/^(?:https?:|#)/.test(href)) return href
  if (href.startsWith("/")) return `..${href}`
  const [path = "", anchor] = href.split("#")
  const page = entries.find(({ file }) => basename(file) === basename(path))
  return page && `..${pagePath(page.name)}${anchor === undefined ? "" : `#${anchor}`}`
}

const marked = new Marked({
  async: false,
  renderer: {
    heading({ depth, text, tokens }) {
      return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`
    },
    link({ href, tokens }) {
      const address = addressOf(href)
      const text = this.parser.parseInline(tokens)
      return address === undefined ? text : `<a href="${escape(address)}">${text}</a>`
    },
    // What scrolls can be scrolled with the keyboard.
    code: ({ text }) => `<pre tabindex="0"><code>${escape(text)}\n</code></pre>\n`,
    table(token) {
      const table = Renderer.prototype.table.call(this, token)
      return `<div class="table" role="group" aria-label="Table" tabindex="0">${table}</div>\n`
    },
    // The pages load no other file.
    image: () => "",
    html: ({ text }: Tokens.HTML | Tokens.Tag) => escape(text),
  },
})

export const htmlOf = (markdown: string): string => marked.parse(markdown, { async: false })
