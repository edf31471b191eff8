import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import { Document } from "../../src/domain/knowledge/Document.ts"
import { type Files, ManyDocuments, problem, read, type Reply, until, wrongPaths } from "../lib/Client.ts"
import { docxFile, paragraph, pptxFile, rows, shape, xlsxFile } from "../lib/files/OfficeFile.ts"
import { fixturePath } from "../lib/Fixtures.ts"
import { startServer } from "../lib/TestServer.ts"

const { client, ...server } = await startServer()

const fixture = (name: string) => Bun.file(fixturePath(name)).arrayBuffer()
const handbook = await fixture("handbook.pdf")
/** A PDF whose page has a drawing and no text. */
const scan = await fixture("scan.pdf")
const locked = await fixture("locked.pdf")
/** What is refused at once, where any file does that cannot be read. */
const broken = '{"a":'

const knowledge = (id: string, rest = "") => `/api/external/chatbot/${id}/knowledge-base${rest}`
const nowhere = "01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0b"
const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/)
const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/)

const tides = "# Tides\n\nThe tide at Morlaix turns at noon."
const ferries = "# Ferries\n\nThe ferry to Roscoff leaves from the north quay."
const bakery = "# Bakery\n\nThe bakery sells buckwheat galettes on Fridays."

/** The number of files in the blob store. */
const stored = () => server.stored("documents").length
/** Waits until so many files are stored: files without an owner are deleted in the background. */
const storedReaches = async (count: number) => expect(await until(stored, (now) => now === count)).toBe(count)

const Results = Schema.Struct({ results: Schema.Array(Schema.Record(Schema.String, Schema.Json)) })
const resultsOf = (reply: Reply) => read(Results, reply).results

const documentsOf = (reply: Reply) => read(ManyDocuments, reply).documents
const only = <A>(all: ReadonlyArray<A>): A => {
  const [one, ...others] = all
  if (one === undefined || others.length > 0) throw new Error(`Expected one, got ${all.length}`)
  return one
}

/** Creates a chatbot and uploads these files to it. */
const knowing = async (files: Files) => {
  const { id } = await client.newChatbot()
  return { id, documents: await client.learn(id, files) }
}

/** The chatbot as operations 11 to 13 answer it. */
const shownBy = async (id: string) => {
  const fields =
    "id name description slug active is_public created_at updated_at organization_id personality_config settings llm_api_key"
  const chatbot = Object.entries(await client.chatbot(id)).filter(([field]) => fields.split(" ").includes(field))
  expect(chatbot).toHaveLength(12)
  return { chatbot: Object.fromEntries(chatbot) }
}

