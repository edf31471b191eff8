import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { decodeHTML } from "entities"
import { docs, pagePath } from "../../../api/Docs.ts"
import { openApiDocument } from "../../../api/OpenApiDocument.ts"
import { console as consolePath, home } from "../../../api/Web.ts"
import { docsHead } from "../Documents.ts"
import { escape } from "../Html.ts"
import { ICON } from "../Manifest.ts"
import { root } from "../SourceHash.ts"
import { entries, htmlOf } from "./Markdown.ts"
import { reference } from "./Reference.ts"
import { info } from "./Schemas.ts"

/*
 * The pages of the documentation as files of a build: the Markdown files, the reference of the API, and the index that
 * their search reads. Links are relative to a page below `/docs`, since a proxy may serve Parley below a path of its own.
 */

/** The text of HTML that is made here. */
const textOf = (html: string): string =>
  decodeHTML(html.replaceAll(/<[^>]*>/g, " "))
    .replaceAll(/\s+/g, " ")
    .trim()

/** The sections of a page: their headings, and the texts below them without markup. */
const sectionsOf = (content: string) =>
  Array.from(
    content.matchAll(/<h([123]) id="([^"]*)">(.*?)<\/h\1>([^]*?)(?=<h[123] id|$)/g),
    ([, depth = "", id = "", heading = "", text = ""]) => ({ depth, id, heading: textOf(heading), text: textOf(text) }),
  )

const list = (items: ReadonlyArray<string>): string => `<ul>\n${items.join("\n")}\n</ul>`

const API = "API reference"

/** The first page of the reference, which leads to the sections of the others. */
const overview = {
  path: docs.path,
  group: "Build",
  title: API,
  content: [
    `<h1 id="api-reference">${API}</h1>`,
    htmlOf(info.description ?? ""),
    htmlOf(
      "The examples use the shell variable `KEY='x-api-key: prl_…'`. Where the browser runs no scripts, `$URL` stands for the address of this server. For tools, there is the [OpenAPI document](/openapi.json).",
    ),
    '<div class="sections">',
    ...reference.map(({ content, path, title }) => {
      const [{ id = "" } = {}, ...sections] = sectionsOf(content)
      const links = sections.map((one) => `<li><a href="..${path}#${one.id}">${escape(one.heading)}</a></li>`)
      return `<h2 id="${id}"><a href="..${path}">${escape(title)}</a></h2>\n${list(links)}`
    }),
    "</div>\n",
  ].join("\n"),
}

/** The pages of the Markdown files, without those that are not in the installation. */
const others = entries
  .filter(({ file }) => existsSync(join(root, file)))
  .map(({ file, group, name }) => {
    const content = htmlOf(readFileSync(join(root, file), "utf8"))
    const title = name === "readme" ? "Overview" : (sectionsOf(content)[0]?.heading ?? name)
    return { path: pagePath(name), group, title, content }
  })

/** Every page in the order of the navigation, whose list of the reference is shown within the reference alone. */
const pages = [
  ...reference.map((page) => ({ ...page, group: API })),
  ...others.filter(({ group }) => group === "Start"),
  overview,
  ...others.filter(({ group }) => group !== "Start"),
]

type Page = (typeof pages)[number]

const shell = (hash: string, { content, group, path, title }: Page): string => {
  const wordmark = `<a class="wordmark" href="..${home.path}"><img src="../assets/${hash}/${ICON}" alt="" width="26" height="26">Parley</a>`
  const shown = pages.filter((one) => one.group !== API || group === API || path === overview.path)
  const link = (page: Page) =>
    `<li><a href="..${page.path}"${page.path === path ? ' aria-current="page"' : ""}>${escape(page.title)}</a></li>`
  const navigation = Object.entries(Object.groupBy(shown, (page) => page.group)).map(
    ([name, own = []]) => `<h2>${name}</h2>\n${list(own.map(link))}`,
  )
  const contents = sectionsOf(content)
    .filter(({ depth }) => depth > "1")
    .map(({ depth, heading, id }) => `<li class="depth-${depth}"><a href="#${id}">${escape(heading)}</a></li>`)
  const html = `${docsHead({ hash }, pagePath(""), `${title} – Parley`)}
<body>
<a class="skip" href="#content">Skip to content</a>
<header>
<button type="button" popovertarget="menu">Menu</button>
${wordmark}
<button type="button" popovertarget="contents">On this page</button>
</header>
<section id="menu" class="side" aria-label="Menu" popover>
${wordmark}
<search>
<input type="search" aria-label="Search the documentation" placeholder="Search" autocomplete="off">
<p class="visually-hidden" role="status"></p>
<ul class="found" hidden></ul>
</search>
<nav aria-label="Documentation">
${navigation.join("\n")}
</nav>
<p><a href="..${consolePath.path}">Console</a> · <a href="..${openApiDocument.path}">OpenAPI</a></p>
</section>
<main id="content" tabindex="-1">
${content}</main>
<nav id="contents" aria-label="On this page" popover>
<h2>On this page</h2>
${list(contents)}
</nav>
</body>
</html>
`
  // The overview is one level higher than the others.
  return path === overview.path ? html.replaceAll('="../', '="./') : html
}

/** What has been said elsewhere. */
const unsearched = /<div class="sections">[^]*?<\/div>|<details>[^]*?<\/details>/g

/** What the search reads: the sections of all pages. */
const index = pages.flatMap(({ content, path, title }) =>
  sectionsOf(content.replaceAll(unsearched, "")).map(({ depth: _, ...section }) => ({
    page: path.slice(1),
    title,
    ...section,
  })),
)

/** The files of the documentation in a build with this hash: their contents by name. */
export const docsFiles = (hash: string): ReadonlyArray<readonly [string, string]> => [
  ...pages.map((page) => [`${page.path.slice(1)}.html`, shell(hash, page)] as const),
  [pagePath("search.json").slice(1), JSON.stringify(index)],
]
