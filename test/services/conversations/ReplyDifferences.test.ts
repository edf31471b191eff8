import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { chatbotDefaults } from "../../../src/domain/chatbot/Chatbot.ts"
import type { FoundPassage, ReplyReview } from "../../../src/domain/chat/ReplyGround.ts"
import { DocumentId } from "../../../src/domain/Ids.ts"
import { differencesOf } from "../../../src/services/conversations/ReplyDifferences.ts"

type Ground = ReplyReview["now"]

const documents = ["a", "b", "c", "d", "e"].map((letter) =>
  DocumentId.make(`00000000-0000-7000-8000-00000000000${letter}`),
)

const passageArbitrary: fc.Arbitrary<FoundPassage> = fc.record(
  {
    document_id: fc.constantFrom(...documents),
    title: fc.string(),
    chunk: fc.integer({ min: 1, max: 3 }),
    revision: fc.constant(1),
    similarity: fc.double({ min: 0, max: 0.99, noNaN: true }),
    content: fc.string({ minLength: 1 }),
    approved: fc.constant(true as const),
  },
  { requiredKeys: ["document_id", "title", "chunk", "revision", "similarity", "content"] },
)

const { personality_config: personality, settings } = chatbotDefaults("Bot", "claude-sonnet-5-5")

const groundArbitrary: fc.Arbitrary<Ground> = fc.record({
  setup: fc.record({
    name: fc.constant("Bot"),
    personality: fc.constant(personality),
    settings: fc
      .record({
        prompt: fc.constantFrom("One", "Two"),
        greeting: fc.string(),
        isToolEnabled: fc.boolean(),
      })
      .map((some) => ({ ...settings, ...some })),
  }),
  server_version: fc.constantFrom("1.0.0", "1.1.0"),
  searches: fc.uniqueArray(
    fc.record({
      query: fc.constantFrom("x", "y", "z"),
      passages: fc.uniqueArray(passageArbitrary, {
        maxLength: 5,
        selector: ({ chunk, document_id }) => `${document_id}#${chunk}`,
      }),
    }),
    { maxLength: 3, selector: ({ query }) => query },
  ),
})

const noReply = { sources: [], toolResults: [], model: null }
const sourceOf = ({ chunk, document_id, title }: FoundPassage) => ({
  document_id,
  title,
  chunk,
  page: null,
  quote: "q",
})

/** What stands where the passages stood, in documents of this revision; the documents of `gone` are deleted. */
const placesOf = ({ searches }: Ground, revision = 1, gone: ReadonlyArray<string> = []) =>
  searches.flatMap(({ passages }) =>
    passages
      .filter(({ document_id }) => !gone.includes(document_id))
      .map(({ chunk, document_id }) => ({ id: document_id, revision, chunk, content: "Other content" })),
  )

const kindsOf = (...input: Parameters<typeof differencesOf>) => differencesOf(...input).map(({ kind }) => kind)

describe("the differences of a reply", () => {
  test("are none where nothing is different, whatever the chatbot looks like and how similar the passages are", () =>
    fc.assert(
      fc.property(groundArbitrary, fc.string(), (ground, greeting) => {
        const now = { ...ground, setup: { ...ground.setup, settings: { ...ground.setup.settings, greeting } } }
        expect(differencesOf(noReply, ground, now, placesOf(ground))).toEqual([])
      }),
    ))

  test("say in words what setting of another reply has changed, and nothing of those that make no reply another", () => {
    const [ground] = fc.sample(groundArbitrary, 1)
    if (ground === undefined) throw new Error("There is no ground.")
    const withSettings = (more: object) => {
      const now = { ...ground, setup: { ...ground.setup, settings: { ...ground.setup.settings, ...more } } }
      return differencesOf(noReply, ground, now, placesOf(ground)).map(({ after, detail }) => [detail, after])
    }
    expect(withSettings({ synonyms: [["lift", "elevator"]] })).toEqual([
      ["The chatbot takes other words for synonyms when it searches.", "lift, elevator"],
    ])
    expect(withSettings({ grounding: "off" })).toEqual([])
    expect(withSettings({ handover: { button: true }, attachments: true, fallbackModels: ["m"] })).toEqual([])
  })

  test("name each document that is deleted once, first of all where the reply cites it", () =>
    fc.assert(
      fc.property(groundArbitrary, groundArbitrary, (before, now) => {
        const passages = before.searches.flatMap((search) => search.passages)
        const cited = passages.find(({ approved }) => approved !== true)
        fc.pre(cited !== undefined)
        const gone = cited?.document_id ?? ""
        const without = now.searches.map((search) => ({
          ...search,
          passages: search.passages.filter(({ document_id }) => document_id !== gone),
        }))
        const reply = { ...noReply, sources: cited === undefined ? [] : [sourceOf(cited)] }
        const differences = differencesOf(reply, before, { ...now, searches: without }, placesOf(before, 1, [gone]))
        expect(differences[0]).toMatchObject({ kind: "document_deleted", document_id: gone })
        expect(
          differences.filter(({ document_id, kind }) => document_id === gone && kind !== "approved_answer"),
        ).toHaveLength(1)
      }),
    ))

  test("say that passages appeared where, with before and now exchanged, they say that passages are gone", () =>
    fc.assert(
      fc.property(groundArbitrary, groundArbitrary, (one, other) => {
        const places = [...placesOf(one), ...placesOf(other)]
        const queries = new Set(one.searches.map(({ query }) => query))
        const same = { ...other, searches: other.searches.filter(({ query }) => queries.has(query)) }
        const both = {
          ...one,
          searches: one.searches.filter(({ query }) => same.searches.some((search) => search.query === query)),
        }
        const count = (kind: string, kinds: ReadonlyArray<string>) => kinds.filter((found) => found === kind).length
        const [there, back] = [kindsOf(noReply, both, same, places), kindsOf(noReply, same, both, places)]
        // A passage may appear for one question and be gone for another, of which one is said.
        fc.pre(both.searches.length === 1)
        expect(count("passage_appeared", there)).toBe(count("passage_gone", back))
        expect(count("approved_answer", there)).toBe(count("approved_answer", back))
        expect(count("prompt", there)).toBe(count("prompt", back))
      }),
    ))

  test("are the same, in the same order, however the searches are ordered", () =>
    fc.assert(
      fc.property(groundArbitrary, groundArbitrary, (before, now) => {
        const places = placesOf(before)
        const turned = { ...now, searches: now.searches.toReversed() }
        expect(kindsOf(noReply, before, turned, places)).toEqual(kindsOf(noReply, before, now, places))
      }),
    ))

  test("put an answer that is approved for the question before a changed document, and that before the prompt", () => {
    const [document = "", other = ""] = documents
    const passage = { document_id: DocumentId.make(document), title: "Ferry", chunk: 1, revision: 1, similarity: 0.6 }
    const approved = { ...passage, document_id: DocumentId.make(other), similarity: 1, approved: true as const }
    const ground = (passages: ReadonlyArray<FoundPassage>, prompt: string): Ground => ({
      setup: { name: "Bot", personality, settings: { ...settings, prompt } },
      server_version: "1.0.0",
      searches: [{ query: "x", passages }],
    })
    const reply = { ...noReply, sources: [sourceOf(passage)] }
    const now = ground([approved, { ...passage, revision: 2, content: "Other content" }], "Be brief.")
    const before = ground([passage], "Be kind.")
    expect(kindsOf(reply, before, now, placesOf(before, 2))).toEqual(["approved_answer", "document_changed", "prompt"])
  })
})