describe("14. upload", () => {
  const office = "application/vnd.openxmlformats-officedocument"
  const formats: ReadonlyArray<readonly [string, Bun.BlobPart, string, string]> = [
    ["a.md", tides, "text/markdown", "Morlaix"],
    ["b.markdown", `${tides}\n`, "text/markdown", "Morlaix"],
    ["c.txt", "The lighthouse of Eckmühl is sixty metres tall.", "text/plain", "lighthouse Eckmühl"],
    ["d.html", "<title>Inns</title><h1>Inns</h1><p>The Heron Inn has nine rooms.</p>", "text/html", "Heron Inn"],
    ["e.csv", "dish,price\nkouign-amann,4.50\nfar breton,3.80\n", "text/csv", "kouign-amann price"],
    ["f.json", '{"museum": {"name": "Pont-Aven", "closed": "Mondays"}}', "application/json", "Pont-Aven museum"],
    ["g.pdf", handbook, "application/pdf", "travel expenses"],
    [
      "h.docx",
      docxFile(paragraph("The ropery of Rochefort is open on Sundays.")),
      `${office}.wordprocessingml.document`,
      "ropery",
    ],
    [
      "i.pptx",
      pptxFile([{ shapes: shape("Salt marshes of Guérande") }]),
      `${office}.presentationml.presentation`,
      "salt marshes",
    ],
    [
      "j.xlsx",
      xlsxFile([{ name: "Oysters", content: rows(["size", "price"], ["three", "9.80"]) }]),
      `${office}.spreadsheetml.sheet`,
      "oysters price",
    ],
  ]
  test.each(formats)("makes %s searchable", async (name, content, contentType, query) => {
    const { id } = await client.newChatbot()
    const reply = await client.upload(id, { [name]: content })
    const bytes = new Uint8Array(await new Blob([content]).arrayBuffer())
    expect(reply.status).toBe(200)
    expect(reply.body).toStrictEqual({
      message: "1 file uploaded: 1 ready",
      documents: [
        {
          id: uuid,
          chatbot_id: id,
          name,
          content_type: contentType,
          size_bytes: bytes.length,
          sha256: new Bun.CryptoHasher("sha256").update(bytes).digest("hex"),
          status: "ready",
          progress: 1,
          chunk_count: expect.any(Number),
          error: null,
          source_id: null,
          url: null,
          omissions: [],
          duplicate: false,
          created_at: timestamp,
          updated_at: timestamp,
        },
      ],
    })
    expect(only(documentsOf(reply)).chunk_count).toBeGreaterThan(0)
    expect((await client.found(id, query)).length).toBeGreaterThan(0)
  })

  test("accepts ten files in one upload and refuses eleven", async () => {
    const { id } = await client.newChatbot()
    const files = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`${n}.md`, `Number ${n} is a number.`]))
    const before = stored()
    problem(await client.upload(id, files(11)), 413, "too_large")
    await storedReaches(before)
    expect(await client.documents(id)).toEqual([])
    const reply = await client.upload(id, files(10))
    expect(documentsOf(reply).map(({ name, status }) => `${name} ${status}`)).toEqual(
      Object.keys(files(10)).map((name) => `${name} ready`),
    )
  })

  test("returns the existing document when the same bytes are uploaded again under any name", async () => {
    const { id, documents } = await knowing({ "tides.md": tides })
    const before = stored()
    const first = only(documents)
    const again = documentsOf(await client.upload(id, { "other.md": tides, "ferries.md": ferries }))
    expect(again[0]).toStrictEqual({ ...first, duplicate: true })
    expect(again[1]).toMatchObject({ name: "ferries.md", duplicate: false })
    expect(await client.documents(id)).toHaveLength(2)
    await storedReaches(before + 1)

    const twice = await client.newChatbot()
    const [one, two] = documentsOf(await client.upload(twice.id, { "1.md": tides, "2.md": tides }))
    expect([one?.duplicate, two?.duplicate]).toEqual([false, true])
    expect(new Set([one?.id, two?.id, first.id]).size).toBe(2)
  })

  test("lists an unreadable file as failed with its reason, and processes the others", async () => {
    const { id } = await client.newChatbot()
    const files = { "tides.md": tides, "scan.pdf": scan, "locked.pdf": locked, "broken.pdf": "%PDF-1.7\nno more" }
    const reply = await client.upload(id, { ...files, "broken.json": broken, "empty.txt": " \n " })
    expect(reply.status).toBe(200)
    expect(documentsOf(reply).map(({ name, status, error }) => [name, status, error === null])).toEqual([
      ["tides.md", "ready", true],
      ["scan.pdf", "failed", false],
      ["locked.pdf", "failed", false],
      ["broken.pdf", "failed", false],
      ["broken.json", "failed", false],
      ["empty.txt", "failed", false],
    ])
    for (const { error } of documentsOf(reply).slice(1)) {
      expect(error).toEqual({ code: expect.stringMatching(/^[a-z_]+$/), message: expect.stringMatching(/\w+ .*\.$/) })
    }
    expect(reply.body).toMatchObject({ message: "6 files uploaded: 1 ready, 5 failed" })
    expect(await client.found(id, "tide")).toHaveLength(1)
  })

  const mislabelled: ReadonlyArray<readonly [string, Bun.BlobPart]> = [
    ["notes.pdf", "I am not a PDF."],
    ["picture.txt", Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0])],
    ["manual.md", handbook],
    ["program.exe", "text"],
    ["noextension", "text"],
    ["letter.doc", "text"],
  ]
  test.each(mislabelled)("refuses %s by name, and keeps nothing of the upload", async (name, content) => {
    const { id } = await client.newChatbot()
    const before = stored()
    const reply = await client.upload(id, { "tides.md": tides, [name]: content })
    expect(problem(reply, 415, "unsupported_media_type").detail).toContain(name)
    expect(await client.documents(id)).toEqual([])
    await storedReaches(before)
  })

  test("shows names without paths and without misleading characters", async () => {
    const { id } = await client.newChatbot()
    const names = ["../../etc/passwd.md", "C:\\Users\\me\\notes.md", "txt.\u202edm.md"]
    const shown = []
    for (const [index, name] of names.entries()) {
      shown.push(only(documentsOf(await client.upload(id, { [name]: `Number ${index}.` }))).name)
    }
    expect(shown).toEqual(["passwd.md", "notes.md", "txt.dm.md"])
  })

  test.each(["respond-async", "wait=0", "foo; bar, Respond-Async", "wait=0;x=y"])(
    "answers 202 at once with the preference %s",
    async (prefer) => {
      const { id } = await client.newChatbot()
      const reply = await client.upload(id, { "tides.md": tides }, { prefer })
      expect(reply.status).toBe(202)
      const document = only(documentsOf(reply))
      expect(document).toMatchObject({ status: "queued", progress: 0, chunk_count: 0, error: null })
      const ready = await until(
        () => client.document(id, document.id),
        ({ status }) => status === "ready",
      )
      expect(ready).toMatchObject({ id: document.id, progress: 1 })
      expect(await client.found(id, "tide")).toHaveLength(1)
    },
  )

  test("waits when the request prefers it, and ignores unknown preferences", async () => {
    for (const prefer of ["wait=60", "wait=100000", "wait=-1", "return=minimal"]) {
      const { id } = await client.newChatbot()
      expect((await client.upload(id, { "tides.md": tides }, { prefer })).status).toBe(200)
    }
  })

  test("names missing fields", async () => {
    const { id } = await client.newChatbot()
    const send = (fields: Readonly<Record<string, string | Blob>>) => {
      const form = new FormData()
      for (const [name, value] of Object.entries(fields)) form.append(name, value)
      return client.post("/api/embedfiles", { form })
    }
    const file = new File([tides], "tides.md")
    expect(wrongPaths(await send({ files: file }))).toEqual(["chatbotId"])
    expect(wrongPaths(await send({ chatbotId: "seven", files: file }))).toEqual(["chatbotId"])
    expect(wrongPaths(await send({ chatbotId: id }))).toEqual(["files"])
    expect(wrongPaths(await send({ chatbotId: id, files: "text" }))).toEqual(["files"])
    problem(await client.upload(nowhere, { "tides.md": tides }), 404, "not_found")
    problem(await client.post("/api/embedfiles", { json: { chatbotId: id } }), 415, "unsupported_media_type")
  })

  test("refuses an incomplete form", async () => {
    const headers = { "content-type": "multipart/form-data; boundary=b" }
    const part = '--b\r\nContent-Disposition: form-data; name="files"; filename="a.md"\r\n\r\nhalf a fi'
    for (const body of ["", part, "--b"]) {
      expect(wrongPaths(await client.post("/api/embedfiles", { headers, body })).length).toBeGreaterThan(0)
    }
  })
})

