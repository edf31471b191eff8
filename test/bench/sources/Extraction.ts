import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Parser } from "htmlparser2"
import { page } from "../../../src/readers/extract/html/Page.ts"
import { readDocument } from "../../lib/Defaults.ts"
import type { Finding, Part } from "../lib/Parts.ts"
import { madePages } from "./MadePages.ts"

/** A page, and the text of its main content. */
interface Sample {
  readonly name: string
  readonly kind: Kind
  readonly html: string
  readonly expected: string
}

/** Reads a page into the text of its main content. */
interface Extractor {
  readonly name: string
  readonly textOf: (html: string, url: string) => Promise<string> | string
}

interface Score {
  /** Share of the expected words that are kept. */
  readonly recall: number
  /** Share of the kept words that are expected. */
  readonly precision: number
}

type Kind = "news" | "blogs" | "reference" | "small" | "made"

/** The kinds of the pages by name. All others are a few paragraphs, made up for one trait of HTML. */
const kinds: ReadonlyArray<readonly [Kind, RegExp]> = [
  [
    "news",
    /^(?:aktualne|ars|bbc|buzzfeed|cnet|heise|la-nacion|lemonde|lifehacker|msn|nytimes|qq|salon|seattletimes|theverge|wapo|yahoo|videos|iab)/,
  ],
  ["blogs", /^(?:001|clean-links|dropbox|firefox|gitlab|keep-images|medium|tumblr|wordpress|data-url-image)/],
  ["reference", /^(?:ehow|google-sre|links-in-tables|mathjax|mozilla|table-style|toc-missing|webmd|wikipedia)/],
]

const kindOf = (name: string): Kind => kinds.find(([, pattern]) => pattern.test(name))?.[0] ?? "small"

/** The pages below a directory, which has a directory with `source.html` and `expected.html` for each. */
export const samplesIn = (directory: string): ReadonlyArray<Sample> =>
  readdirSync(directory)
    .filter((name) => existsSync(join(directory, name, "expected.html")))
    .toSorted()
    .map((name) => ({
      name,
      kind: kindOf(name),
      html: readFileSync(join(directory, name, "source.html"), "utf8"),
      expected: textOfHtml(readFileSync(join(directory, name, "expected.html"), "utf8")),
    }))

/** Every second page is to develop on, the others are kept apart. */
export const halfOf = (samples: ReadonlyArray<Sample>, half: 0 | 1): ReadonlyArray<Sample> =>
  samples.filter((_, index) => index % 2 === half)

const INLINE = /^(?:a|abbr|b|bdi|bdo|cite|code|em|font|i|ins|kbd|mark|q|s|samp|small|span|strong|sub|sup|tt|u|var|wbr)$/
const SILENT = new Set(["script", "style", "noscript", "template", "head", "svg"])

/** Pages that are made up here, of the kinds that the others have not. */
const made = (): ReadonlyArray<Sample> =>
  madePages.map((page) => ({ ...page, kind: "made", expected: textOfHtml(page.expected) }))

/** The text of HTML with the alternative texts of its images. Blocks are apart. */
export const textOfHtml = (html: string): string => {
  let text = ""
  let silent = 0
  const parser = new Parser({
    onopentag: (name, { alt = "" }) => {
      if (SILENT.has(name)) silent++
      if (!INLINE.test(name)) text += ` ${name === "img" ? alt : ""} `
    },
    ontext: (piece) => {
      if (silent === 0) text += piece
    },
    onclosetag: (name) => {
      if (SILENT.has(name)) silent--
      if (!INLINE.test(name)) text += " "
    },
  })
  parser.end(html)
  return text
}

