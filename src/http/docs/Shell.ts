import { docs, pagePath } from "../../api/Docs.ts"
import { openApiDocument } from "../../api/OpenApiDocument.ts"
import { home, console as consolePath } from "../../api/Web.ts"
import { docsHead, upFrom } from "../web/Documents.ts"
import { escape } from "../web/Html.ts"
import { ICON } from "../web/Manifest.ts"
import type { Build } from "../web/WebFiles.ts"
import { groups } from "./Pages.ts"

/*
 * What is around the content of every page of the documentation: search, navigation and the contents of the page. On a
 * narrow screen the two lists are popovers, which need no script.
 */

/** A section of a page: its heading and the text below it, without markup. */
export interface Section {
  readonly depth: number
  readonly id: string
  readonly heading: string
  readonly text: string
}

const entities: Readonly<Record<string, string>> = {
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&amp;": "&",
}

/** The text of HTML that this server has rendered. */
const textOf = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/&(?:lt|gt|quot|#39|amp);/g, (entity) => entities[entity] ?? entity)
    .replaceAll(/\s+/g, " ")
    .trim()

/** The sections of a rendered page. What is marked with `data-unsearched` is left out of their texts. */
export const sectionsOf = (content: string): ReadonlyArray<Section> =>
  Array.from(
    content.matchAll(/<h([123]) id="([^"]*)">(.*?)<\/h\1>([^]*?)(?=<h[123] |$)/g),
    ([, depth, id = "", heading = "", text = ""]) => ({
      depth: Number(depth),
      id,
      heading: textOf(heading),
      text: textOf(text.replaceAll(/<details data-unsearched>[^]*?<\/details>/g, "")),
    }),
  )

const navigation = (up: string, current: string): string => {
  const link = (path: string, title: string) =>
    `<li><a href="${up}${path.slice(1)}"${path === current ? ' aria-current="page"' : ""}>${title}</a></li>`
  return Object.entries(groups)
    .map(([group, pages]) => {
      const links = pages.map(({ name, title }) => link(pagePath(name), title))
      if (group === "Build") links.unshift(link(docs.path, "API reference"))
      return `<h2>${group}</h2>\n<ul>\n${links.join("\n")}\n</ul>`
    })
    .join("\n")
}

const contents = (content: string): string =>
  sectionsOf(content)
    .filter(({ depth }) => depth > 1)
    .map(({ depth, heading, id }) => `<li class="depth-${depth}"><a href="#${id}">${escape(heading)}</a></li>`)
    .join("\n")

/** A page of the documentation at `path`, with its content in the shell. */
export const shell = (build: Build, path: string, title: string, content: string): string => {
  const up = upFrom(path)
  return `${docsHead(build, path, `${title} – Parley`)}
<body>
<a class="skip" href="#content">Skip to content</a>
<header>
<button type="button" popovertarget="menu">Menu</button>
<a class="wordmark" href="${up}${home.path.slice(1)}"><img src="${up}assets/${build.hash}/${ICON}" alt="" width="26" height="26">Parley</a>
<button type="button" popovertarget="contents">On this page</button>
</header>
<section id="menu" class="side" aria-label="Menu" popover>
<a class="wordmark" href="${up}${home.path.slice(1)}"><img src="${up}assets/${build.hash}/${ICON}" alt="" width="26" height="26">Parley</a>
<search>
<input type="search" aria-label="Search the documentation" placeholder="Search" autocomplete="off" data-index="${up}${pagePath("search.json").slice(1)}">
<p class="visually-hidden" role="status"></p>
<ul class="found" hidden></ul>
</search>
<nav aria-label="Documentation">
${navigation(up, path)}
</nav>
<p><a href="${up}${consolePath.path.slice(1)}">Console</a> · <a href="${up}${openApiDocument.path.slice(1)}">OpenAPI</a></p>
</section>
<main id="content" tabindex="-1">
${content}</main>
<nav id="contents" aria-label="On this page" popover>
<h2>On this page</h2>
<ul>
${contents(content)}
</ul>
</nav>
</body>
</html>
`
}
