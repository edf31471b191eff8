import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import { IMPORT_ROWS_MAX, Question, QuestionImport } from "../../src/domain/knowledge/Question.ts"
import { Source } from "../../src/domain/knowledge/Source.ts"
import { type Client, problem, read, type Reply, until } from "../lib/Client.ts"
import { says } from "../lib/FakeAnthropic.ts"
import { sharedServer } from "../lib/TestServer.ts"

const { client, provider } = await sharedServer()

const OneQuestion = Schema.Struct({ question: Question })
const questionOf = (reply: Reply) => read(OneQuestion, reply).question
const at = (chatbot: string, source: string, rest = "") =>
  `/api/external/chatbot/${chatbot}/sources/${source}/questions${rest}`

const newSource = async (chatbot: string, as: Client = client) =>
  read(
    Schema.Struct({ source: Source }),
    await as.post(`/api/external/chatbot/${chatbot}/sources`, { json: { kind: "questions", name: "Answers" } }),
  ).source.id

const start = async (settings: object = {}) => {
  const { id } = await client.newChatbot({ settings: { model: "local/extractive", ...settings } })
  return { chatbot: id, source: await newSource(id) }
}

const password = {
  question: "How do I reset my password?",
  variants: ["I forgot my password."],
  answer: "Choose **Forgot password**.\n\n1. Open the mail\n2. Follow the link",
}
const add = (chatbot: string, source: string, pair: object = password, as: Client = client) =>
  as.post(at(chatbot, source), { json: pair })
const newQuestion = async (chatbot: string, source: string, pair: object = password) =>
  questionOf(await add(chatbot, source, pair))

const importFile = (chatbot: string, source: string, content: Bun.BlobPart, headers: Record<string, string> = {}) => {
  const form = new FormData()
  form.set("file", new Blob([content]), "questions.csv")
  return client.post(at(chatbot, source, "/import"), { form, headers })
}
const imported = (reply: Reply) => read(Schema.Struct({ import: QuestionImport }), reply).import

