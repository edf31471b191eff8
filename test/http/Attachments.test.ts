import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import { Attachment } from "../../src/domain/chat/Attachment.ts"
import { Organization } from "../../src/domain/organizations/Organization.ts"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { type Client, invalid, problem, read, type Reply } from "../lib/Client.ts"
import { fails, says } from "../lib/FakeAnthropic.ts"
import { images, objectStream, pdfOf } from "../lib/Files.ts"
import { sharedServer } from "../lib/TestServer.ts"
import { publish, visit, type VisitorClient } from "../lib/Visitors.ts"

/*
 * Files that visitors and people send with messages, over a real socket, with models that see images.
 */

const server = await sharedServer()
const { client, operator, provider, query, stored } = server

const formOf = (content: Uint8Array | string, name: string) => {
  const form = new FormData()
  form.set("file", new Blob([content]), name)
  return form
}

const upload = (to: Client, chatbot: string, content: Uint8Array | string, name: string) =>
  to.post(`/api/external/chatbot/${chatbot}/attachments`, { form: formOf(content, name) })

const uploadAs = ({ client: to, session }: VisitorClient, content: Uint8Array | string, name: string) =>
  to.post("/api/widget/attachments", {
    form: formOf(content, name),
    headers: { authorization: `Bearer ${session.token}` },
  })

const attachmentIn = (reply: Reply) => read(Schema.Struct({ attachment: Attachment }), reply).attachment

const widgetOf = async (settings: object = {}, of = client) => {
  const chatbot = await of.newChatbot({ settings: { model: "claude-sonnet-5-5", attachments: true, ...settings } })
  return { chatbot, visitor: await visit(of, await publish(of, chatbot.id)) }
}

const organizations = "/api/admin/organizations"

/** The organization of a client. */
const organizationOf = async (of: Client) => {
  const many = Schema.Struct({ organizations: Schema.Array(Organization) })
  const [organization] = read(many, await of.get(organizations)).organizations
  if (organization === undefined) throw new Error("There is no organization")
  return organization
}

const saying = (text: string, ...attachments: ReadonlyArray<string>) => ({
  message: { id: crypto.randomUUID(), text, attachments },
})

/** How often a text is in the last request to a model. */
const timesInPrompt = (text: string) => (provider.requests().at(-1)?.body ?? "").split(text).length - 1

