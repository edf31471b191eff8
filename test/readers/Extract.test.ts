import { afterAll, describe, expect, test } from "bun:test"
import { Duration, Effect, Fiber, ManagedRuntime } from "effect"
import type { Format } from "../../src/domain/knowledge/Formats.ts"
import type { StoredSource } from "../../src/readers/extract/Extraction.ts"
import { Extract, type ExtractSettings } from "../../src/readers/Extract.ts"
import { defaults, readDocument } from "../lib/Defaults.ts"
import { pdfOf } from "../lib/Files.ts"
import { fixturePath } from "../lib/Fixtures.ts"
import { watchedFile } from "../lib/WatchedFile.ts"

const source = (name: string, content: string | Uint8Array<ArrayBuffer>, format: Format): StoredSource => ({
  format,
  name,
  content: new Blob([content]),
})

const fixture = async (name: string) => source(name, await Bun.file(fixturePath(name)).bytes(), "pdf")

/** The title of a document, and the text of its passages. */
const extract = (document: StoredSource) =>
  Effect.map(
    Extract.use((service) => service.split(document)),
    ({ passages, title }) => ({ title, text: passages.map(({ text }) => text).join("\n\n") }),
  )

const layerWith = (settings: Partial<ExtractSettings>) => Extract.layer({ ...defaults.extract, ...settings })

/** One process for most of these tests, since starting one takes longer than most documents. */
const runtime = ManagedRuntime.make(layerWith({ concurrency: 1 }))
afterAll(() => runtime.dispose())
const inOne = runtime.runPromise

const run = <A, E>(effect: Effect.Effect<A, E, Extract>, settings: Partial<ExtractSettings>) =>
  Effect.runPromise(Effect.provide(effect, layerWith(settings)))

describe("the text of a PDF with three pages", () => {
  const document = fixture("handbook.pdf").then(async (pdf) =>
    readDocument({ ...pdf, bytes: await pdf.content.bytes() }),
  )

  test("has the title of the PDF and the offsets of its pages", async () => {
    const { title, text, pages = [] } = await document
    expect(title).toBe("Parley Operator Handbook")
    expect(pages.map(({ page }) => page)).toEqual([1, 2, 3])
    expect(pages[0]?.start).toBe(0)
    expect(text.slice(pages[2]?.start)).toStartWith("checksum is stored. Create another one")
  })

  test("contains headings, but no running heads and page numbers", async () => {
    const { text } = await document
    expect(text.split("\n").filter((line) => line.startsWith("#"))).toEqual([
      "# Parley Operator Handbook",
      "## Starting the server",
      "## From document to knowledge",
      "## Limits worth remembering",
      "## When something goes wrong",
    ])
    expect(text).not.toMatch(/Page \d/)
  })

  test("has paragraphs that are whole across columns and pages, without hyphens at line ends", async () => {
    const { text } = await document
    expect(text).toContain("answers chats with a local model that quotes the documents it has read.")
    expect(text).toContain("uploaded again to the same chatbot are recognised by their checksum")
    expect(text).toContain("refuses new ones with status 503.\n\nScanned pages hold no text.")
    expect(text).toContain("cannot be shown again, since only its checksum is stored. Create another one")
    expect(text).not.toMatch(/[\u00ad\u2010]/)
  })

  test("has lists, code and tables as Markdown", async () => {
    const { text } = await document
    expect(text).toContain("\n- Headings open a passage and travel with it.\n- Tables are kept whole")
    expect(text).toContain("```\nbun install\nbun run start\n```")
    expect(text).toContain(
      "| What | Limit | Answer beyond it |\n| --- | --- | --- |\n| Files in one upload | 10 | 413 |\n",
    )
  })
})

test("one process reads documents of every format, one after the other", async () => {
  const documents = [
    source("a.md", "# Head\n\nText", "md"),
    source("b.txt", "Text", "txt"),
    source("c.html", "<h1>Head</h1><p>Text", "html"),
    source("d.csv", "Name,Limit\nFiles,10", "csv"),
    source("e.json", '{"limit":10}', "json"),
    await fixture("handbook.pdf"),
  ]
  const read = await inOne(Effect.forEach(documents, extract))
  expect(read.map(({ title }) => title)).toEqual(["Head", "b", "Head", "d", "e", "Parley Operator Handbook"])
})

test("documents that are read at the same time do not get each other's text", async () => {
  const documents = Array.from({ length: 40 }, (_, index) => source(`${index}.html`, `<p>Text ${index}`, "html"))
  const read = await run(Effect.forEach(documents, extract, { concurrency: "unbounded" }), { concurrency: 2 })
  expect(read).toEqual(documents.map((_, index) => ({ title: `${index}`, text: `Text ${index}` })))
})