describe("questions of a source", () => {
  test("are created, listed, read, changed and deleted, each with its document", async () => {
    const { chatbot, source } = await start()
    const reply = await add(chatbot, source)
    expect(reply.status).toBe(201)
    const question = questionOf(reply)
    expect(question).toMatchObject({ ...password, source_id: source })
    const document = await client.document(chatbot, question.document_id)
    expect(document).toMatchObject({ name: password.question, content_type: "text/markdown", source_id: source })
    const other = await newQuestion(chatbot, source, { question: "Where are you?", answer: "In Ulm." })
    expect(other.variants).toEqual([])
    expect((await client.get(at(chatbot, source))).body).toMatchObject({
      data: [question, other],
      metadata: { totalCount: 2 },
    })
    expect((await client.get(at(chatbot, source, "?query=ulm"))).body).toMatchObject({ data: [other] })
    expect((await client.get(at(chatbot, source, "?query=forgot%20MY"))).body).toMatchObject({ data: [question] })

    const shown = await client.get(at(chatbot, source, `/${question.id}`))
    expect(questionOf(shown)).toEqual(question)
    const changed = await client.patch(at(chatbot, source, `/${question.id}`), {
      json: { ...question, answer: "Call us." },
      headers: { "if-match": shown.headers.get("etag") ?? "" },
    })
    expect(changed.status).toBe(200)
    expect(questionOf(changed)).toMatchObject({ ...password, answer: "Call us." })
    const late = await client.patch(at(chatbot, source, `/${question.id}`), {
      json: { answer: "Write to us." },
      headers: { "if-match": shown.headers.get("etag") ?? "" },
    })
    expect(late.status).toBe(412)

    expect((await client.delete(at(chatbot, source, `/${question.id}`))).status).toBe(200)
    expect((await client.get(at(chatbot, source, `/${question.id}`))).status).toBe(404)
    expect((await client.documents(chatbot)).map(({ id }) => id)).toEqual([other.document_id])
    await client.delete(`/api/external/chatbot/${chatbot}/knowledge-base?all=true`)
    expect((await client.get(at(chatbot, source))).body).toMatchObject({ data: [] })
    // Its form is free again.
    expect((await add(chatbot, source)).status).toBe(201)
  })

  test("that are the same as another one of the chatbot are refused, in any of its sources", async () => {
    const { chatbot, source } = await start()
    await newQuestion(chatbot, source)
    const others = [
      { question: "how do i RESET my  password", answer: "Otherwise." },
      { question: "I FORGOT MY PASSWORD", answer: "Otherwise." },
      { question: "Lost?", variants: ["How do I reset my password"], answer: "Otherwise." },
    ]
    const second = await newSource(chatbot)
    for (const other of others) {
      const refused = await add(chatbot, second, other)
      const { detail } = problem(refused, 409, "conflict")
      expect(detail).toContain(password.question)
    }
    // Nothing is left of what was refused, neither a document nor a file.
    expect(await client.documents(chatbot)).toHaveLength(1)
    const lost = await newQuestion(chatbot, second, { question: "Lost?", answer: "Found." })
    const patched = await client.patch(at(chatbot, second, `/${lost.id}`), {
      json: { question: "I forgot my password!" },
    })
    expect(patched.status).toBe(409)
    // The words of its own question may come back as variants.
    const own = await client.patch(at(chatbot, second, `/${lost.id}`), { json: { variants: ["lost", "Is it lost?"] } })
    expect(own.status).toBe(200)
    const apart = await start()
    expect((await add(apart.chatbot, apart.source)).status).toBe(201)
  })

  test("that are the same are created once, by however many at once", async () => {
    const { chatbot, source } = await start()
    const replies = await Promise.all(
      ["?", "!", "", " ?", "??", " "].map((end, index) =>
        add(chatbot, source, {
          question: index % 2 === 0 ? `One${end}` : `Two${end}`,
          variants: index % 2 === 0 ? ["Two"] : ["One"],
          answer: `Answer ${index}`,
        }),
      ),
    )
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409, 409])
    expect(await client.documents(chatbot)).toHaveLength(1)
  })

  test("are refused where they are no question with an answer", async () => {
    const { chatbot, source } = await start()
    const wrong = [
      { question: "" },
      { question: "???" },
      { question: "Two\nlines" },
      { question: "a".repeat(501) },
      { answer: " \n" },
      { answer: "a".repeat(20_001) },
      { variants: [""] },
      { variants: Array.from({ length: 51 }, (_, index) => `Variant ${index}`) },
      { kind: "other" },
    ]
    for (const fields of wrong) {
      expect((await add(chatbot, source, { ...password, ...fields })).status).toBe(400)
    }
    expect(await client.documents(chatbot)).toEqual([])
    const text = await client.post(`/api/external/chatbot/${chatbot}/sources`, {
      json: { kind: "text", name: "A text", text: "Text" },
    })
    const { id } = read(Schema.Struct({ source: Source }), text).source
    expect((await add(chatbot, id)).status).toBe(409)
  })

  test("belong to their organization, chatbot and source, and need the scopes of knowledge", async () => {
    const { chatbot, source } = await start()
    const { id } = await newQuestion(chatbot, source)
    const stranger = await client.newOrganization()
    const elsewhere = await start()
    const readers = await client.limitedTo("knowledge:read")
    for (const [as, path] of [
      [stranger, at(chatbot, source)],
      [client, at(elsewhere.chatbot, source)],
      [client, at(elsewhere.chatbot, elsewhere.source)],
    ] as const) {
      expect((await as.get(`${path}/${id}`)).status).toBe(404)
      expect((await as.patch(`${path}/${id}`, { json: { answer: "Stolen" } })).status).toBe(404)
      expect((await as.delete(`${path}/${id}`)).status).toBe(404)
    }
    expect((await add(chatbot, source, { ...password, question: "New?" }, stranger)).status).toBe(404)
    expect((await stranger.get(at(chatbot, source, "/export"))).status).toBe(404)
    expect((await readers.get(at(chatbot, source, `/${id}`))).status).toBe(200)
    expect((await readers.delete(at(chatbot, source, `/${id}`))).status).toBe(403)
  })

  test("leave entries in the audit log that conceal what they say", async () => {
    const { chatbot, source } = await start()
    const { id } = await newQuestion(chatbot, source)
    await client.patch(at(chatbot, source, `/${id}`), { json: { answer: "Secret" } })
    await client.delete(at(chatbot, source, `/${id}`))
    await importFile(chatbot, source, "question,answer\nOne?,1")
    const log = await client.get("/api/admin/audit-log?limit=50")
    expect(log.text).not.toContain("Secret")
    for (const action of ["created", "updated", "deleted", "imported"]) {
      expect(log.text).toContain(`question.${action}`)
    }
  })

  test("are created once by a request that is sent twice with its key", async () => {
    const { chatbot, source } = await start()
    const send = () =>
      client.post(at(chatbot, source), { json: password, headers: { "idempotency-key": `once-${chatbot}` } })
    const [first, second] = [await send(), await send()]
    expect(second.body).toEqual(first.body)
    expect(await client.documents(chatbot)).toHaveLength(1)
  })
})