describe("an attachment", () => {
  test.each(Object.entries(images))(
    "that is a %s image is known by its content and shown as it is",
    async (type, image) => {
      const { chatbot } = await widgetOf()
      const attachment = attachmentIn(await upload(client, chatbot.id, image, "C:\\photos\\me.txt"))
      const mediaType = `image/${type === "jpg" ? "jpeg" : type}`
      expect(attachment).toMatchObject({ name: `me.txt.${type}`, media_type: mediaType, size: image.length })
      const shown = await fetch(attachment.url)
      expect(Buffer.from(await shown.arrayBuffer())).toEqual(image)
      expect(Object.fromEntries(shown.headers)).toMatchObject({
        "content-type": mediaType,
        "x-content-type-options": "nosniff",
        "content-security-policy": "default-src 'none'; sandbox",
        "cache-control": expect.stringContaining("private"),
      })
    },
  )

  test("that is a PDF is downloaded, and under no other address", async () => {
    const { chatbot } = await widgetOf()
    const { id, name, url } = attachmentIn(await upload(client, chatbot.id, pdfOf(), "Fahrplan für alle.pdf"))
    expect(name).toBe("Fahrplan für alle.pdf")
    const shown = await fetch(url)
    expect(shown.headers.get("content-type")).toBe("application/pdf")
    expect(shown.headers.get("content-disposition")).toBe("attachment; filename*=UTF-8''Fahrplan%20f%C3%BCr%20alle.pdf")
    problem(await client.get(`/api/attachments/${id}/${"A".repeat(22)}/${encodeURIComponent(name)}`), 404, "not_found")
    problem(await client.get(url.replace(id, crypto.randomUUID())), 404, "not_found")
  })

  test.each([
    ["a page", "<!doctype html><script>alert(1)</script>", "me.png", 415],
    ["a drawing with scripts", '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>', "me.svg", 415],
    ["a program", "MZ\u0090", "me.pdf", 415],
    ["an image without its end", images.png.subarray(0, 40), "me.png", 422],
    ["a photo without its end", images.jpg.subarray(0, 8), "me.jpg", 422],
    ["a picture that is shorter than it says", images.webp.subarray(0, 30), "me.webp", 422],
    ["a PDF without its end", pdfOf().subarray(0, 60), "me.pdf", 422],
    ["a PDF with a script", pdfOf("<< /S /JavaScript /JS (app.alert(1)) >>"), "me.pdf", 422],
    ["a PDF with a hidden script", pdfOf(objectStream("<< /S /JavaScript /JS (app.alert(1)) >>")), "me.png", 422],
    ["more than 10 MiB", Buffer.concat([images.png, Buffer.alloc(10 * 1024 * 1024)]), "me.png", 413],
  ])("is not %s, of which nothing is kept", async (_, content, name, status) => {
    const { visitor } = await widgetOf()
    const before = new Set(stored("attachments"))
    expect((await uploadAs(visitor, content, name)).status).toBe(status)
    expect(stored("attachments").filter((file) => !before.has(file))).toEqual([])
  })

  test("needs a chatbot that allows it, except of people and programs, who need the scope", async () => {
    const { chatbot, visitor } = await widgetOf({ attachments: false })
    problem(await uploadAs(visitor, images.png, "me.png"), 403, "forbidden")
    attachmentIn(await upload(client, chatbot.id, images.png, "me.png"))
    const reader = await client.limitedTo("chat", "conversations:read")
    problem(await upload(reader, chatbot.id, images.png, "me.png"), 403, "forbidden")
    problem(await upload(await client.newOrganization(), chatbot.id, images.png, "me.png"), 404, "not_found")
  })

  test("counts for the quota of its organization until it is gone", async () => {
    const own = await client.newOrganization()
    const { id } = await organizationOf(own)
    expect((await operator.patch(`${organizations}/${id}`, { json: { quota: { bytes: 100 } } })).status).toBe(200)
    const chatbot = await own.newChatbot()
    attachmentIn(await upload(own, chatbot.id, images.png, "me.png"))
    expect((await organizationOf(own)).used.bytes).toBe(images.png.length)
    problem(await upload(own, chatbot.id, images.png, "me.png"), 409, "quota_reached")
    await own.delete(`/api/external/chatbot/${chatbot.id}`)
    expect((await organizationOf(own)).used.bytes).toBe(0)
  })

  test("of a visitor leaves a quarter of the organization's quota to its people", async () => {
    const own = await client.newOrganization()
    const { id } = await organizationOf(own)
    const { chatbot, visitor } = await widgetOf({}, own)
    const quota = { bytes: 2 * images.png.length + 1 }
    expect((await operator.patch(`${organizations}/${id}`, { json: { quota } })).status).toBe(200)
    attachmentIn(await uploadAs(visitor, images.png, "me.png"))
    problem(await uploadAs(visitor, images.png, "me.png"), 409, "quota_reached")
    attachmentIn(await upload(own, chatbot.id, images.png, "me.png"))
  })

  test("of a visitor that is not sent yet shares a twentieth of the quota with the others, and takes nothing from people", async () => {
    const own = await operator.newOrganization()
    const { chatbot, visitor } = await widgetOf({ model: "local/extractive" }, own)
    const { id } = await organizationOf(own)
    const quota = { bytes: 400_000_000 }
    expect((await operator.patch(`${organizations}/${id}`, { json: { quota } })).status).toBe(200)
    const first = attachmentIn(await uploadAs(visitor, images.png, "me.png")).id
    await query(SystemSql.use((sql) => sql`update attachments set size = 20000000 where id = ${first}`))
    const other = await visit(own, await publish(own, chatbot.id))
    const refused = problem(await uploadAs(other, images.png, "me.png"), 409, "quota_reached")
    expect(refused.detail).toContain("Try again later")
    attachmentIn(await upload(own, chatbot.id, images.png, "me.png"))
    await visitor.hear("", saying("Here it is", first))
    attachmentIn(await uploadAs(other, images.png, "me.png"))
  })

  test("of a visitor waits for its message among few others", async () => {
    const { visitor } = await widgetOf()
    for (let count = 0; count < 20; count++) attachmentIn(await uploadAs(visitor, images.gif, "me.gif"))
    problem(await uploadAs(visitor, images.gif, "me.gif"), 409, "conflict")
  })
})

