import { describe, expect, test } from "bun:test"
import { html as readUpload } from "../../../src/readers/extract/html/Html.ts"
import { page } from "../../../src/readers/extract/html/Page.ts"

/*
 * The text of a page is what a person sees who looks at it in a browser, with accordions and tabs opened.
 */

const bytesOf = (html: string) => new TextEncoder().encode(html)

const textOf = (body: string) =>
  page(
    {
      url: "https://www.example.com/page",
      contentType: "text/html; charset=utf-8",
      bytes: bytesOf(`<!doctype html><html lang="en"><head><title>A page</title></head><body>${body}</body></html>`),
    },
    1_000_000,
  ).blocks.join("\n")

const SENTENCE = "The harbour office answers within a day, and keeps what you wrote for no longer than it needs. "
const PROSE = `<p>${SENTENCE.repeat(3)}</p>`
const DOG = "Yes, for twelve euros a night, on a lead."
const POOL = "From seven in the morning until ten at night."

/** A page, what a person sees of it, and what is none of its content. */
type Case = readonly [name: string, body: string, seen: ReadonlyArray<string>, unseen: ReadonlyArray<string>]

const folded: ReadonlyArray<Case> = [
  [
    "an accordion of Bootstrap",
    `<div class="accordion"><h2><button class="accordion-button collapsed" data-bs-toggle="collapse" data-bs-target="#c0" aria-expanded="false" aria-controls="c0">May I bring my dog?</button></h2><div id="c0" class="accordion-collapse collapse"><div>${DOG}</div></div></div>`,
    ["## May I bring my dog?", DOG],
    [],
  ],
  [
    "an accordion as the guide to ARIA has it",
    `<h3><button aria-expanded="false" aria-controls="s1"><span>May I bring my dog?</span><span class="icon"></span></button></h3><div id="s1" role="region" hidden>${DOG}</div>`,
    ["### May I bring my dog?", DOG],
    [],
  ],
  [
    "buttons with their panels beside them, without any attribute",
    `<button type="button" class="collapsible">May I bring my dog?</button><div class="content" style="display:none"><p>${DOG}</p></div>`,
    [`May I bring my dog?\n${DOG}`],
    [],
  ],
  [
    "buttons that say whether they are open, with their panels beside them",
    `<div class="q"><div><button aria-expanded="false">May I bring my dog?</button></div><div hidden>${DOG}</div></div><div class="q"><div><button aria-expanded="false">When is the pool open?</button></div><div hidden>${POOL}</div></div>`,
    [`May I bring my dog?\n${DOG}\nWhen is the pool open?\n${POOL}`],
    [],
  ],
  [
    "a list of definitions",
    `<dl><dt><button aria-expanded="false" aria-controls="d1">May I bring my dog?</button></dt><dd id="d1" hidden>${DOG}</dd></dl>`,
    ["- May I bring my dog?\n  - Yes, for twelve euros"],
    [],
  ],
  [
    "links that open panels",
    `<h4><a data-toggle="collapse" href="#one">May I bring my dog?</a></h4><div id="one" style="display: none;">${DOG}</div><a href="#two">When is the pool open?</a><div id="two" aria-hidden="true" hidden>${POOL}</div>`,
    ["May I bring my dog?", DOG, "When is the pool open?", POOL],
    [],
  ],
  [
    "tabs, each with its panel",
    `<div role="tablist"><button role="tab" id="t1" aria-controls="p1" aria-selected="true">Dogs</button><button role="tab" id="t2" aria-controls="p2">Pool</button></div><div role="tabpanel" id="p1" aria-labelledby="t1">${DOG}</div><div role="tabpanel" id="p2" hidden>${POOL}</div>`,
    [`Dogs\n${DOG}\nPool\n${POOL}`],
    [],
  ],
  [
    "tabs that only their panels name",
    `<div role="tablist"><button role="tab" id="t1">Dogs</button><button role="tab" id="t2">Pool</button></div><div role="tabpanel" aria-labelledby="t1">${DOG}</div><div role="tabpanel" aria-labelledby="t2" hidden>${POOL}</div>`,
    [`Dogs\n${DOG}\nPool\n${POOL}`],
    [],
  ],
  [
    "tabs of links",
    `<ul class="nav"><li><a href="#dogs" data-toggle="tab">Dogs</a></li><li><a href="#pool" data-toggle="tab">Pool</a></li></ul><div><div id="dogs">${DOG}</div><div id="pool" style="display:none">${POOL}</div></div>`,
    [DOG, POOL],
    [],
  ],
  [
    "details, and text that a search on the page finds",
    `<details><summary>May I bring my dog?</summary>${DOG}</details><div hidden="until-found">${POOL}</div>`,
    [`May I bring my dog?\n${DOG}\n${POOL}`],
    [],
  ],
  [
    "more text that a button shows",
    `${PROSE}<button aria-expanded="false" aria-controls="more">Read more</button><div id="more" style="visibility:hidden">${DOG}</div>`,
    [DOG],
    [],
  ],
  [
    "an answer that is hidden within an accordion",
    `<div class="faq-list"><h3>May I bring my dog?</h3><div style="display:none">${DOG}</div></div>`,
    [DOG],
    [],
  ],
]

