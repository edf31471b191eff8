import { describe, expect, test } from "bun:test"
import { Effect, Schema } from "effect"
import { ArchiveImport } from "../../src/domain/knowledge/Archive.ts"
import { Document } from "../../src/domain/knowledge/Document.ts"
import { Source } from "../../src/domain/knowledge/Source.ts"
import { IMPORT_MAX_BYTES } from "../../src/domain/knowledge/Question.ts"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { read, until } from "../lib/Client.ts"
import { zipOf } from "../lib/files/ZipFile.ts"
import { sharedServer } from "../lib/TestServer.ts"
import { makeZip } from "client-zip"

const { client, query } = await sharedServer()

const at = (id: string, rest: string) => `/api/external/chatbot/${id}/${rest}`
const OneSource = Schema.Struct({ source: Source })
const ManySources = Schema.Struct({ sources: Schema.Array(Source) })
const Documents = Schema.Struct({ data: Schema.Array(Document) })
const Imported = Schema.Struct({ imported: ArchiveImport })

const addSource = async (id: string, json: unknown) =>
  read(OneSource, await client.post(at(id, "sources"), { json })).source

/** Exports a knowledge base, and returns the archive. */
const exported = async (id: string): Promise<Blob> => {
  const response = await fetch(client.url + at(id, "knowledge-base/export"), {
    headers: { "x-api-key": client.key ?? "" },
  })
  expect(response.status).toBe(200)
  expect(response.headers.get("content-type")).toBe("application/zip")
  return new Blob([await response.arrayBuffer()])
}
const importInto = (id: string, archive: Blob) => {
  const form = new FormData()
  form.set("file", archive, "knowledge-base.zip")
  return client.post(at(id, "knowledge-base/import"), { form })
}
const imported = async (id: string, archive: Blob) => read(Imported, await importInto(id, archive)).imported
const archiveOf = async (files: Readonly<Record<string, string>>) =>
  new Blob([await new Response(makeZip(Object.entries(files).map(([name, input]) => ({ name, input })))).arrayBuffer()])
const aFile = { type: "document", source: null, url: null }
const head = JSON.stringify({ format: "parley-knowledge-base", version: 1 })
const documentsOf = async (id: string) =>
  read(Documents, await client.get(at(id, "knowledge-base/documents?limit=100"))).data

/** A knowledge base with files, a text, questions, and a website that is not read. */
const filled = async () => {
  const { id } = await client.newChatbot()
  await client.learn(id, {
    "tides.md": "# Tides\n\nThe tide at Morlaix turns at noon.",
    "Öl/a:b.txt": "Oil is sold in Brest.",
  })
  await addSource(id, { kind: "text", name: "Hours", text: "We open at nine." })
  const { id: faq } = await addSource(id, { kind: "questions", name: "FAQ" })
  await client.post(at(id, `sources/${faq}/questions`), {
    json: { question: "Where is the quay?", variants: ["Which quay?"], answer: "=In the north." },
  })
  return id
}

describe("an export of a knowledge base", () => {
  test("brings files, texts and questions into another chatbot, where they answer searches", async () => {
    const { id: other } = await client.newChatbot()
    const archive = await exported(await filled())
    expect(await imported(other, archive)).toEqual({
      documents: { added: 2, known: 0 },
      sources: { added: 2, known: 0 },
      questions: { added: 1, known: 0 },
      problems: [],
    })
    const isReady = (found: ReadonlyArray<Document>) =>
      found.length === 4 && found.every(({ status }) => status === "ready")
    await until(() => documentsOf(other), isReady)
    const names = (await documentsOf(other)).map(({ name }) => name).toSorted()
    expect(names).toEqual(["Hours", "Where is the quay?", "a:b.txt", "tides.md"].toSorted())
    for (const [query, found] of [
      ["tide at Morlaix", "turns at noon"],
      ["When do you open?", "We open at nine"],
      ["Which quay?", "=In the north."],
    ]) {
      const reply = await client.post(at(other, "query-knowledge"), { json: { query } })
      expect(reply.text).toContain(found ?? "")
    }
  })

  test("adds nothing that is there already", async () => {
    const id = await filled()
    const archive = await exported(id)
    expect(await imported(id, archive)).toEqual({
      documents: { added: 0, known: 2 },
      sources: { added: 0, known: 2 },
      questions: { added: 0, known: 1 },
      problems: [],
    })
    expect(read(ManySources, await client.get(at(id, "sources"))).sources).toHaveLength(2)
  })
})