describe("10. query", () => {
  test("answers passages with their titles, and their number", async () => {
    const { id } = await knowing({ "tides.md": tides, "ferries.md": ferries, "bakery.md": bakery })
    const reply = await client.search(id, "When does the tide at Morlaix turn?")
    expect(reply.body).toStrictEqual({
      results: [
        {
          content: expect.stringMatching(/^Title: Tides\nChunk: 1\n\n[^]*The tide at Morlaix turns at noon\.$/),
          similarity: expect.any(Number),
        },
      ],
      similarity_threshold_setting: expect.any(Number),
      status: "OK",
      total_docs: 1,
    })
    expect(reply.headers.get("server-timing")).toMatch(
      /^search;dur=[\d.]+, open;dur=[\d.]+, match;dur=[\d.]+, .*rank;dur=[\d.]+$/,
    )
  })

  test("leaves out exactly the passages below the threshold", async () => {
    const { id } = await knowing({ "tides.md": tides, "ferries.md": ferries, "bakery.md": bakery })
    const schema = Schema.Struct({
      results: Schema.Array(Schema.Struct({ similarity: Schema.Number })),
      similarity_threshold_setting: Schema.Number,
      total_docs: Schema.Int,
    })
    for (const query of ["tide", "ferry quay bakery", "the", "zzzz", "buckwheat galettes on Fridays"]) {
      const { results, similarity_threshold_setting, total_docs } = read(schema, await client.search(id, query))
      expect(total_docs).toBe(results.length)
      for (const { similarity } of results) {
        expect(similarity).toBeGreaterThanOrEqual(similarity_threshold_setting)
        expect(similarity).toBeLessThanOrEqual(1)
      }
    }
    expect(await client.found(id, "xylophone")).toEqual([])
  })

  test("answers at most top_k passages, five by default", async () => {
    const { id } = await client.newChatbot()
    const file = (n: number) => [`${n}.md`, `# Boat ${n}\n\nBoat number ${n} is a trawler.`] as const
    await client.learn(id, Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map(file)))
    expect(await client.found(id, "trawler")).toHaveLength(5)
    expect(await client.found(id, "trawler", { top_k: 1 })).toHaveLength(1)
    expect(await client.found(id, "trawler", { top_k: 50 })).toHaveLength(7)
  })

  test("enforces the bounds of its fields", async () => {
    const { id } = await client.newChatbot()
    expect(await client.found(id, "x".repeat(2_000))).toEqual([])
    for (const query of ["", "x".repeat(2_001), 1, null, undefined, "a\u0000", "\udc00"]) {
      const reply = await client.post(`/api/external/chatbot/${id}/query-knowledge`, { json: { query } })
      expect(wrongPaths(reply)).toEqual(["query"])
    }
    for (const top_k of [0, 51, 1.5, "5", null]) {
      expect(wrongPaths(await client.search(id, "tide", { top_k }))).toEqual(["top_k"])
    }
    problem(await client.search(nowhere, "tide"), 404, "not_found")
  })

  test("explains results only with `explain`", async () => {
    const { id, documents } = await knowing({ "tides.md": tides, "ferries.md": ferries })
    const plain = resultsOf(await client.search(id, "tide Morlaix"))
    const explained = resultsOf(await client.search(id, "tide Morlaix", { explain: true }))
    for (const result of plain) expect(Object.keys(result)).toEqual(["content", "similarity"])
    expect(resultsOf(await client.search(id, "tide Morlaix", { explain: false }))).toEqual(plain)
    expect(explained).toMatchObject([...plain])
    const [first] = explained
    expect(new Set(Object.keys(first ?? {}))).toEqual(
      new Set([
        "content",
        "similarity",
        "document_id",
        "url",
        "chunk",
        "page",
        "matched_words",
        "matched_synonyms",
        "ranks",
        "reranked",
        "scores",
      ]),
    )
    expect(documents.find(({ name }) => name === "tides.md")?.id ?? "").toBe(String(first?.["document_id"]))
    expect(first).toMatchObject({ chunk: 1, page: null })
    const Scores = Schema.Struct({ lexical: Schema.Finite, vector: Schema.Finite, fused: Schema.Finite })
    const scores = Schema.decodeUnknownSync(Scores)(first?.["scores"])
    expect(scores.lexical).toBeGreaterThan(0)
    expect(scores.vector).toBeGreaterThan(0)
    expect(scores.fused).toBeCloseTo(1, 5)
    for (const explain of ["true", 1, null]) {
      expect(wrongPaths(await client.search(id, "tide", { explain }))).toEqual(["explain"])
    }
  })

  test("accepts every text that a database might reject", async () => {
    const { id } = await knowing({ "tides.md": tides })
    for (const query of ["'; drop table chunks; --", "%_\\", "a & b | !c:*", '"', " ", "🙂", "tide:*"]) {
      expect((await client.search(id, query)).status).toBe(200)
    }
  })

  test("finds passages by words with typing errors, and none by a name that they lack", async () => {
    const { id } = await knowing({
      "museum.md": "# Museum\n\nThe opening hours of the lighthouse museum are 9 to 17. Mr Merlin keeps the key.",
    })
    for (const query of ["muesum", "openign hours of the museum", "lighthuose"]) {
      expect(await client.found(id, query)).toEqual([expect.stringContaining("9 to 17")])
    }
    for (const query of ["berlin", "the hoops", "light house keeper Zylinder"]) {
      expect(await client.found(id, query)).toEqual([])
    }
  })

  test("finds passages by the chatbot's own synonyms, from the moment they are set, and explains it", async () => {
    const { id } = await knowing({ "ferries.md": "# Ferries\n\nDogs travel free of charge on the upper deck." })
    expect(await client.found(id, "a canine pet")).toEqual([])
    const settings = { synonyms: [["canine pet", "dog"]] }
    expect((await client.patch(`/api/external/chatbots?id=${id}`, { json: { settings } })).status).toBe(200)
    const [found] = resultsOf(await client.search(id, "a canine pet", { explain: true }))
    expect(found).toMatchObject({ matched_words: [], matched_synonyms: ["dog"] })
  })

  test("finds no passages of another chatbot", async () => {
    await knowing({ "tides.md": tides })
    const other = await knowing({ "ferries.md": ferries })
    expect(await client.found(other.id, "tide Morlaix")).toEqual([])
  })
})