/** Markdown without addresses and the languages of code. */
const spoken = (markdown: string): string =>
  markdown.replace(/\]\((?:[^()\s]|\([^()\s]*\))*\)/g, "] ").replace(/^\s*`{3,}.*$/gm, "")

/** The words in lower case. In scripts without spaces each character is a word. */
const wordsOf = (text: string): ReadonlyMap<string, number> => {
  const words = new Map<string, number>()
  const pattern = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{M}\p{N}]+/gu
  for (const [word] of text.normalize("NFKC").toLowerCase().matchAll(pattern)) {
    words.set(word, (words.get(word) ?? 0) + 1)
  }
  return words
}

const count = (words: ReadonlyMap<string, number>) => words.values().reduce((sum, number) => sum + number, 0)

/** Compares two texts by their words, each as often as it stands there. */
export const scoreOf = (expected: string, text: string): Score => {
  const [wanted, kept] = [wordsOf(expected), wordsOf(text)]
  let both = 0
  for (const [word, number] of wanted) both += Math.min(number, kept.get(word) ?? 0)
  return { recall: both / Math.max(count(wanted), 1), precision: both / Math.max(count(kept), 1) }
}

export const f1 = ({ precision, recall }: Score): number =>
  precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall)

const bytesOf = (html: string) => new TextEncoder().encode(html)

export const parley: Extractor = {
  name: "Parley",
  textOf: (html, url) =>
    spoken(page({ url, contentType: "text/html; charset=utf-8", bytes: bytesOf(html) }, 2_000_000).blocks.join("\n\n")),
}

const wholePage: Extractor = {
  name: "whole page",
  textOf: async (html) =>
    spoken((await readDocument({ format: "html", name: "page.html", bytes: bytesOf(html) })).text),
}

const LIBRARIES = ["defuddle@0.19.4", "linkedom@0.18.15", "@mozilla/readability@0.6.0"]

/** The libraries to compare with, installed in a directory of their own: nothing else needs them. */
export const libraries = async (directory: string): Promise<ReadonlyArray<Extractor>> => {
  await Bun.write(join(directory, "package.json"), `{"private":true}`)
  await Bun.$`${process.execPath} add --exact ${LIBRARIES}`.cwd(directory).quiet()
  await Bun.write(
    join(directory, "libraries.mjs"),
    `import { Readability } from "@mozilla/readability"
import { Defuddle } from "defuddle/node"
import { parseHTML } from "linkedom"
export const readability = (html) => new Readability(parseHTML(html).document).parse()?.content ?? ""
export const defuddle = async (html, url) => (await Defuddle(parseHTML(html).document, url)).content`,
  )
  const loaded = await import(join(directory, "libraries.mjs"))
  return [
    { name: "defuddle", textOf: async (html, url) => textOfHtml(await loaded.defuddle(html, url)) },
    { name: "readability", textOf: (html) => textOfHtml(loaded.readability(html)) },
  ]
}

/** The scores of one extractor, with the time that it took. A page on which it throws counts as without any word. */
const measure = async ({ textOf }: Extractor, samples: ReadonlyArray<Sample>) => {
  const outcomes: Array<{ readonly kind: Kind; readonly score: Score; readonly milliseconds: number }> = []
  for (const { expected, html, kind, name } of samples) {
    const started = performance.now()
    const text = await Promise.resolve(html)
      .then((source) => textOf(source, `http://fakehost/test/${name}.html`))
      .catch(() => "")
    outcomes.push({ kind, score: scoreOf(expected, text), milliseconds: performance.now() - started })
  }
  return outcomes
}

const mean = (values: ReadonlyArray<number>) => values.reduce((sum, value) => sum + value, 0) / values.length

const columns = (scores: ReadonlyArray<Score>) =>
  `kept ${mean(scores.map(({ recall }) => recall)).toFixed(3)}  right ${mean(scores.map(({ precision }) => precision)).toFixed(3)}  F1 ${mean(scores.map(f1)).toFixed(3)}`

/**
 * Main content of web pages: words kept, words rightly kept, and F1, each the mean over pages, beside two libraries and
 * the reader of uploaded HTML. `--data DIR` holds the pages. What is expected of them is what readability gave, so that it
 * scores 1 wherever its document model agrees; pages made up here show what it does with others. Improve the extraction by the first half alone.
 */
export const part: Part = async ({ data }) => {
  if (data === undefined) return [{ name: "skipped", value: "--data DIR with marked pages is missing" }]
  const directory = mkdtempSync(join(tmpdir(), "parley-libraries-"))
  try {
    const extractors = [parley, ...(await libraries(directory)), wholePage]
    const samples = samplesIn(data)
    const findings: Array<Finding> = []
    const sets = [
      ["developed on", halfOf(samples, 0)],
      ["kept apart", halfOf(samples, 1)],
      ["made up", made()],
    ] as const
    for (const [set, pages] of sets) {
      for (const extractor of extractors) {
        const outcomes = await measure(extractor, pages)
        const time = mean(outcomes.map(({ milliseconds }) => milliseconds)).toFixed(0)
        findings.push({
          name: `${set}, ${extractor.name}, ${outcomes.length} pages`,
          value: `${columns(outcomes.map(({ score }) => score))}  ${time} ms`,
        })
        const kindsOf = Map.groupBy(outcomes, ({ kind }) => kind)
        if (kindsOf.size === 1) continue
        for (const [kind, some] of kindsOf) {
          findings.push({ name: `  ${kind}, ${some.length} pages`, value: columns(some.map(({ score }) => score)) })
        }
      }
    }
    return findings
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