describe("a message with attachments", () => {
  test("names them for the visitor, for people and in transcripts, and a model sees an image exactly once", async () => {
    await provider.answers(says("A dot."))
    const { chatbot, visitor } = await widgetOf()
    const image = attachmentIn(await uploadAs(visitor, images.png, "dot.png"))
    const file = attachmentIn(await uploadAs(visitor, pdfOf(), "order.pdf"))
    const { conversation } = (await visitor.hear("", saying("", image.id, file.id))).ids
    expect(timesInPrompt(images.png.toString("base64"))).toBe(1)
    expect(timesInPrompt("order.pdf")).toBe(1)
    const named = [image, file].map(({ name, url }) => ({ name, url }))
    expect((await visitor.messages(conversation))[0]).toMatchObject({ content: "", attachments: named })
    expect((await client.messages(chatbot.id, conversation)).map(({ attachments }) => attachments)).toEqual([
      named,
      null,
    ])
    const transcript = `/conversations/${conversation}/transcript?format=markdown`
    expect((await visitor.send("GET", transcript)).text).toContain(`dot.png: ${image.url}`)

    await visitor.hear("What was it?", { conversation_id: conversation })
    expect(timesInPrompt(images.png.toString("base64"))).toBe(1)
    const reply = (await visitor.messages(conversation)).at(-1)?.id
    const again = { id: crypto.randomUUID(), text: "What was it?" }
    await visitor.hear("", { conversation_id: conversation, message: again, regenerates: reply })
    expect(timesInPrompt(images.png.toString("base64"))).toBe(1)
  })

  test("shows the image to a model of chat completions exactly once", async () => {
    await provider.answers(says("A dot."))
    const { visitor } = await widgetOf({ model: "openai/gpt-9" })
    const image = attachmentIn(await uploadAs(visitor, images.png, "dot.png"))
    await visitor.hear("", saying("What is this?", image.id))
    expect(timesInPrompt(`data:image/png;base64,${images.png.toString("base64")}`)).toBe(1)
    expect(timesInPrompt("What is this?")).toBe(1)
  })

  test("is answered by its words where the model refuses images", async () => {
    await provider.answers(fails(400, "invalid_request_error"), says("I see none."))
    const { visitor } = await widgetOf({ model: "openai/gpt-9" })
    const image = attachmentIn(await uploadAs(visitor, images.png, "dot.png"))
    expect((await visitor.hear("", saying("What is this?", image.id))).text).toBe("I see none.")
    expect(timesInPrompt("base64")).toBe(0)
    expect(timesInPrompt("dot.png")).toBe(1)
  })

  test("shows a model the latest few images, and names the others", async () => {
    await provider.answers(says("Dots."))
    const { visitor } = await widgetOf()
    const ids: Array<string> = []
    for (let count = 0; count < 6; count++) {
      ids.push(attachmentIn(await uploadAs(visitor, Buffer.concat([images.png, Buffer.of(count)]), `${count}.png`)).id)
    }
    await visitor.hear("", saying("What are these?", ...ids))
    expect(timesInPrompt('"type":"image"')).toBe(4)
    expect([0, 1, 2, 3, 4, 5].map((count) => timesInPrompt(`${count}.png`))).toEqual([1, 1, 0, 0, 0, 0])
  })

  test("says that local/extractive sees no images only where there are no words", async () => {
    const { chatbot, visitor } = await widgetOf({ model: "local/extractive" })
    await client.learn(chatbot.id, { "hours.md": "# Hours\n\nThe museum opens at nine o'clock." })
    const send = async (text: string) =>
      (await visitor.hear("", saying(text, attachmentIn(await uploadAs(visitor, images.png, "dot.png")).id))).text
    expect(await send("")).toBe("I cannot read images or files. Please write your question.")
    expect(await send("When does the museum open?")).toContain("nine o'clock")
  })

  test("has at most ten, and takes none that is another's, sent before or unknown", async () => {
    await provider.answers(says("A dot."))
    const { chatbot, visitor } = await widgetOf()
    const other = await widgetOf()
    const stranger = await visit(client, await publish(client, chatbot.id))
    const sent = attachmentIn(await uploadAs(visitor, images.png, "me.png")).id
    await visitor.hear("", saying("Look", sent))
    const count = (await visitor.conversations()).length
    for (const id of [
      sent,
      crypto.randomUUID(),
      attachmentIn(await uploadAs(stranger, images.png, "me.png")).id,
      attachmentIn(await uploadAs(other.visitor, images.png, "me.png")).id,
      attachmentIn(await upload(client, chatbot.id, images.png, "me.png")).id,
    ]) {
      const stream = await visitor.say("", saying("Look", id))
      expect([id, stream.response.status]).toEqual([id, 400])
    }
    expect(await visitor.conversations()).toHaveLength(count)
    const many = saying("Look", ...Array.from({ length: 11 }, () => crypto.randomUUID()))
    invalid(await visitor.send("POST", "/chat", many), "message.attachments")
    invalid(await visitor.send("POST", "/chat", saying("")), "message.text")
  })

  test("is sent by a person, and takes no file of a visitor", async () => {
    await provider.answers(says("Hello."))
    const { chatbot, visitor } = await widgetOf()
    const { conversation } = (await visitor.hear("Hello")).ids
    const say = (content: string, ...attachments: ReadonlyArray<string>) =>
      client.post(`/api/external/chatbot/${chatbot.id}/conversations/${conversation}/messages`, {
        json: { content, attachments },
      })
    const { id, name, url } = attachmentIn(await upload(client, chatbot.id, pdfOf(), "offer.pdf"))
    expect(await say("", id)).toMatchObject({ status: 201, body: { message: { attachments: [{ name, url }] } } })
    expect((await visitor.messages(conversation)).at(-1)).toMatchObject({ role: "agent", attachments: [{ name, url }] })
    invalid(await say("Again", id), "attachments")
    invalid(await say("", attachmentIn(await uploadAs(visitor, images.png, "me.png")).id), "attachments")
    invalid(await say(""), "content")
  })

  test("is sent by a program too, with files of its organization", async () => {
    await provider.answers(says("A dot."))
    const { chatbot, visitor } = await widgetOf()
    const { id } = attachmentIn(await upload(client, chatbot.id, images.png, "dot.png"))
    const chat = (...attachments: ReadonlyArray<string>) =>
      client.post(`/api/external/chatbot/${chatbot.id}/chat`, {
        json: { messages: [{ role: "user", content: "Look", attachments }], sessionToken: "a-token-of-the-program" },
      })
    expect((await chat(id)).status).toBe(200)
    expect(timesInPrompt(images.png.toString("base64"))).toBe(1)
    invalid(await chat(id), "attachments")
    invalid(await chat(attachmentIn(await uploadAs(visitor, images.png, "me.png")).id), "attachments")
  })
})