/** An archive of a website with one page. */
const websiteOf = (url: string) => {
  const lines = [
    { type: "source", key: "s", source: { kind: "website", name: "Docs", urls: ["https://docs.example/guide/"] } },
    { type: "document", file: "documents/a", name: "Install", content_type: "text/markdown", source: "s", url },
  ]
  return archiveOf({
    "knowledge-base.jsonl": [head, ...lines.map((line) => JSON.stringify(line))].join("\n"),
    "documents/a": "# Install\n\nInstall it by hand.",
  })
}
const expectPage = async (id: string, url: string) => {
  const [document] = await documentsOf(id)
  const [source] = read(ManySources, await client.get(at(id, "sources"))).sources
  expect(source).toMatchObject({ document_count: 1 })
  const pages = await client.get(at(id, `sources/${source?.id}/pages`))
  expect(pages.body).toMatchObject({
    data: [{ url, outcome: "unchanged", waiting: false, document_id: document?.id }],
    metadata: {},
  })
}

test("an import makes the pages of a website its documents, at their addresses", async () => {
  const { id } = await client.newChatbot()
  const url = "https://docs.example/guide/install"
  expect(await imported(id, await websiteOf(url))).toMatchObject({ documents: { added: 1 }, problems: [] })
  await expectPage(id, url)
})

test("an import that is cut off at a page leaves no document without its page, and can be repeated", async () => {
  const { id } = await client.newChatbot()
  const url = `https://docs.example/guide/${id}`
  await query(
    SystemSql.use((sql) =>
      Effect.andThen(
        sql.unsafe(`create function cut_off() returns trigger language plpgsql as $$ begin
          if new.url = '${url}' then raise exception 'cut off' using errcode = '53000'; end if;
          return new; end $$`),
        sql`create trigger cut_off before insert on source_pages for each row execute function cut_off()`,
      ),
    ),
  )
  expect((await importInto(id, await websiteOf(url))).status).toBe(503)
  await query(SystemSql.use((sql) => sql`drop function cut_off cascade`))
  expect(await documentsOf(id)).toEqual([])
  expect(await imported(id, await websiteOf(url))).toMatchObject({ sources: { known: 1 }, documents: { added: 1 } })
  await expectPage(id, url)
})

