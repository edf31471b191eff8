import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import { DocumentPassage } from "../../../src/domain/knowledge/Document.ts"
import { problem, read, wrongPaths } from "../../lib/Client.ts"
import { sharedServer } from "../../lib/TestServer.ts"

const { client } = await sharedServer()
const nowhere = "01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0b"
const Page = Schema.Struct({
  passages: Schema.Array(DocumentPassage),
  total: Schema.Int,
  next_cursor: Schema.NullOr(Schema.String),
})

const at = (chatbot: string, document: string, query = "") =>
  `/api/external/chatbot/${chatbot}/knowledge-base/documents/${document}/passages${query}`

/** A document of several sections, each long enough for a passage of its own. */
const long = Array.from({ length: 7 }, (_, n) => `## Part ${n + 1}\n\n${`Sentence of part ${n + 1}. `.repeat(120)}`)

describe("the passages of a document", () => {
  test("are read in order, a page at a time, from any number on", async () => {
    const mine = await client.newOrganization()
    const { id } = await mine.newChatbot()
    const [document] = await mine.learn(id, { "long.md": `# Handbook\n\n${long.join("\n\n")}` })
    const page = async (query: string) => read(Page, await mine.get(at(id, document?.id ?? "", query)))
    const all = await page("?limit=100")
    expect(all.total).toBe(document?.chunk_count ?? -1)
    expect(all.total).toBeGreaterThan(3)
    expect(all.passages.map(({ chunk }) => chunk)).toEqual(Array.from({ length: all.total }, (_, n) => n + 1))
    expect(all.next_cursor).toBeNull()
    expect(all.passages.at(-1)).toMatchObject({ page: null, section: expect.stringContaining("Part 7") })
    const [one, two] = [await page("?limit=2"), await page("?limit=2&cursor=3")]
    expect(one.next_cursor).toBe("3")
    expect([...one.passages, ...two.passages]).toEqual(all.passages.slice(0, 4))
    expect(await page(`?cursor=${all.total + 1}`)).toEqual({ passages: [], total: all.total, next_cursor: null })
  })

  test("are those of the old content while none of the new one serves, and none where nothing ever did", async () => {
    const mine = await client.newOrganization()
    const { id } = await mine.newChatbot()
    const [document] = await mine.learn(id, { "a.txt": "The old words." })
    const failed = await mine.replace(id, document?.id ?? "", "a.json", "{")
    expect(failed.status).toBe(422)
    expect(read(Page, await mine.get(at(id, document?.id ?? ""))).passages).toMatchObject([
      { content: "The old words." },
    ])
    await mine.upload(id, { "b.json": "{ " })
    const never = (await mine.documents(id)).find(({ name }) => name === "b.json")
    expect(read(Page, await mine.get(at(id, never?.id ?? "")))).toEqual({ passages: [], total: 0, next_cursor: null })
  })

  test("are shown to nobody else", async () => {
    const mine = await client.newOrganization()
    const [{ id }, second] = [await mine.newChatbot(), await mine.newChatbot()]
    const [document] = await mine.learn(id, { "a.txt": "Words." })
    const path = at(id, document?.id ?? "")
    problem(await (await client.newOrganization()).get(path), 404, "not_found")
    problem(await mine.get(at(second.id, document?.id ?? "")), 404, "not_found")
    problem(await mine.get(at(id, nowhere)), 404, "not_found")
    problem(await (await mine.limitedTo("chat")).get(path), 403, "forbidden")
    problem(await (await mine.newKey({ chatbot_id: second.id })).client.get(path), 403, "forbidden")
    expect(wrongPaths(await mine.get(`${path}?cursor=0`))).toEqual(["query.cursor"])
    expect(wrongPaths(await mine.get(`${path}?limit=101`))).toEqual(["query.limit"])
  })
})

describe("a search that is explained", () => {
  const Hit = Schema.Struct({
    content: Schema.String,
    similarity: Schema.Finite,
    chunk: Schema.Int,
    matched_words: Schema.Array(Schema.String),
    ranks: Schema.Struct({ lexical: Schema.Int, vector: Schema.NullOr(Schema.Int) }),
  })
  const Explained = Schema.Struct({
    results: Schema.Array(Hit),
    similarity_threshold_setting: Schema.Finite,
    left_out: Schema.Array(
      Schema.Struct({ ...Hit.fields, reason: Schema.Literals(["below_threshold", "beyond_top_k"]) }),
    ),
  })

  test("finds what the search finds, says which words matched, and what came next", async () => {
    const mine = await client.newOrganization()
    const { id } = await mine.newChatbot()
    await mine.learn(id, {
      "refunds.md": "# Refunds\n\nRefunds for students take five working days.",
      "money.md": "# Money back\n\nA refund is paid to the card. Students may ask for refunds in person.",
      "swim.md": "# Pool\n\nStudents swim for free, and may bring as many working towels as they like on Sundays.",
      "tea.md": "# Tea\n\nTea is served at four.",
    })
    const query = "How long do student refunds take?"
    const explained = read(Explained, await mine.search(id, query, { explain: true, top_k: 1 }))
    const plain = await mine.search(id, query, { top_k: 1 })
    const [first] = explained.results
    expect(plain.body).toMatchObject({
      results: [{ content: first?.content, similarity: first?.similarity }],
      total_docs: 1,
    })
    expect(plain.text).not.toContain("left_out")
    expect(first?.ranks.lexical).toBe(1)
    expect(first?.matched_words).toEqual(["student", "refunds", "take"])
    expect(explained.left_out.length).toBeGreaterThan(0)
    for (const { content, reason } of explained.left_out) {
      expect(content).not.toBe(first?.content)
      expect(reason).toBe("beyond_top_k")
    }
    const pool = explained.left_out.find(({ content }) => content.includes("Pool"))
    expect(pool?.matched_words).toEqual(["student"])
    expect((await mine.search(id, "?", { explain: true })).body).toMatchObject({ results: [], left_out: [] })
  })
})
