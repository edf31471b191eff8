import { basename } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect, FileSystem, Option } from "effect"
import type { Tokens } from "marked"
import { docs } from "../api/Docs.ts"
import { escape, head } from "./web/Html.ts"

/*
 * The pages of the documentation: Markdown files of the checkout, rendered to HTML that needs no script and no other
 * file.
 */

/** The path of the page with this name, such as `/docs/guide`. */
export const pagePath = (name: string): `/${string}` => `${docs.path}/${name}`

const root = fileURLToPath(new URL("../..", import.meta.url))

interface Entry {
  /** The last segment of the page's path. */
  readonly name: string
  readonly title: string
  /** The path of the Markdown file in the checkout. */
  readonly file: string
}

/** Every page of the documentation, in the order of the navigation. */
export const entries: ReadonlyArray<Entry> = [
  { name: "readme", title: "Parley", file: "README.md" },
  { name: "console", title: "Console", file: "docs/console.md" },
  { name: "guide", title: "Guide", file: "docs/guide.md" },
  { name: "widget", title: "The chat widget", file: "docs/widget.md" },
  { name: "webhooks", title: "Webhooks", file: "docs/webhooks.md" },
  { name: "keys-and-budgets", title: "Keys and budgets", file: "docs/keys-and-budgets.md" },
  { name: "scaling", title: "Scaling", file: "docs/scaling.md" },
  { name: "privacy", title: "Privacy", file: "docs/privacy.md" },
  { name: "idempotency", title: "Idempotency keys", file: "docs/idempotency.md" },
  { name: "errors", title: "Errors", file: "docs/errors.md" },
  { name: "formats", title: "Formats", file: "docs/formats.md" },
  { name: "settings", title: "Settings", file: "docs/settings.md" },
  { name: "observability", title: "Observability", file: "docs/observability.md" },
  { name: "files", title: "Files", file: "docs/files.md" },
  { name: "deployment", title: "Deployment", file: "docs/deployment.md" },
  { name: "operations", title: "Operations", file: "docs/operations.md" },
  { name: "backups", title: "Backups", file: "docs/backups.md" },
  { name: "architecture", title: "Architecture", file: "docs/architecture.md" },
  { name: "development", title: "Development", file: "docs/development.md" },
  { name: "security", title: "Security", file: "SECURITY.md" },
  { name: "changelog", title: "Changelog", file: "CHANGELOG.md" },
]

/** The content of the only `style` element of a page. */
export const style = `
:root { color-scheme: light dark; --line: #8884; --quiet: #8881; --link: light-dark(#0a58ca, #7ab3ff) }
body { margin: 0 auto; padding: 1.5rem; max-width: 50rem; font: 1rem/1.6 system-ui, sans-serif; overflow-wrap: break-word }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1rem; padding-bottom: 1rem; border-bottom: 1px solid var(--line) }
a { color: var(--link) }
a[aria-current] { color: inherit; font-weight: bold; text-decoration: none }
h1, h2, h3 { line-height: 1.25; margin: 2rem 0 1rem }
code, pre { font: .875em/1.5 ui-monospace, monospace; background: var(--quiet); border-radius: .25rem }
code { padding: .1em .3em }
pre { padding: 1rem; overflow-x: auto }
pre code { padding: 0; background: none; font-size: 1em }
table { display: block; overflow-x: auto; border-collapse: collapse }
th, td { padding: .4rem .75rem; border: 1px solid var(--line); text-align: left; vertical-align: top }
`

/** The anchor of a heading, without `#`, as GitHub derives it from the heading's text. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-")

/** Turns a link between Markdown files into one between pages. Undefined for a link to a file that is no page. */
const addressOf = (href: string): string | undefined => {
  if (/^(?:https?:|\/|#)/.test(href)) return href
  const [path = "", anchor] = href.split("#")
  const page = entries.find(({ file }) => basename(file) === basename(path))
  return page && `${pagePath(page.name)}${anchor === undefined ? "" : `#${anchor}`}`
}

const navigation = (current: string): string =>
  entries
    .map(
      ({ name, title }) => `<a href="${pagePath(name)}"${name === current ? ' aria-current="page"' : ""}>${title}</a>`,
    )
    .concat(`<a href="${docs.path}">API reference</a>`)
    .join("\n")

/** Loads the Markdown converter, for the first request only, because of the memory that it takes. */
const converter = Effect.map(
  Effect.promise(() => import("marked")),
  ({ Marked }) =>
    new Marked({
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
        // The pages load no other file.
        image: () => "",
        html: ({ text }: Tokens.HTML | Tokens.Tag) => escape(text),
      },
    }),
)

/** Renders an entry as a page of HTML. Returns none when its Markdown file cannot be read. */
export const htmlOf = Effect.fn("DocsPage.htmlOf")(function* ({ file, name, title }: Entry) {
  const files = yield* FileSystem.FileSystem
  const markdown = yield* Effect.option(files.readFileString(`${root}/${file}`))
  if (Option.isNone(markdown)) return Option.none()
  const content = (yield* converter).parse(markdown.value, { async: false })
  return Option.some(`${head(title === "Parley" ? title : `${title} – Parley`, [`<style>${style}</style>`])}
<body>
<nav>
${navigation(name)}
</nav>
<main>
${content}</main>
</body>
</html>
`)
})