describe("11. overview", () => {
  test("shows the chatbot and no documents", async () => {
    const { id } = await knowing({ "tides.md": tides })
    expect((await client.get(knowledge(id))).body).toStrictEqual(await shownBy(id))
    problem(await client.get(knowledge(nowhere)), 404, "not_found")
  })
})

describe("12. replace", () => {
  test("gives a document new content under its id", async () => {
    const { id, documents } = await knowing({ "tides.md": tides, "ferries.md": ferries })
    const documentId = documents[0]?.id ?? ""
    const before = stored()
    const reply = await client.replace(id, documentId, "bakery.md", bakery, { query: `?id=${documentId}` })
    expect(reply.status).toBe(200)
    expect(reply.body).toStrictEqual(await shownBy(id))
    expect(await client.found(id, "tide Morlaix")).toEqual([])
    expect(await client.found(id, "buckwheat galettes")).toHaveLength(1)
    expect(await client.document(id, documentId)).toMatchObject({ name: "bakery.md", status: "ready", error: null })
    expect(await client.documents(id)).toHaveLength(2)
    await storedReaches(before)
  })

  test("says what was left out of the text that serves", async () => {
    const sheets = [
      { name: "Prices", content: rows(["A ferry costs five francs."]) },
      { name: "Draft", content: rows(["A ferry costs nine francs."]), state: "hidden" },
    ] as const
    const omissions: Document["omissions"] = [{ kind: "hidden_sheets", count: 1, where: ["Draft"] }]
    const { id, documents } = await knowing({ "prices.xlsx": xlsxFile(sheets), "tides.md": tides })
    expect(documents.map(({ omissions }) => omissions)).toEqual([omissions, []])
    const documentId = documents[0]?.id ?? ""
    expect((await client.replace(id, documentId, "locked.pdf", locked)).status).toBe(422)
    expect(await client.document(id, documentId)).toMatchObject({ omissions })
    expect((await client.replace(id, documentId, "bakery.md", bakery)).status).toBe(200)
    expect((await client.documents(id)).map(({ omissions }) => omissions)).toEqual([[], []])
  })

  test("lets searches find either the old content or the new, never both or neither", async () => {
    const version = (n: number) => `# Timetable\n\nThe timetable is of edition ${n}.\n\n`
    const { id, documents } = await knowing({ "timetable.md": version(0) })
    const { id: documentId } = only(documents)
    let done = false
    const seen = (async () => {
      const found = []
      while (!done) found.push(await client.found(id, "timetable edition"))
      return found
    })()
    for (let n = 1; n <= 4; n++) {
      expect((await client.replace(id, documentId, "timetable.md", version(n))).status).toBe(200)
      expect(only(await client.found(id, "timetable edition"))).toContain(`edition ${n}.`)
    }
    done = true
    const found = await seen
    expect(found.length).toBeGreaterThan(0)
    expect(found.filter((passages) => passages.length !== 1)).toEqual([])
  })

  test("keeps the old content searchable when the new file is unreadable, and says why", async () => {
    const { id, documents } = await knowing({ "tides.md": tides })
    const { id: documentId } = only(documents)
    const before = stored()
    const { detail } = problem(await client.replace(id, documentId, "broken.json", broken), 422, "unreadable_document")
    expect(detail).toContain("broken.json")
    expect(await client.found(id, "tide Morlaix")).toHaveLength(1)
    const now = await client.document(id, documentId)
    expect(now).toMatchObject({ name: "tides.md", status: "ready", sha256: only(documents).sha256 })
    expect(detail).toContain(now.error?.message ?? "no message")
    await storedReaches(before)
    expect((await client.replace(id, documentId, "bakery.md", bakery)).status).toBe(200)
    expect(await client.document(id, documentId)).toMatchObject({ name: "bakery.md", error: null })
  })

  test("makes a failed document ready", async () => {
    const { id } = await client.newChatbot()
    const failed = only(documentsOf(await client.upload(id, { "broken.json": broken })))
    problem(await client.replace(id, failed.id, "locked.pdf", locked), 422, "unreadable_document")
    expect((await client.document(id, failed.id)).status).toBe("failed")
    expect((await client.replace(id, failed.id, "tides.md", tides)).status).toBe(200)
    expect(await client.document(id, failed.id)).toMatchObject({ status: "ready", error: null, name: "tides.md" })
    expect(await client.found(id, "tide Morlaix")).toHaveLength(1)
  })

  test("answers 202 at once with respond-async, while the old content stays searchable", async () => {
    const { id, documents } = await knowing({ "tides.md": tides })
    const { id: documentId } = only(documents)
    const headers = { prefer: "respond-async" }
    const reply = await client.replace(id, documentId, "bakery.md", bakery, { headers })
    expect(reply.status).toBe(202)
    expect(reply.body).toStrictEqual(await shownBy(id))
    await until(
      () => client.document(id, documentId),
      ({ name, status }) => name === "bakery.md" && status === "ready",
    )
    expect(await client.found(id, "buckwheat galettes")).toHaveLength(1)
  })

  test("leaves the whole content of one of several concurrent replacements", async () => {
    const { id, documents } = await knowing({ "tides.md": tides })
    const { id: documentId } = only(documents)
    const contents = [1, 2, 3, 4].map((n) => `# Edition\n\nThis harbour guide is number ${n}.`)
    const replies = await Promise.all(contents.map((content, n) => client.replace(id, documentId, `${n}.md`, content)))
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const { name } = await client.document(id, documentId)
    expect(only(await client.found(id, "harbour guide"))).toContain(`number ${Number.parseInt(name) + 1}.`)
    expect(await client.found(id, "tide Morlaix")).toEqual([])
  })

  test("refuses the content of another document", async () => {
    const { id, documents } = await knowing({ "tides.md": tides, "ferries.md": ferries })
    const documentId = documents[0]?.id ?? ""
    problem(await client.replace(id, documentId, "x.md", ferries), 409, "conflict")
    expect((await client.replace(id, documentId, "renamed.md", tides)).status).toBe(200)
    expect(await client.found(id, "tide Morlaix")).toHaveLength(1)
  })

  test("names invalid fields", async () => {
    const { id, documents } = await knowing({ "tides.md": tides })
    const { id: documentId } = only(documents)
    const other = await knowing({ "ferries.md": ferries })
    expect(wrongPaths(await client.replace(id, documentId, "a.md", bakery, { query: `?id=${nowhere}` }))).toEqual([
      "query.id",
    ])
    expect(wrongPaths(await client.replace(id, "seven", "a.md", bakery))).toEqual(["documentId"])
    problem(await client.replace(id, nowhere, "a.md", bakery), 404, "not_found")
    problem(await client.replace(nowhere, documentId, "a.md", bakery), 404, "not_found")
    problem(await client.replace(other.id, documentId, "a.md", bakery), 404, "not_found")
    const { detail } = problem(await client.replace(id, documentId, "a.exe", bakery), 415, "unsupported_media_type")
    expect(detail).toContain("a.exe")
    const form = new FormData()
    form.set("documentId", documentId)
    expect(wrongPaths(await client.patch(knowledge(id), { form }))).toEqual(["file"])
    expect(await client.found(id, "tide Morlaix")).toHaveLength(1)
  })
})

