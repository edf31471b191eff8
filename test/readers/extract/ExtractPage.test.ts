import { describe, expect, test } from "bun:test"
import { Unreadable } from "../../../src/readers/extract/Extraction.ts"
import { page as read } from "../../../src/readers/extract/html/Page.ts"

const URL = "https://docs.example.com/guide/install"
const SENTENCE = "The gauge writes its readings every ten minutes, and keeps them for a year. "

const pageOf = (html: string | Uint8Array, contentType = "text/html; charset=utf-8", textLimit = 1_000_000) =>
  read({ url: URL, contentType, bytes: typeof html === "string" ? new TextEncoder().encode(html) : html }, textLimit)

const textOf = (html: string) => pageOf(html).blocks.join("\n")

const codeOf = (html: string | Uint8Array, contentType?: string, textLimit?: number) => {
  try {
    pageOf(html, contentType, textLimit)
    return undefined
  } catch (cause) {
    return cause instanceof Unreadable ? cause.code : cause
  }
}

/** A page with the surroundings that sites have. */
const site = (title: string, content: string) => `<!doctype html><html lang="en-GB"><head><title>${title}</title></head>
<body><header class="site-header"><a href="/">Tideways</a><nav><ul><li><a href="/a">Products</a><li><a href="/b">Prices</a></ul></nav></header>
<div class="cookie-banner"><p>We use cookies, and so do our partners.</p><button>Accept</button></div>
${content}
<footer><p>Copyright Tideways Ltd.</p><a href="/imprint">Imprint</a></footer></body></html>`

const CHROME = /Tideways|Products|Prices|cookies|Accept|Copyright|Imprint/

describe("the main content of a page", () => {
  test("of a documentation has its code, lists and tables, without sidebars, anchors, buttons and line numbers", () => {
    const { blocks, title } = pageOf(
      site(
        "Installation | Tideways",
        `<div class="layout"><aside class="sidebar"><ul class="menu"><li><a href="/x">Introduction</a></ul></aside>
<main><nav class="breadcrumbs"><a href="/">Home</a></nav><article><h1>Installation<a class="hash-link" href="#i">¶</a></h1><p>Install it:</p>
<div class="language-bash"><pre class="language-bash"><code><span class="token comment"># with npm</span><br><span>npm install gauge</span><br></code></pre><button>Copy</button></div>
<table class="highlighttable"><tr><td class="linenos"><pre>1</pre></td><td><pre>import gauge</pre></td></tr></table>
<h2 id="needs">Needs <a href="#needs">#</a></h2><ul><li>Node 20</li><li>2 GB</li></ul><div class="admonition"><p>Windows needs more.</p></div>
<table><tr><th>Option<th>Default<tr><td>port<td>8080</table><dl><dt>--dry</dt><dd>Writes nothing.</dd></dl>
<a class="edit-this-page" href="https://example.org/edit">Edit this page</a></article>
<div class="table-of-contents"><ul><li><a href="#needs">Needs</a></ul></div></main></div>`,
      ),
    )
    expect(title).toBe("Installation")
    expect(blocks).toEqual([
      "Install it:",
      "```bash\n# with npm\nnpm install gauge\n```",
      "```\nimport gauge\n```",
      "## Needs",
      "- Node 20\n- 2 GB",
      "Windows needs more.",
      "| Option | Default |\n| --- | --- |\n| port | 8080 |",
      "- --dry\n  - Writes nothing.",
    ])
  })

  test("of an encyclopedia has infobox and formulas, without marks, notes and lists of other articles", () => {
    const text = textOf(
      site(
        "Tide - Encyclopedia",
        `<div role="main"><h1>Tide</h1><table class="infobox"><tr><th>Period<td>12 hours</table>
<p>${SENTENCE.repeat(4)}<sup class="reference"><a href="#n1">[1]</a></sup></p>
<h2>Height<span class="mw-editsection">[<a href="/edit">edit</a>]</span></h2>
<p>It is <span style="display:none"><math><mi>h</mi></math></span><img class="mwe-math-fallback" aria-hidden="true" alt="h=2g">, or <math><semantics><mi>k</mi><annotation encoding="application/x-tex">k^2</annotation></semantics></math> metres.</p>
<h2>References</h2><div class="reflist"><ol><li>Smith 1990</ol></div><div class="navbox"><a href="/q">Oceans</a></div></div>`,
      ),
    )
    expect(text).toContain("Period")
    expect(text).toContain("## Height\n")
    expect(text).toContain("It is h=2g, or k^2 metres.")
    expect(text).not.toMatch(/\[1\]|edit|Smith|Oceans|References/)
    expect(text).not.toMatch(CHROME)
  })

  test("of an article has captions and quotes, without sharing, related articles and comments", () => {
    const text = textOf(
      site(
        "Why tides matter – The Shore",
        `<div class="post"><div class="entry-content"><p>${SENTENCE.repeat(3)}</p><h2>Who needs them</h2><p>${SENTENCE.repeat(3)}</p>
<figure><img alt=""><figcaption>The gauge of Brest</figcaption></figure><blockquote><p>They wait for no man.</p></blockquote></div>
<div class="share-buttons"><a href="/fb">Share this</a></div><div class="related-posts"><a href="/1">Another story</a></div></div>
<div id="comments"><p>First! ${SENTENCE}</p></div>`,
      ),
    )
    expect(text).toContain("## Who needs them")
    expect(text).toContain("The gauge of Brest")
    expect(text).toContain("> They wait for no man.")
    expect(text).not.toMatch(/Share this|Another story|First!/)
    expect(text).not.toMatch(CHROME)
  })

  test("of a forum has all posts", () => {
    const posts = ["My gauge does not start.", "Hold the button.", "Thanks, that was it."]
    const text = textOf(
      site(
        "No start",
        posts.map((post) => `<article class="post"><p>${post}</p><button>Like</button></article>`).join(""),
      ),
    )
    expect(text).toBe(posts.join("\n"))
  })

  test.each([
    [
      "an address and opening hours",
      `<h1>Contact</h1><div class="contact">12 Harbour Road<table><tr><td>Mon<td>9–17</table></div>`,
      ["12 Harbour Road", "9–17"],
    ],
    ["a menu with prices", `<div class="menu"><h2>Fish</h2><p>Sole 19 €</p></div>`, ["Sole 19 €"]],
    [
      "cards with an offer each",
      `<section class="hero"><h1>Gauges</h1></section><div class="card"><h3>Basic</h3><p>99 €</p></div>`,
      ["Gauges", "99 €"],
    ],
    [
      "answers that open with a click",
      `<h3>Refunds?</h3><div class="accordion-body" style="display: none">In 30 days.</div>`,
      ["In 30 days."],
    ],
    [
      "a list of files",
      `<main><h1>Downloads</h1><ul><li><a href="/1.pdf">The manual</a></ul></main>`,
      ["[The manual](https://docs.example.com/1.pdf)"],
    ],
    ["text beside items of a list", `<ul>Bring this: <li>A towel</ul>`, ["Bring this:", "A towel"]],
  ])("keeps %s, also on a short page", (_, content, expected) => {
    const text = textOf(site("A page", content))
    for (const each of expected) expect(text).toContain(each)
    expect(text).not.toMatch(CHROME)
  })

  test("is found where the names of a theme mean something else", () => {
    expect(textOf(`<body><div class="sidebar"><p>${SENTENCE.repeat(5)}</p></div><p>By Ann</p>`)).toContain(
      SENTENCE.trim(),
    )
  })
})