const unfolded: ReadonlyArray<Case> = [
  [
    "menus that a button opens",
    `<div class="top"><button aria-expanded="false" aria-controls="m">Open the menu</button><div id="m" hidden><ul><li><a href="/a">Rooms</a></li><li><a href="/b">Spa</a></li></ul></div></div><main>${PROSE}</main>`,
    ["The harbour office"],
    ["Open the menu", "Rooms"],
  ],
  [
    "dialogs, also those that a link names",
    `<main>${PROSE}<button data-bs-toggle="modal" data-bs-target="#book">Book a table</button><a href="#login">Log in</a></main><div id="book" class="modal" style="display:none"><p>Choose a day and a time.</p></div><div id="login" style="display:none"><form><p>Your name and your password, please.</p><input name="p"></form></div>`,
    ["The harbour office"],
    ["Book a table", "Choose a day", "Your name"],
  ],
  [
    "banners that ask for consent, with what they unfold",
    `<div class="cookie-banner"><p>We value your privacy.</p><button aria-expanded="false" aria-controls="cd">Details of cookies</button><div id="cd" hidden>They last a year.</div></div><main>${PROSE}</main>`,
    ["The harbour office"],
    ["privacy", "Details of cookies", "a year"],
  ],
  [
    "buttons that do something",
    `<main><h2>Install <button class="copy">Copy the link</button></h2>${PROSE}<button data-clipboard-target="#x">Copy it</button><pre id="x">npm i</pre><button>Add to the cart</button><button aria-haspopup="menu" aria-expanded="false">Sort the list</button><div role="menu" hidden>By price</div></main>`,
    ["## Install", "npm i"],
    ["Copy", "cart", "Sort", "By price"],
  ],
  [
    "the buttons of a slide show, and its hidden slides stay as they are",
    `<main>${PROSE}<div id="slides"><p>A room with a view.</p></div><button aria-controls="slides">Back</button><button aria-controls="slides">Forth</button><p style="display:none">Not yet published.</p></main>`,
    ["A room with a view."],
    ["Back", "Forth", "Not yet"],
  ],
  [
    "one label for many buttons",
    `<main>${PROSE}<button aria-expanded="false" aria-controls="a1">Show it</button><div id="a1" hidden>${DOG}</div><button aria-expanded="false" aria-controls="a2">Show it</button><div id="a2" hidden>${POOL}</div></main>`,
    [DOG, POOL],
    ["Show it"],
  ],
]

const links = (count: number, of = "Room") =>
  Array.from({ length: count }, (_, index) => `<li><a href="/${index}">${of} ${index} with a view of the sea</a></li>`)
const last = (count: number, of = "Room") => `${of} ${count - 1} with a view`