describe("13. delete", () => {
  test("deletes one document with its passages and file", async () => {
    const { id, documents } = await knowing({ "tides.md": tides, "ferries.md": ferries })
    const [doomed, spared] = documents
    const before = stored()
    const reply = await client.delete(knowledge(id, `?id=${doomed?.id}`))
    expect(reply.status).toBe(200)
    expect(reply.body).toStrictEqual(await shownBy(id))
    await storedReaches(before - 1)
    expect(await client.found(id, "tide Morlaix")).toEqual([])
    expect(await client.found(id, "ferry quay")).toHaveLength(1)
    expect((await client.documents(id)).map((document) => document.id)).toEqual(spared ? [spared.id] : [])
    problem(await client.delete(knowledge(id, `?id=${doomed?.id}`)), 404, "not_found")
  })

  test("deletes all documents with all=true, also when there are none", async () => {
    const { id } = await knowing({ "tides.md": tides, "ferries.md": ferries })
    const before = stored()
    expect((await client.delete(knowledge(id, "?all=true"))).status).toBe(200)
    await storedReaches(before - 2)
    expect(await client.documents(id)).toEqual([])
    expect(await client.found(id, "tide ferry")).toEqual([])
    expect((await client.delete(knowledge(id, "?all=true"))).status).toBe(200)
    expect(await client.learn(id, { "tides.md": tides })).toMatchObject([{ duplicate: false }])
  })

  test("deletes nothing unless the request has exactly one of id and all=true", async () => {
    const { id, documents } = await knowing({ "tides.md": tides })
    const document = only(documents)
    for (const query of ["", "?all=false", `?all=true&id=${document.id}`]) {
      expect(wrongPaths(await client.delete(knowledge(id, query)))).toEqual(["query"])
    }
    expect(wrongPaths(await client.delete(knowledge(id, "?all=yes")))).toEqual(["query.all"])
    expect(wrongPaths(await client.delete(knowledge(id, "?id=seven")))).toEqual(["query.id"])
    problem(await client.delete(knowledge(id, `?id=${nowhere}`)), 404, "not_found")
    problem(await client.delete(knowledge(nowhere, "?all=true")), 404, "not_found")
    const other = await client.newChatbot()
    problem(await client.delete(knowledge(other.id, `?id=${document.id}`)), 404, "not_found")
    expect(await client.documents(id)).toEqual([document])
  })

  test("cancels the processing of a document", async () => {
    const { id } = await client.newChatbot()
    const before = stored()
    const files = Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`${n}.md`, `Number ${n} is about tides.`]))
    await client.upload(id, files, { prefer: "respond-async" })
    await client.delete(knowledge(id, "?all=true"))
    expect(await client.documents(id)).toEqual([])
    await client.learn(id, { "ferries.md": ferries })
    expect(await client.found(id, "tides number")).toEqual([])
    await storedReaches(before + 1)
  })
})