describe("a chat", () => {
  test("gets exactly the approved answer from local/extractive, at once and for each variant", async () => {
    const { chatbot, source } = await start()
    await client.learn(chatbot, { "passwords.md": "# Passwords\n\nYou reset your password at the desk on Mondays." })
    const { document_id } = await newQuestion(chatbot, source)
    for (const asked of [
      "how do i reset my password",
      "Hello! How do I reset my password?",
      "I FORGOT my password!",
      "How can I reset my password, please?",
    ]) {
      const { output, sources } = await client.chat(chatbot, asked)
      expect(output).toBe(password.answer)
      expect(sources).toMatchObject([{ document_id, title: password.question, chunk: 1 }])
    }
  })

  test("gets the approved answer without tools, and to small talk", async () => {
    const { chatbot, source } = await start({ isToolEnabled: false })
    await newQuestion(chatbot, source, { question: "Who are you?", variants: ["Hi"], answer: "The bot of the museum." })
    expect((await client.chat(chatbot, "who are you")).output).toBe("The bot of the museum.")
    expect((await client.chat(chatbot, "Hi!")).output).toBe("The bot of the museum.")
  })

  test("finds a question that is asked in other words by its document", async () => {
    const { chatbot, source } = await start()
    const { document_id } = await newQuestion(chatbot, source, {
      question: "How long does delivery take?",
      variants: ["When does my parcel arrive?"],
      answer: "Deliveries take three days.",
    })
    await until(
      () => client.document(chatbot, document_id),
      ({ status }) => status === "ready",
    )
    expect((await client.chat(chatbot, "How many days does the delivery of a parcel take?")).output).toContain(
      "three days",
    )
  })

  test("does not get an answer by the words alone of a message that is understood by those before it", async () => {
    const { chatbot, source } = await start()
    await client.learn(chatbot, { "tickets.md": "# Tickets\n\nA ticket for the museum costs 12 EUR." })
    await newQuestion(chatbot, source, { question: "How much is it?", variants: ["And how much?"], answer: "Ask us." })
    const sessionToken = "visitor"
    await client.chat(chatbot, "Do you sell tickets for the museum?", { sessionToken })
    expect((await client.chat(chatbot, "and how much?", { sessionToken })).output).not.toContain("Ask us.")
    expect((await client.chat(chatbot, "How much is it?")).output).toBe("Ask us.")
  })

  test("gets the new answer as soon as it is changed, and none once it is deleted", async () => {
    const { chatbot, source } = await start()
    const { id } = await newQuestion(chatbot, source)
    await client.patch(at(chatbot, source, `/${id}`), { json: { answer: "Call us." } })
    expect((await client.chat(chatbot, password.question)).output).toBe("Call us.")
    await client.delete(at(chatbot, source, `/${id}`))
    expect((await client.chat(chatbot, password.question)).output).not.toContain("Call us.")
  })

  test.each(["claude-sonnet-5-5", "openai/test-1"])("shows the approved answer first to %s, whole", async (model) => {
    const { chatbot, source } = await start({ model })
    const answer = `Choose Forgot password. ${"Read on. ".repeat(1_500)}The end.`
    await newQuestion(chatbot, source, { ...password, answer })
    await provider.answers(says("Choose Forgot password."))
    await client.chat(chatbot, "How do I reset my password?")
    const body = provider.requests().at(-1)?.body ?? ""
    expect(body).toContain("The end.")
    expect(body).toContain("marked as approved")
    await provider.answers(says("I do not know."))
    await client.chat(chatbot, "How do I get to the museum?")
    expect(provider.requests().at(-1)?.body).not.toContain("The end.")
  })
})