describe("the file of an attachment", () => {
  const sent = async () => {
    await provider.answers(says("A dot."))
    const { chatbot, visitor } = await widgetOf()
    const before = new Set(stored("attachments"))
    const { id, url } = attachmentIn(await uploadAs(visitor, images.png, "me.png"))
    const { conversation } = (await visitor.hear("", saying("Look", id))).ids
    const file = stored("attachments").find((name) => !before.has(name))
    return { chatbot, visitor, url, conversation, file }
  }
  /** Expects that the attachment is gone, and its file too or within the minute in which files without an owner go. */
  const isGone = async ({ file, url }: Awaited<ReturnType<typeof sent>>) => {
    problem(await client.get(url), 404, "not_found")
    const garbage = await query(
      SystemSql.use((sql) => sql`select from blob_garbage where key = ${`attachments/${file}`}`),
    )
    expect([file, garbage.length === 1 || !stored("attachments").some((name) => name === file)]).toEqual([file, true])
  }

  test("is deleted with its conversation, by the visitor or by an erasure", async () => {
    const one = await sent()
    await one.visitor.send("DELETE", `/conversations/${one.conversation}`)
    await isGone(one)
    const other = await sent()
    const erasure = { visitor_id: other.visitor.session.visitor.id }
    expect((await client.post("/api/external/erasures", { json: erasure })).status).toBeLessThan(300)
    await isGone(other)
  })

  test("is deleted with its chatbot", async () => {
    const one = await sent()
    await client.delete(`/api/external/chatbot/${one.chatbot.id}`)
    await isGone(one)
  })
})