describe("a page", () => {
  test.each([
    ["Install – The Gauge", "<h1>Install</h1>", "Install"],
    ["The Gauge – Install", `<h1><a href="/">The Gauge</a></h1><h1>Install</h1>`, "The Gauge – Install"],
    ["Install | The Gauge", `<meta property="og:site_name" content="The Gauge">`, "Install"],
    ["", "<h1>Install \u200b it</h1>", "Install it"],
    ["", "<p>No title", ""],
  ])("is called by its own title: %j", (title, content, expected) => {
    expect(pageOf(`<title>${title}</title>${content}<p>Text`).title).toBe(expected)
  })

  test("leads to where its links point, each once, without those that it does not vouch for", () => {
    const { links } = pageOf(
      `<base href="/docs/"><nav><a href="a?x=1#top">A</a><a href="a?x=1">A again</a></nav><a href="//other.example/b">B</a><a rel="ugc nofollow" href="c">C</a>
<a href="mailto:a@example.com">D</a><a href="javascript:x()">E</a><a href="http://[broken">F</a><map><area href="g"></map><footer><a href="/imprint">G</a></footer>`,
    )
    expect(links).toEqual([
      "https://docs.example.com/docs/a?x=1",
      "https://other.example/b",
      "https://docs.example.com/docs/g",
      "https://docs.example.com/imprint",
    ])
  })

  test.each([
    ["routes alone", `<a href="#/a">A</a><a href="/guide/install#!/b?x=1">B</a>`, ["#/a", "#!/b?x=1"]],
    [
      "routes, its site and another one",
      `<a href="/">Home</a><a href="#/a">A</a><a href="//x.example/">X</a>`,
      ["#/a"],
    ],
    ["routes and a page", `<a href="#/a">A</a><a href="/b">B</a>`, []],
    ["places of its own", `<a href="#a">A</a><a href="#">B</a><a href="#/">C</a>`, []],
    ["pages with places", `<a href="/b#/a">A</a><a href="/c">B</a>`, []],
  ])("leads to routes behind a “#” where it has no other links: to %s", (_, html, expected) => {
    const { links } = pageOf(html)
    expect(links.filter((link) => link.includes("#"))).toEqual(expected.map((route) => URL + route))
  })

  test.each([
    [
      `<meta name="robots" content="NOINDEX, follow">`,
      { noindex: true, nofollow: false, links: ["https://docs.example.com/a"] },
    ],
    [`<meta name="parleybot" content="none">`, { noindex: true, nofollow: true, links: [] }],
    [`<meta name="googlebot" content="noindex">`, { noindex: false, nofollow: false }],
    [`<link rel="canonical" href="/install">`, { canonical: "https://docs.example.com/install" }],
    [`<meta http-equiv="Refresh" content="0; url='/new'">`, { refresh: "https://docs.example.com/new" }],
    [`<meta http-equiv="refresh" content="300; url=/new">`, { refresh: undefined }],
    [`<meta http-equiv="refresh" content="5">`, { refresh: undefined }],
    [
      `<meta property="article:published_time" content="2026-03-04T10:00:00+01:00">`,
      { published: "2026-03-04T09:00:00.000Z" },
    ],
    [
      `<script type="application/ld+json">{"dateModified": "2026-05-01", "datePublished": "2026-03-04"}</script>`,
      { published: "2026-03-04" },
    ],
    [`<time datetime="2026-02-30T99:00">x</time><time datetime="2026-02-01">y</time>`, { published: "2026-02-01" }],
  ])("says in its head what is respected: %s", (head, expected) => {
    expect(pageOf(`<html><head>${head}</head><body><p>Text <a href="/a">A</a>`)).toMatchObject(expected)
  })

  test("names its language, also as XHTML", () => {
    expect(pageOf(`<html lang="pt-BR"><p>Texto`).language).toBe("pt")
    expect(pageOf(`<html lang="x"><p>Text`).language).toBeUndefined()
    const xhtml = `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml" xml:lang="de"><head><script src="a.js"/></head><body><div/><p>Text</p></body></html>`
    expect(pageOf(xhtml, "application/xhtml+xml")).toMatchObject({ language: "de", blocks: ["Text"] })
  })

  test.each([
    ["text/html; charset=iso-8859-2", Uint8Array.of(0x3c, 0x70, 0x3e, 0xb3, 0xf3, 0x64, 0xbc), "łódź"],
    ["text/html", new Uint8Array(Buffer.from("\ufeff<p>łódź", "utf16le")), "łódź"],
    ["text/html", Buffer.concat([Buffer.from(`<meta charset="shift_jis"><p>`), Uint8Array.of(0x92, 0xaa)]), "潮"],
    ["text/html; charset=nonsense", Buffer.from("<p>café", "latin1"), "café"],
  ])("is decoded as %s says, or as its bytes do", (contentType, bytes, text) => {
    expect(pageOf(bytes, contentType).blocks).toEqual([text])
  })

  test("without text needs a browser when scripts make it, and a person when it asks for a password", () => {
    const app = `<html><head><title>App</title><script src="/a.js"></script></head><body><div id="root"></div></body>`
    const asking = `<script>x</script><p>Please enable JavaScript to go on.</p>`
    const login = site("Sign in", `<form><label>Password</label><input type="password"></form>`)
    const article = `<script src="/a.js"></script><div id="root"><p>${SENTENCE.repeat(5)}</p></div><form><input type="password"></form>`
    const states = [app, asking, login, article, site("Parking", "<p>20 places.</p>"), "<p></p>"].map((html) => {
      const { needsBrowser, needsLogin } = pageOf(html)
      return needsBrowser ? "browser" : needsLogin ? "login" : "read"
    })
    expect(states).toEqual(["browser", "browser", "login", "read", "read", "read"])
  })

  test.each([
    ["", "empty_document"],
    [`{"a": 1}`, "unsupported_format"],
    ["%PDF-1.7", "unsupported_format"],
    [`<?xml version="1.0"?><rss><channel><title>News</title></channel></rss>`, "unsupported_format"],
    [`<svg><text>x</text></svg>`, "unsupported_format"],
    [Uint8Array.from({ length: 400 }, (_, index) => index % 31), "unsupported_format"],
  ])("that is none is refused with a reason: %j", (content, code) => {
    expect(codeOf(content)).toBe(code)
  })
})

describe("a hostile page", () => {
  test("with deep nesting, or with more text than a page may have, is refused with a reason", () => {
    expect(codeOf(`${"<div>".repeat(100_000)}x`)).toBe("corrupt_document")
    expect(codeOf(`<p>${"word ".repeat(1_000)}`, "text/html", 1_000)).toBe("too_large_when_extracted")
  })

  test("has at most 20,000 links, none of them longer than an address", () => {
    const many = Array.from({ length: 30_000 }, (_, index) => `<a href="/${index}"></a>`).join("")
    expect(pageOf(`<a href="/${"x".repeat(5_000)}">x</a>${many}`).links).toHaveLength(20_000)
  })
})
