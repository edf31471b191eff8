import { describe, expect } from "bun:test"
import { says } from "../lib/FakeAnthropic.ts"
import { Dictation } from "./lib/Model.ts"
import { becomes, expectAccessible, inspect, startSuite } from "./lib/Suite.ts"
import { phone, photograph, until } from "./lib/Visit.ts"
import { call, Chat, launcher } from "./lib/Widget.ts"

/*
 * Visitors and people of the team, who act by the API here.
 */

const { model, server, site, visit } = await startSuite()

const newChatbot = (handover: object = { button: true }, more: object = {}) =>
  server.api.newChatbot({ name: "Harbour", settings: { handover }, ...more })

/** A person in the only conversation of a chatbot. */
const personOf = async (chatbot: string) => {
  const path = `/api/external/chatbot/${chatbot}/conversations`
  const [{ id }] = (await server.api.get(path)).data
  const at = `${path}/${id}`
  return {
    says: (content: string) => server.api.post(`${at}/messages`, { content, sender_name: "Anna" }),
    does: (state: string, read_to?: string) =>
      server.api.post(`${at}/presence`, { state, ...(read_to && { read_to }) }),
    givesBack: () => server.api.post(`${at}/return`),
    session: async () => (await server.api.get(path)).data[0],
    messages: async () => (await server.api.get(`${at}/messages`)).data,
  }
}

const now = () => new Date().toISOString().replace("Z", "+00:00")
const ASK = "Talk to a person"

describe("a visitor and a person", () => {
  visit("talk, and each sees what the other does, until the chatbot answers again", async (visited) => {
    const { layoutShift, page } = visited
    model.answers(() => says("At noon."))
    const { id } = await newChatbot()
    const address = site.page({ "data-key": id })
    const chat = await Chat.open(page, address)
    await chat.exchange("When does the ferry sail?")
    await photograph(page, "people-button")
    await chat.button(ASK).click()
    await chat.within.getByText("A person will answer here soon.").first().waitFor()
    expect(await chat.button(ASK).count()).toBe(0)
    const person = await personOf(id)
    expect((await person.session()).handover).toMatchObject({ owner: "people" })

    await person.does("writing")
    await chat.within.getByText("Harbour is writing …").waitFor()
    await photograph(page, "people-writing")
    await person.says("I am Anna. What about **bicycles**?")
    await chat.message("What about bicycles?").locator(".note").waitFor()
    await chat.within.locator("output", { hasText: "Anna: I am Anna. What about bicycles?" }).waitFor()
    await person.does("reading")
    await chat.within.getByText("Anna answers you now.").first().waitFor()

    await chat.composer.pressSequentially("They are")
    await until(async () =>
      (await person.does("reading")).presence.some((one: { who: string; state: string }) =>
        Bun.deepEquals([one.who, one.state], ["visitor", "writing"]),
      ),
    )
    const asked = model.count()
    await chat.ask("They are allowed, I hope?")
    await chat.within.getByText("Delivered").waitFor()
    await person.does("reading", now())
    await chat.within.getByText("Read", { exact: true }).waitFor()
    expect(model.count()).toBe(asked)
    expect((await person.messages()).map((one: { sender_type: string }) => one.sender_type)).toEqual([
      "user",
      "bot",
      "agent",
      "user",
    ])
    await inspect(page, "people-talk", chat.document)
    expect(await layoutShift()).toBe(0)

    await person.says("They are.")
    await chat.within.getByText("They are.").first().waitFor()
    await person.givesBack()
    await chat.within.getByText("The assistant answers again.").first().waitFor()
    await chat.button(ASK).waitFor()
    await photograph(page, "people-returned")
    model.answers(() => says("Two crowns."))
    await chat.ask("What do they cost?")
    await chat.within.getByText("Two crowns.").first().waitFor()
  })

  visit("are not cut off by a closed chat, another page or another tab", async ({ newTab, page }) => {
    model.answers(() => says("At noon."))
    const { id } = await newChatbot()
    const address = site.page({ "data-key": id })
    const chat = await Chat.open(page, address)
    await chat.exchange("When does the ferry sail?")
    await call(page, "close")
    await page.goto(address)
    await launcher(page).waitFor()
    // A visitor whom no person has answered costs its pages nothing.
    expect(page.frames().length).toBe(1)

    await launcher(page).click()
    await chat.button(ASK).click()
    await chat.within.getByText("A person will answer here soon.").first().waitFor()
    const person = await personOf(id)
    await call(page, "close")
    const badge = launcher(page).locator(".unread")
    await person.says("Are you there?")
    await badge.getByText("1").waitFor()
    await photograph(page, "people-badge")
    await page.goto(site.page({ "data-key": id }))
    await badge.getByText("1").waitFor()
    await person.says("I am Anna.")
    await badge.getByText("2").waitFor()

    const tab = await newTab()
    const other = await Chat.open(tab, address)
    await other.message("I am Anna.").waitFor()
    await until(async () => (await person.does("reading")).visitor_read_at !== null)
    await other.ask("Here I am.")
    await page.bringToFront()
    await launcher(page).click()
    await chat.message("Here I am.").waitFor()
    expect(await chat.message("I am Anna.").count()).toBe(1)
    await becomes(() => badge.isVisible(), false)
  })

  visit("meet before the chatbot has said anything, when the visitor wants it so", async ({ page }) => {
    const { id } = await newChatbot()
    const asked = model.count()
    const chat = await Chat.open(page, site.page({ "data-key": id }))
    await chat.button(ASK).click()
    await chat.within.getByText("Write what it is about, and a person will answer.").waitFor()
    await chat.ask("I have lost my bag")
    await chat.within.getByText("A person will answer here soon.").first().waitFor()
    await chat.within.getByText("Delivered").waitFor()
    expect(model.count()).toBe(asked)
    await (await personOf(id)).says("Which colour?")
    await chat.within.getByText("Which colour?").first().waitFor()
  })

  visit("see what the chatbot had written when a person takes over in the middle of it", async ({ page }) => {
    const dictation = new Dictation()
    model.answers(() => dictation.answer)
    const { id } = await newChatbot()
    const chat = await Chat.open(page, site.page({ "data-key": id }))
    await chat.ask("When does the ferry sail?")
    dictation.write("The ferry sails at noon, and ")
    await chat.within.getByText("The ferry sails at noon").waitFor()
    await (await personOf(id)).says("Let me take over.")
    await chat.within.getByText("Let me take over.").first().waitFor()
    await chat.within.locator("[data-phase=stopped]").waitFor()
    dictation.write("back at six.")
    dictation.end()
    const shown = async () => {
      const texts = await chat.within.locator("article:not(.greeting)").allInnerTexts()
      return texts.map((text) => /noon, and|take over|does the ferry/.exec(text)?.[0])
    }
    const told = ["does the ferry", "noon, and", "take over"]
    await becomes(shown, told)
    await page.reload()
    await becomes(shown, told)
  })
})