describe("an import", () => {
  test("says what became of the rows, and why some are refused, and may be repeated", async () => {
    const { chatbot, source } = await start()
    const same = await newQuestion(chatbot, source, { question: "Same?", answer: "Yes." })
    const old = await newQuestion(chatbot, source, { question: "Old?", answer: "Yes." })
    const elsewhere = await newSource(chatbot)
    await newQuestion(chatbot, elsewhere, { question: "Elsewhere?", answer: "Yes." })
    const file = [
      "Variant 1;Answer;ignored;Question;variant 2",
      ";Yes.;;SAME;",
      ";No.;;Old?;",
      'A;"Two; ""quoted""";x;New?;B',
      ";Yes.;;elsewhere;",
      ";;;No answer?;",
      ";;;;",
      ";Again.;;new;",
      `;Long;;${"x".repeat(501)};`,
    ].join("\n")
    const reply = await importFile(chatbot, source, file)
    const report = imported(reply)
    expect(report).toEqual({
      added: 1,
      updated: 2,
      unchanged: 0,
      refused: [
        { row: 5, reason: "Another source of this chatbot has this question." },
        { row: 6, reason: expect.stringContaining("answer") },
        { row: 8, reason: "Row 4 has the same question." },
        { row: 9, reason: expect.stringContaining("question") },
      ],
    })
    for (const { id } of [same, old])
      expect((await client.get(at(chatbot, source, `/${id}`))).body).toMatchObject({ question: { id } })
    expect((await client.get(at(chatbot, source, "?query=quoted"))).body).toMatchObject({
      data: [{ question: "New?", variants: ["A", "B"], answer: 'Two; "quoted"' }],
    })
    expect(imported(await importFile(chatbot, source, file))).toMatchObject({ unchanged: 3, refused: { length: 4 } })
  })

  test("takes what an export has written", async () => {
    const { chatbot, source } = await start()
    const pairs = [
      password,
      { question: "=1+1", variants: ["-2", "@x"], answer: "+3" },
      { question: "'=quoted", variants: [], answer: '\t\'tab\n\n"quote", comma' },
    ]
    for (const pair of pairs) await newQuestion(chatbot, source, pair)
    const file = await client.get(at(chatbot, source, "/export"))
    expect(file.headers.get("content-type")).toContain("text/csv")
    expect(file.text).not.toMatch(/(?:^|,)"[=+@\t-]/m)
    expect(imported(await importFile(chatbot, source, file.text))).toMatchObject({ unchanged: 3, refused: [] })
    const other = await start()
    expect(imported(await importFile(other.chatbot, other.source, file.text))).toMatchObject({ added: 3 })
    expect((await client.get(at(other.chatbot, other.source))).body).toMatchObject({ data: pairs })
  })

  test.each([
    ["without a header", "How?,So."],
    ["that is binary", new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3, 0xff, 0xfe, 0, 0])],
    ["with a quote that is never closed", `question,answer\n"${"x".repeat(400_000)}`],
    ["of one line", "x".repeat(5_000_000)],
    ["of a million columns", `question,answer\n${",".repeat(1_000_000)}`],
    ["of too many rows", `question,answer\n${"a,b\n".repeat(IMPORT_ROWS_MAX + 1)}`],
    ["that is empty", ""],
  ])("of a file %s is refused with its reason", async (_, content) => {
    const { chatbot, source } = await start()
    const reply = await importFile(chatbot, source, content)
    problem(reply, 400, "invalid_request")
    expect(await client.documents(chatbot)).toEqual([])
  })

  test("of a file that is too large is refused", async () => {
    const { chatbot, source } = await start()
    expect((await importFile(chatbot, source, "x".repeat(21 * 1024 * 1024))).status).toBe(413)
  })

  test("reads the encodings that spreadsheets write", async () => {
    const { chatbot, source } = await start()
    const utf16 = Buffer.from("\ufeffquestion\tanswer\r\nWie groß?\tÄrger\r\n", "utf16le")
    const latin = Buffer.from("question;answer\r\nWie süß?;Größe, Müll, Fuß und Öl für alle Bücher\r\n", "latin1")
    expect(imported(await importFile(chatbot, source, utf16))).toMatchObject({ added: 1 })
    expect(imported(await importFile(chatbot, source, latin))).toMatchObject({ added: 1 })
    expect((await client.get(at(chatbot, source))).body).toMatchObject({
      data: [{ question: "Wie groß?" }, { question: "Wie süß?" }],
    })
  })
})
