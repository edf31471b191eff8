import { expect } from "bun:test"
import { says } from "../lib/FakeAnthropic.ts"
import { becomes, startSuite } from "./lib/Suite.ts"
import { Chat } from "./lib/Widget.ts"

/*
 * Visitors for whom no person has come, when the chatbot has their conversation again.
 */

const { model, server, site, visit } = await startSuite()

/** A visitor who waits for a person, with a question that nobody has answered. */
const wait = async (page: Chat["page"], question: string) => {
  model.answers(() => says("At noon."))
  const { id } = await server.api.newChatbot({ name: "Harbour", settings: { handover: { button: true } } })
  const address = site.page({ "data-key": id })
  const chat = await Chat.open(page, address)
  await chat.exchange("When does the ferry sail?")
  await chat.button("Talk to a person").click()
  await chat.within.getByText("A person will answer here soon.").first().waitFor()
  await chat.ask(question)
  await chat.within.getByText("Delivered").waitFor()
  const path = `/api/external/chatbot/${id}/conversations`
  const at = `${path}/${(await server.api.get(path)).data[0].id}`
  return {
    address,
    chat,
    at,
    said: async () =>
      (await server.api.get(`${at}/messages`)).data.map(
        (one: { sender_type: string; content: string }) => `${one.sender_type}: ${one.content}`,
      ),
  }
}

visit("a visitor is told that no person answers, except while people do", async ({ page }) => {
  const { chat, at } = await wait(page, "Are cats allowed?")
  const told = () =>
    chat.composer.evaluate((field) => (field.ariaDescribedByElements ?? []).map((each) => each.textContent).join(" "))
  await becomes(told, "")
  model.answers(() => says("In a box."))
  await server.api.post(`${at}/return`)
  await becomes(told, "You are talking to an automated assistant.")
})

visit("the chatbot answers what nobody has answered, once, in both tabs", async ({ newTab, page }) => {
  const { address, at, chat, said } = await wait(page, "Are bicycles allowed?")
  const other = await Chat.open(await newTab(), address)
  await other.within.getByText("Are bicycles allowed?").waitFor()
  const asked = model.count()
  model.answers(() => says("They are."))
  await server.api.post(`${at}/return`)
  await other.within.getByText("They are.").first().waitFor()
  await page.bringToFront()
  await chat.within.getByText("They are.").first().waitFor()
  expect(model.count()).toBe(asked + 1)
  await becomes(async () => (await said()).slice(2), ["user: Are bicycles allowed?", "bot: They are."])
  for (const one of [chat, other]) expect(await one.replies.filter({ hasText: "They are." }).count()).toBe(1)
})

visit("the chatbot answers when the visitor comes back after the return", async ({ page }) => {
  const { address, at, said } = await wait(page, "Are dogs allowed?")
  await page.goto("about:blank")
  await server.api.post(`${at}/return`)
  model.answers(() => says("On a lead."))
  const again = await Chat.open(page, address)
  await again.within.getByText("On a lead.").first().waitFor()
  await becomes(async () => (await said()).slice(2), ["user: Are dogs allowed?", "bot: On a lead."])
})
