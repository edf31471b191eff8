import { basename } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect, FileSystem, Option } from "effect"
import type { Tokens } from "marked"
import { pagePath } from "../../api/Docs.ts"
import { escape } from "../web/Html.ts"

/*
 * The pages of the documentation: Markdown files of the checkout as HTML.
 */

const root = fileURLToPath(new URL("../../..", import.meta.url))

interface Entry {
  /** The last segment of the page's path. */
  readonly name: string
  readonly title: string
  /** The path of the Markdown file in the checkout. */
  readonly file: string
}

/** Every page of the documentation in the groups and the order of the navigation. */
export const groups: Readonly<Record<string, ReadonlyArray<Entry>>> = {
  Start: [
    { name: "readme", title: "Overview", file: "README.md" },
    { name: "guide", title: "Guide", file: "docs/guide.md" },
    { name: "console", title: "Console", file: "docs/console.md" },
    { name: "widget", title: "Chat widget", file: "docs/widget.md" },
  ],
  Build: [
    { name: "webhooks", title: "Webhooks", file: "docs/webhooks.md" },
    { name: "sources", title: "Sources", file: "docs/sources.md" },
    { name: "answers", title: "Answers that improve", file: "docs/answers.md" },
    { name: "inbox", title: "Inbox", file: "docs/inbox.md" },
    { name: "voice", title: "Voice", file: "docs/voice.md" },
    { name: "formats", title: "Formats", file: "docs/formats.md" },
    { name: "errors", title: "Errors", file: "docs/errors.md" },
    { name: "idempotency", title: "Idempotency keys", file: "docs/idempotency.md" },
    { name: "people", title: "People", file: "docs/people.md" },
    { name: "keys-and-budgets", title: "Keys and budgets", file: "docs/keys-and-budgets.md" },
  ],
  Operate: [
    { name: "deployment", title: "Deployment", file: "docs/deployment.md" },
    { name: "settings", title: "Settings", file: "docs/settings.md" },
    { name: "operations", title: "Operations", file: "docs/operations.md" },
    { name: "observability", title: "Observability", file: "docs/observability.md" },
    { name: "backups", title: "Backups", file: "docs/backups.md" },
    { name: "files", title: "Files", file: "docs/files.md" },
    { name: "scaling", title: "Scaling", file: "docs/scaling.md" },
    { name: "privacy", title: "Privacy", file: "docs/privacy.md" },
    { name: "security", title: "Security", file: "SECURITY.md" },
  ],
  Contribute: [
    { name: "architecture", title: "Architecture", file: "docs/architecture.md" },
    { name: "development", title: "Development", file: "docs/development.md" },
    { name: "changelog", title: "Changelog", file: "CHANGELOG.md" },
  ],
}

/** Every page of the documentation, in the order of the navigation. */
export const entries: ReadonlyArray<Entry> = Object.values(groups).flat()

/** The anchor of a heading, without `#`, as GitHub derives it from the heading's text. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-")

/**
 * Turns a link between Markdown files, or to a path of the server, into one that is relative to the page. Undefined for a
 * link to a file that is no page.
 */
const addressOf = (href: string, up: string): string | undefined => {
  if (/^(?:https?:|#)/.test(href)) return href
  if (href.startsWith("/")) return up + href.slice(1)
  const [path = "", anchor] = href.split("#")
  const page = entries.find(({ file }) => basename(file) === basename(path))
  return page && `${up}${pagePath(page.name).slice(1)}${anchor === undefined ? "" : `#${anchor}`}`
}

/**
 * Loads the converter from Markdown to HTML for a page from which `up` leads to the root. It is loaded for the first
 * request only, because of the memory that it takes.
 */
export const converter = (up: string) =>
  Effect.map(
    Effect.promise(() => import("marked")),
    ({ Marked, Renderer }) => {
      const marked = new Marked({
        async: false,
        renderer: {
          heading({ depth, text, tokens }) {
            return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`
          },
          link({ href, tokens }) {
            const address = addressOf(href, up)
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
      return (markdown: string): string => marked.parse(markdown, { async: false })
    },
  )

/** Renders the Markdown file of an entry as HTML. Returns none when it cannot be read. */
export const contentOf = Effect.fn("Pages.contentOf")(function* ({ file }: Entry) {
  const files = yield* FileSystem.FileSystem
  const markdown = yield* Effect.option(files.readFileString(`${root}/${file}`))
  return Option.map(markdown, yield* converter("../"))
})