const closed = { button: true, hours: { timeZone: "Europe/Berlin", weekly: [] } }

describe("a visitor who asks for a person when nobody is there", () => {
  visit("leaves a message with an e-mail address", async ({ layoutShift, page }) => {
    const { id } = await newChatbot(closed)
    const chat = await Chat.open(page, site.page({ "data-key": id }))
    await chat.button(ASK).click()
    const form = chat.within.locator("form.email")
    await form.getByText("Nobody is here right now.").waitFor()
    await inspect(page, "people-offline", chat.document)
    await form.getByPlaceholder("Write a message").fill("I have lost my bag")
    await form.getByRole("button", { name: "Send" }).click()
    await form.getByRole("alert").waitFor()
    await expectAccessible(chat.document, "an address is missing")
    await form.getByPlaceholder("E-mail address").fill("ada@example.com")
    await form.getByRole("button", { name: "Send" }).click()
    await chat.within.getByText("Thank you. We will answer by e-mail and here.").first().waitFor()
    expect(await form.count()).toBe(0)
    await photograph(page, "people-left")
    const session = await (await personOf(id)).session()
    expect(session).toMatchObject({ user_info: { email: "ada@example.com" }, handover: { owner: "people" } })
    expect(await layoutShift()).toBe(0)
  })

  visit(
    "does so on a phone, in its own language and direction",
    async ({ page }) => {
      const { id } = await newChatbot(closed)
      const chat = await Chat.open(page, site.page({ "data-key": id, "data-language": "ar" }))
      await chat.button("التحدث إلى شخص").tap()
      await chat.within.locator("form.email").waitFor()
      await photograph(page, "people-offline-arabic-phone")
      await expectAccessible(chat.document, "offline form in Arabic")
    },
    phone,
  )
})
