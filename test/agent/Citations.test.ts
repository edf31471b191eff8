import { describe, expect, test } from "bun:test"
import { Effect } from "effect"
import * as fc from "fast-check"
import { sourcesOf } from "../../src/agent/Citations.ts"
import type { Passage } from "../../src/domain/knowledge/Passage.ts"
import type { Citation } from "../../src/domain/chat/Chat.ts"

const refunds: Passage = {
  documentId: "d1",
  title: "Refund policy",
  chunk: 2,
  page: 7,
  content:
    "# Refunds\n\nRefunds are paid within 14 days to the card that was used.\n\nA manager approves amounts above 500 euros.",
}
const shipping: Passage = {
  documentId: "d2",
  title: "Shipping",
  chunk: 1,
  page: null,
  content: "Parcels leave the warehouse on Mondays and arrive before the weekend.",
}
const chinese: Passage = {
  documentId: "d3",
  title: "退款",
  chunk: 1,
  page: null,
  content: "退款将在十四天内支付到原来的银行卡。",
}
const found = [refunds, shipping, chinese]
const question = "How long do refunds take, and who approves them?"

const exchange = { body: "", bodyLength: 0, headers: {}, warnings: [] }

/** The sources of an answer whose model names none, found by its words. */
const guessed = (text: string, asked = question, passages: ReadonlyArray<Passage> = found) =>
  Effect.runPromise(sourcesOf({ exchange, sources: [], text }, { question: asked, found: passages }))

/** The sources of an answer whose model names them. */
const stated = (sources: ReadonlyArray<Citation>, text = "It takes 14 days to the card that was used.") =>
  Effect.runPromise(sourcesOf({ exchange: { ...exchange, citesSources: true }, sources, text }, { question, found }))

const places = (sources: ReadonlyArray<Citation>) => sources.map(({ chunk, document_id }) => `${document_id}#${chunk}`)

describe("an answer in a model's own words", () => {
  test("has the sentences with the same words as sources, with document, chunk and page", async () => {
    expect(
      await guessed("You get your money back to your card after 14 days. **Amounts above 500 euros** go to a manager."),
    ).toEqual([
      {
        document_id: "d1",
        title: "Refund policy",
        chunk: 2,
        page: 7,
        quote: "Refunds are paid within 14 days to the card that was used.",
      },
      {
        document_id: "d1",
        title: "Refund policy",
        chunk: 2,
        page: 7,
        quote: "A manager approves amounts above 500 euros.",
      },
    ])
  })

  test("may have a source for a number alone", async () => {
    expect(places(await guessed("14."))).toEqual(["d1#2"])
    expect(places(await guessed("Parcels."))).toEqual([])
  })

  test("may have sources in several documents, each quote once", async () => {
    const text =
      "The card gets it within 14 days. Parcels arrive before the weekend. It is paid to the card in 14 days."
    expect(places(await guessed(text))).toEqual(["d1#2", "d2#1"])
  })

  test("has the first of several equal passages as source, among the last fifty", async () => {
    const [one, two] = [1, 2].map((chunk) => ({ ...shipping, chunk }))
    if (one === undefined || two === undefined) throw new Error("There are two")
    const text = "They leave the warehouse and arrive before the weekend."
    expect(places(await guessed(text, question, [one, two]))).toEqual(["d2#1"])
    const later = (count: number) => Array.from({ length: count }, (_, index) => ({ ...refunds, chunk: index }))
    expect(places(await guessed(text, question, [two, ...later(49)]))).toEqual(["d2#2"])
    expect(places(await guessed(text, question, [two, ...later(50)]))).toEqual([])
  })

  test("has sources also in a script without spaces", async () => {
    expect(places(await guessed("我们会在十四天内支付到您的银行卡。", "多久？"))).toEqual(["d3#1"])
  })

  test.each([
    "I do not know how long refunds take, or who approves them.",
    "I found nothing about that in the Refund policy.",
    "Hello! How can I help you today?",
    "You're welcome.",
    "The capital of France is Paris, which lies on the Seine.",
    "Das kann ich leider nicht sagen.",
    "It may take 3 weeks.",
    "",
  ])("has no source when no passage says the same: %p", async (text) => {
    expect(await guessed(text)).toEqual([])
  })

  test("has no source when no passages were found", async () => {
    expect(await guessed("It is paid within 14 days.", question, [])).toEqual([])
  })

  test("has only found passages as sources, with literal quotes, each once", async () => {
    const words = fc.constantFrom(
      ...refunds.content.split(/\s+/),
      ...shipping.content.split(/\s+/),
      "14",
      "xyzzy.",
      "?",
    )
    await fc.assert(
      fc.asyncProperty(fc.array(words, { maxLength: 60 }), async (made) => {
        const sources = await guessed(made.join(" "))
        for (const { chunk, document_id, quote } of sources) {
          const passage = found.find((one) => one.documentId === document_id && one.chunk === chunk)
          expect(passage?.content).toContain(quote)
        }
        expect(new Set(sources.map((source) => JSON.stringify(source))).size).toBe(sources.length)
      }),
    )
  })
})

describe("an answer whose model names its sources", () => {
  const named = { document_id: "d1", title: "", chunk: 2, page: null, quote: " Refunds are paid within 14 days. " }

  test("has these sources only, with the title and page of the passage", async () => {
    expect(await stated([named, named])).toEqual([
      { document_id: "d1", title: "Refund policy", chunk: 2, page: 7, quote: "Refunds are paid within 14 days." },
    ])
    expect(await stated([])).toEqual([])
  })

  test("links to the quote on the page of the passage", async () => {
    const page = { ...refunds, documentId: "d4", url: "https://docs.example.com/refunds" }
    const [source] = await guessed("Refunds are paid within 14 days.", question, [page])
    expect(source?.url).toStartWith("https://docs.example.com/refunds#:~:text=Refunds%20are%20paid")
  })

  test("has at most twenty sources", async () => {
    const many = Array.from({ length: 21 }, (_, index) => ({ ...named, quote: `Quote ${index}` }))
    expect((await stated(many)).map(({ quote }) => quote)).toEqual(many.slice(0, 20).map(({ quote }) => quote))
  })

  test("cannot have a passage as source that was not found", async () => {
    expect(
      await stated([
        { ...named, document_id: "foreign" },
        { ...named, chunk: 3 },
      ]),
    ).toEqual([])
  })
})

test("a quote that is cut ends with a whole character", async () => {
  const [source] = await stated([{ document_id: "d1", title: "", chunk: 2, page: null, quote: `${"x".repeat(599)}😀` }])
  expect(source?.quote).toBe("x".repeat(599))
})