/** What stands in the main content, whatever its names are. */
const content: ReadonlyArray<Case> = [
  ...["social", "share", "sponsors", "related", "ads", "sidebar", "promo", "subscribe", "footer"].map((name): Case => [
    `a section called ${name}`,
    `<main>${PROSE}<section class="${name}"><h2>Our aid</h2><p>The fund pays a third of the costs, at most 900 euros.</p></section></main>`,
    ["at most 900 euros"],
    [],
  ]),
  ["a note aside", `<main>${PROSE}<aside><p>Closed on Mondays.</p></aside></main>`, ["Closed on Mondays."], []],
  [
    "a warning aside of an article",
    `<article>${PROSE}<aside class="box" role="complementary"><h3>Careful</h3><p>The ramp is wet in winter.</p></aside></article>`,
    ["The ramp is wet"],
    [],
  ],
  ["a tip aside anywhere", `<div>${PROSE}<aside class="tip">Come early.</aside></div>`, ["Come early."], []],
  [
    "an index of pages below an introduction",
    `<main><h1>Rooms</h1><div class="intro">${PROSE}</div><ul>${links(40).join("")}</ul></main>`,
    ["The harbour office", last(40)],
    [],
  ],
  [
    "a few links below an introduction",
    `<main><h1>Rooms</h1><div class="intro">${PROSE}</div><div><ul>${links(4).join("")}</ul></div></main>`,
    ["The harbour office", last(4)],
    [],
  ],
  [
    "cards that lead to pages, each with a line about it",
    `<main><h1>Rooms</h1><div class="intro">${PROSE}</div><div class="grid">${links(30)
      .map((link) => `<div class="card"><h3>${link.replaceAll(/<\/?li>/g, "")}</h3><p>From 90 €.</p></div>`)
      .join("")}</div></main>`,
    ["The harbour office", last(30), "From 90 €."],
    [],
  ],
  [
    "a table full of links",
    `<main><div class="intro">${PROSE}</div><table><tr><th>Form<th>Office</tr>${links(30, "Form")
      .map((link) => `<tr><td>${link.replaceAll(/<\/?li>/g, "")}<td><a href="/o">Harbour</a></tr>`)
      .join("")}</table></main>`,
    [last(30, "Form"), "Harbour"],
    [],
  ],
  [
    "the threads of a forum",
    `<main><h1>Forum</h1><div class="rules">${PROSE}</div><div class="threads">${links(30, "Question")
      .map((link) => `<div class="thread">${link.replaceAll(/<\/?li>/g, "")} <span>by Ann, 3 answers</span></div>`)
      .join("")}</div></main>`,
    [last(30, "Question"), "by Ann"],
    [],
  ],
  [
    "files to load, in sections",
    `<article><div class="intro">${PROSE}</div>${["Plans", "Forms", "Maps"]
      .map((of) => `<section><h2>${of}</h2><p>All of them as PDF.</p><ul>${links(9, of).join("")}</ul></section>`)
      .join("")}</article>`,
    [last(9, "Plans"), last(9, "Maps")],
    [],
  ],
]

/** What stands beside the content, also where it is in the element of the main content. */
const beside: ReadonlyArray<Case> = [
  [
    "pages that are related",
    `<main><article>${PROSE.repeat(4)}</article><section class="related"><h2>More</h2><ul>${links(5).join("")}</ul></section></main>`,
    ["The harbour office"],
    ["Room 1"],
  ],
  [
    "an aside of links",
    `<main><article>${PROSE.repeat(4)}<aside><h3>Read on</h3><ul>${links(3).join("")}</ul></aside></article></main>`,
    ["The harbour office"],
    ["Read on", "Room 1"],
  ],
  [
    "a newsletter, and a bar to share",
    `<main><article>${PROSE}<div class="newsletter"><p>Get our letter each month, with the news of the harbour.</p><form><input></form></div><div class="share">Share it</div></article></main>`,
    ["The harbour office"],
    ["letter each month", "Share it"],
  ],
  [
    "cards of other articles below one",
    `<main>${PROSE.repeat(6)}<div class="cards">${links(4)
      .map((link) => `<div><h3>${link.replaceAll(/<\/?li>/g, "")}</h3><p>Today.</p></div>`)
      .join("")}</div></main>`,
    ["The harbour office"],
    ["Room 1"],
  ],
]

describe("what is folded is a part of the page:", () => {
  test.each(folded)("%s", (_, body, seen) => {
    for (const text of [
      textOf(`<main>${body}</main>`),
      textOf(body),
      [readUpload(bytesOf(body)).text].flat().join("\n"),
    ])
      for (const each of seen) expect(text.replaceAll(/\n+/g, "\n")).toContain(each)
  })
})

describe("what only looks folded is none:", () => {
  test.each(unfolded)("%s", (_, body, seen, unseen) => {
    const text = textOf(body)
    for (const each of seen) expect(text).toContain(each)
    for (const each of unseen) expect(text).not.toContain(each)
  })
})

describe("what the main content holds is content:", () => {
  test.each(content)("%s", (_, body, seen) => {
    const text = textOf(`<header><nav><a href="/">Home</a></nav></header>${body}<footer>Imprint</footer>`)
    for (const each of seen) expect(text).toContain(each)
    expect(text).not.toMatch(/Home|Imprint/)
  })
})

describe("what stands beside the content is none:", () => {
  test.each(beside)("%s", (_, body, seen, unseen) => {
    const text = textOf(body)
    for (const each of seen) expect(text).toContain(each)
    for (const each of unseen) expect(text).not.toContain(each)
  })
})