describe("an import refuses", () => {
  test.each<readonly [string, () => Promise<Blob>]>([
    ["what is no zip archive", async () => new Blob(["not a zip"])],
    ["an archive of something else", () => archiveOf({ "readme.txt": "Hello" })],
    [
      "an archive of a later version",
      () => archiveOf({ "knowledge-base.jsonl": `{"format":"parley-knowledge-base","version":2}` }),
    ],
    ["a list that is not understood", () => archiveOf({ "knowledge-base.jsonl": `${head}\n{}\n` })],
    ["paths that lead out of the archive", () => archiveOf({ "knowledge-base.jsonl": head, "../../etc/passwd": "x" })],
    ["half an archive", async () => (await archiveOf({ "knowledge-base.jsonl": head })).slice(0, 60)],
  ])("%s", async (_, archive) => {
    const { id } = await client.newChatbot()
    const reply = await importInto(id, await archive())
    expect(reply.status).toBe(400)
    expect(reply.text).toMatch(/archive|export|knowledge-base.jsonl/)
    expect(await documentsOf(id)).toEqual([])
  })

  test("files that share their bytes, as in a small archive of many large files", async () => {
    const archive = Buffer.from(
      zipOf([
        { name: "knowledge-base.jsonl", content: head },
        { name: "documents/a", content: "A text of its own that takes some room. ".repeat(10), isStored: true },
        { name: "documents/b", content: "b", isStored: true },
      ]),
    )
    // The records of the directory.
    const to = archive.lastIndexOf("PK\u0001\u0002")
    const from = archive.lastIndexOf("PK\u0001\u0002", to - 1)
    // Its sizes, and where it begins.
    archive.copy(archive, to + 20, from + 20, from + 28)
    archive.copy(archive, to + 42, from + 42, from + 46)
    const { id } = await client.newChatbot()
    const reply = await importInto(id, new Blob([archive]))
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining("do not share their bytes")])
  })

  test("a file that is named a second time", async () => {
    const { id } = await client.newChatbot()
    const line = (name: string) => JSON.stringify({ ...aFile, file: "documents/a", name, content_type: "text/plain" })
    const { documents, problems } = await imported(
      id,
      await archiveOf({
        "knowledge-base.jsonl": [head, line("a.txt"), line("b.txt")].join("\n"),
        "documents/a": "A text",
      }),
    )
    expect(documents).toEqual({ added: 1, known: 0 })
    expect(problems).toEqual([expect.stringContaining("b.txt: the archive lacks the file or names it twice")])
  })

  test("what unpacks to more than a document or a list of questions may have, and says so", async () => {
    const { id } = await client.newChatbot()
    const lines = [
      { type: "source", key: "faq", source: { kind: "questions", name: "FAQ" } },
      { ...aFile, file: "documents/a", name: "a.txt", content_type: "text/plain" },
    ]
    const archive = zipOf([
      { name: "knowledge-base.jsonl", content: [head, ...lines.map((line) => JSON.stringify(line))].join("\n") },
      { name: "questions/faq.csv", content: Buffer.alloc(IMPORT_MAX_BYTES + 1, "question,answer\n") },
      { name: "documents/a", content: Buffer.alloc(26 * 1024 * 1024, "a text\n") },
    ])
    expect(archive.length).toBeLessThan(1024 * 1024)
    const { documents, problems } = await imported(id, new Blob([archive]))
    expect(documents.added).toBe(0)
    expect(problems).toEqual(["questions/faq.csv: at most 20 MiB.", "a.txt: at most 25 MiB."])
    expect(await documentsOf(id)).toEqual([])
  })

  test.each([
    ["that a browser would run as a script", "javascript:alert(1)"],
    ["that is too long once it is escaped", `https://docs.example/${"語".repeat(1_000)}`],
  ])("an address of a page %s", async (_, url) => {
    const { id } = await client.newChatbot()
    const line = { ...aFile, file: "documents/a", name: "a.txt", content_type: "text/plain", source: "1", url }
    const source = {
      type: "source",
      key: "1",
      source: { kind: "website", name: "Docs", urls: ["https://docs.example/"] },
    }
    const archive = await archiveOf({
      "knowledge-base.jsonl": [head, JSON.stringify(source), JSON.stringify(line)].join("\n"),
      "documents/a": "A text",
    })
    expect((await imported(id, archive)).problems).toEqual([`a.txt: ${url} is no address of a page.`])
    expect(await documentsOf(id)).toEqual([])
  })

  test("a document whose file is missing or of no kind that can be read, and says so, but takes the others", async () => {
    const { id } = await client.newChatbot()
    const line = (key: string, content_type: string) =>
      JSON.stringify({ ...aFile, file: `documents/${key}`, name: `${key}.txt`, content_type })
    const archive = await archiveOf({
      "knowledge-base.jsonl": [
        head,
        line("a", "text/plain"),
        line("b", "text/plain"),
        line("c", "application/x-dosexec"),
      ].join("\n"),
      "documents/a": "A text",
      "documents/c": "MZ",
    })
    const { documents, problems } = await imported(id, archive)
    expect(documents).toEqual({ added: 1, known: 0 })
    expect(problems).toHaveLength(2)
  })
})