test("PDFs are examined one after the other, in a process of their own, and one that takes too long is not known", async () => {
  const examined = (content: Uint8Array) => Extract.use(({ examine }) => examine(new Blob([content])))
  const files = [pdfOf(), pdfOf("<< /S /JavaScript /JS (app.alert(1)) >>")]
  expect(await inOne(Effect.forEach(files, examined, { concurrency: "unbounded" }))).toEqual(["passive", "active"])
  const hasty = { concurrency: 1, deadline: Duration.nanos(100_000n) }
  expect(await run(examined(pdfOf()), hasty)).toBe("unknown")
})

describe("a document that cannot be read", () => {
  const failure = (document: StoredSource) => inOne(Effect.flip(extract(document)))

  test("does not keep its process from reading the next one", async () => {
    const both = Effect.all([
      Effect.flip(extract(source("a.json", "{", "json"))),
      extract(source("b.html", "Text", "html")),
    ])
    const [failed, read] = await inOne(both)
    expect(failed).toMatchObject({ _tag: "ExtractionFailed", code: "corrupt_document" })
    expect(read.text).toBe("Text")
  })

  test.each([
    ["scan.pdf", "no_text"],
    ["locked.pdf", "password_protected"],
  ])("fails with a code: %s with %s", async (name, code) => {
    expect(await failure(await fixture(name))).toMatchObject({ _tag: "ExtractionFailed", code })
  })

  test("is reported as corrupt when it is a PDF that breaks off", async () => {
    const { content } = await fixture("handbook.pdf")
    const cut = await content.slice(0, 300).bytes()
    expect(await failure(source("a.pdf", cut, "pdf"))).toMatchObject({ code: "corrupt_document" })
    expect(await failure(source("a.pdf", "%PDF-1.7", "pdf"))).toMatchObject({ code: "corrupt_document" })
  })

  test("is given up when it takes too long, and so are those after it", async () => {
    // A process starts in ten times as long.
    const hasty = { concurrency: 1, deadline: Duration.nanos(100_000n) }
    const attempts = Effect.forEach([1, 2, 3], () => Effect.flip(extract(source("a.html", "Text", "html"))))
    const failures = await run(attempts, hasty)
    expect(failures.map((failure) => ("code" in failure ? failure.code : failure._tag))).toEqual(
      Array.from({ length: 3 }, () => "extraction_timed_out"),
    )
  })
})

test("an interrupted reading makes room for the next, which does not get its reply", async () => {
  const [slow, quick] = [await fixture("handbook.pdf"), source("b.html", "Text", "html")]
  const program = Effect.gen(function* () {
    // This starts the process, so that it gets the PDF at once.
    yield* extract(quick)
    const { file, taken } = watchedFile(slow.content)
    const fiber = yield* Effect.forkChild(extract({ ...slow, content: file }))
    yield* Effect.promise(() => taken)
    yield* Fiber.interrupt(fiber)
    return yield* extract(quick)
  })
  expect((await inOne(program)).text).toBe("Text")
})

describe("a web page", () => {
  const read = (html: string, contentType = "text/html") =>
    Extract.use((service) =>
      service.page({ url: "https://example.com/a/", contentType, bytes: new TextEncoder().encode(html) }),
    )

  test("arrives whole from the process that reads it, between files", async () => {
    const paragraphs = Array.from({ length: 700 }, (_, number) => `Paragraph ${number}, in "quotes".`)
    const links = Array.from({ length: 20_000 }, (_, number) => `https://example.com/a/${number}`)
    const html = `<html lang="en"><title>Long</title>${links.map((link) => `<a href="${link}"></a>`).join("")}${paragraphs.map((text) => `<p>${text}</p>`).join("")}`
    const all = Effect.all([extract(source("a.html", "<p>Text", "html")), read(html), read("<p>Short")])
    const [file, long, short] = await inOne(all)
    expect(file.text).toBe("Text")
    expect(long).toEqual({
      title: "Long",
      blocks: paragraphs,
      links,
      language: "en",
      noindex: false,
      nofollow: false,
      needsBrowser: false,
      needsLogin: false,
    })
    expect(short).toMatchObject({ title: "", blocks: ["Short"], links: [] })
  })

  test("that is none fails with a code, and the next one is read", async () => {
    const both = Effect.all([
      Effect.flip(read(`{"a": 1}`)),
      Effect.flip(read(`${"<div>".repeat(5_000)}x`)),
      read("<p>Text"),
    ])
    const [other, deep, next] = await inOne(both)
    expect([other.code, deep.code]).toEqual(["unsupported_format", "corrupt_document"])
    expect(next.blocks).toEqual(["Text"])
  })

  test("is never read by the server itself, however small it is", async () => {
    const failure = await run(Effect.flip(read("<p>Text")), { deadline: Duration.nanos(100_000n) })
    expect(failure.code).toBe("extraction_timed_out")
  })
})