describe("documents", () => {
  test("are listed oldest first, in pages", async () => {
    const { id } = await client.newChatbot()
    const names = ["1.md", "2.md", "3.md", "4.md", "5.md"]
    await client.learn(id, Object.fromEntries(names.map((name) => [name, `Document ${name}.`])))
    const page = async (query: string) => (await client.get(knowledge(id, `/documents?${query}`))).body
    const all = await client.documents(id)
    expect(all.map(({ name }) => name)).toEqual(names)
    const metadata = { currentPage: 1, pageSize: 2, totalCount: 5, totalPages: 3 }
    expect(await page("limit=2")).toStrictEqual({ data: all.slice(0, 2), metadata })
    expect(await page("limit=2&page=3")).toStrictEqual({
      data: all.slice(4),
      metadata: { ...metadata, currentPage: 3 },
    })
    expect(await page("limit=2&page=4")).toStrictEqual({ data: [], metadata: { ...metadata, currentPage: 4 } })
    expect(await page("")).toMatchObject({ metadata: { currentPage: 1, pageSize: 20, totalCount: 5, totalPages: 1 } })
  })

  test("are filtered by status", async () => {
    const { id } = await client.newChatbot()
    await client.upload(id, { "tides.md": tides, "broken.json": broken, "ferries.md": ferries })
    const namesOf = async (status: string) => {
      const reply = await client.get(knowledge(id, `/documents?status=${status}`))
      const { data, metadata } = read(DocumentPage, reply)
      expect(metadata.totalCount).toBe(data.length)
      return data.map(({ name }) => name)
    }
    expect(await namesOf("ready")).toEqual(["tides.md", "ferries.md"])
    expect(await namesOf("failed")).toEqual(["broken.json"])
    for (const status of ["queued", "extracting", "embedding"]) expect(await namesOf(status)).toEqual([])
    expect(wrongPaths(await client.get(knowledge(id, "/documents?status=lost")))).toEqual(["query.status"])
  })

  test("are found by name, address or source, and put in order, whichever page is asked for", async () => {
    const { id } = await client.newChatbot()
    await client.upload(id, { "tides.md": tides, "Broken.json": broken, "ferries.md": `${ferries}\n\n${ferries}` })
    await client.post(`/api/external/chatbot/${id}/sources`, {
      json: { kind: "text", name: "Opening hours", text: "At nine." },
    })
    const namesOf = async (query: string) =>
      read(DocumentPage, await client.get(knowledge(id, `/documents?${query}`))).data.map(({ name }) => name)
    const text = "Opening hours"
    expect(await namesOf("search=TIDES")).toEqual(["tides.md"])
    expect(await namesOf(`search=${encodeURIComponent("opening hours")}`)).toEqual([text])
    expect(await namesOf("search=nothing")).toEqual([])
    expect(await namesOf("state=failed")).toEqual(["Broken.json"])
    expect(await namesOf("sort=name")).toEqual(["Broken.json", "ferries.md", text, "tides.md"])
    expect(await namesOf("sort=name&order=desc&limit=1&page=2")).toEqual([text])
    expect(await namesOf("order=desc&limit=2")).toEqual([text, "ferries.md"])
    expect((await namesOf("sort=source&order=desc")).at(0)).toBe(text)
    expect((await namesOf("sort=status")).at(0)).toBe("Broken.json")
    for (const sort of ["size_bytes", "chunk_count", "updated_at"])
      expect(await namesOf(`sort=${sort}`)).toHaveLength(4)
    expect(await namesOf("sort=size_bytes&search=.md&order=desc")).toContain("ferries.md")
    for (const wrong of ["sort=lost", "order=up", "state=lost"])
      expect(wrongPaths(await client.get(knowledge(id, `/documents?${wrong}`)))).toEqual([
        `query.${wrong.split("=")[0]}`,
      ])
  })

  test.each(["page=0", "page=-1", "page=1.5", "page=1e1", "page=x", "page=", "limit=0", "limit=101", "limit=x"])(
    "are not listed with %s",
    async (query) => {
      const { id } = await client.newChatbot()
      expect(wrongPaths(await client.get(knowledge(id, `/documents?${query}`)))).toEqual([
        `query.${query.split("=")[0]}`,
      ])
    },
  )

  test("can be read and deleted one by one", async () => {
    const { id, documents } = await knowing({ "tides.md": tides })
    const document = only(documents)
    const before = stored()
    expect((await client.get(knowledge(id, `/documents/${document.id}`))).body).toStrictEqual({ document })
    const reply = await client.delete(knowledge(id, `/documents/${document.id}`))
    expect(reply.body).toStrictEqual({ message: "Document deleted successfully" })
    await storedReaches(before - 1)
    expect(await client.found(id, "tide")).toEqual([])
  })

  test("can be tried again only when they have failed", async () => {
    const { id } = await client.newChatbot()
    const [failed, ready] = documentsOf(await client.upload(id, { "broken.json": broken, "tides.md": tides }))
    const reply = await client.post(knowledge(id, `/documents/${failed?.id}/retry`))
    expect(reply.status).toBe(202)
    expect(reply.body).toStrictEqual({
      document: { ...failed, status: "queued", progress: 0, error: null, updated_at: timestamp },
    })
    const after = await until(
      () => client.document(id, failed?.id ?? ""),
      ({ status }) => status === "failed",
    )
    expect(after.error).toEqual(failed?.error ?? expect.anything())
    problem(await client.post(knowledge(id, `/documents/${ready?.id}/retry`)), 409, "conflict")
  })

  test("are tried again when the same bytes are uploaded again", async () => {
    const { id } = await client.newChatbot()
    const failed = only(documentsOf(await client.upload(id, { "broken.json": broken })))
    const again = only(documentsOf(await client.upload(id, { "broken.json": broken })))
    expect(again).toMatchObject({ id: failed.id, status: "failed", duplicate: true })
  })

  const actions: ReadonlyArray<readonly [string, string, string]> = [
    ["GET", "", "shown"],
    ["DELETE", "", "deleted"],
    ["POST", "/retry", "tried again"],
  ]
  test.each(actions)("%s %s: cannot be %s when they are unknown or another chatbot's", async (method, rest) => {
    const { id, documents } = await knowing({ "tides.md": tides })
    const other = await client.newChatbot()
    for (const path of [
      knowledge(id, `/documents/${nowhere}`),
      knowledge(other.id, `/documents/${only(documents).id}`),
    ]) {
      problem(await client.send(method, path + rest), 404, "not_found")
    }
    expect(wrongPaths(await client.send(method, knowledge(id, `/documents/seven${rest}`)))).toEqual(["path.documentId"])
    expect(await client.documents(id)).toHaveLength(1)
  })
})

const DocumentPage = Schema.Struct({
  data: Schema.Array(Document),
  metadata: Schema.Struct({ totalCount: Schema.Int }),
})
