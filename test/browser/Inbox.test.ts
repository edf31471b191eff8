import { afterAll, expect } from "bun:test"
import { signIdentity } from "../lib/Identity.ts"
import { becomes, goingOn, inspect, startSuite } from "./lib/Suite.ts"
import { desktop, photograph, until } from "./lib/Visit.ts"

const { open, server } = await startSuite()
const signedIn = await open()
const onScreen = goingOn(signedIn)
afterAll(() => signedIn.context.close())

const { page } = signedIn
const { id } = await server.api.newChatbot({ name: "Harbour", settings: { model: "local/extractive" } })
await server.api.learn(id, {
  "refunds.md": "# Refunds\n\nA crossing that is cancelled is paid back within three days.",
})
const conversations = `/api/external/chatbot/${id}/conversations`
await server.api.post(`/api/external/chatbot/${id}/canned-answers`, {
  shortcut: "hours",
  content: "We open at **nine**.",
})

const thread = page.getByRole("region", { name: "Conversation", exact: true })
const answer = page.getByRole("textbox", { name: "Answer to the visitor" })
const list = page.getByRole("list", { name: "Conversations" })

let night = ""

/** Asks as a visitor and hands the conversation over; returns the session's id. */
const handedOver = async (content: string): Promise<string> => {
  const messages = [{ role: "user", content }]
  const { session_id } = await server.api.post(`/api/external/chatbot/${id}/chat`, { messages })
  await server.api.post(`${conversations}/${session_id}/handover`, { assignee: null })
  return session_id
}

onScreen(
  "the inbox tells who waits as soon as they do, in the navigation and the title of the window",
  async (visit) => {
    visit.expects(/status of 40[14]/)
    await page.goto(`${server.url}/console/inbox`)
    await page.getByLabel("API key").fill(server.api.key)
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByText("Nobody is waiting").waitFor()
    await inspect(page, "inbox-empty")
    await handedOver("How long do refunds take?")
    await page.getByRole("link", { name: "Inbox 1 waiting" }).waitFor()
    await list.getByText(/^Waiting/).waitFor()
    await until(async () => (await page.title()) === "(1) Inbox · Parley")
  },
)

onScreen("a person answers by keys, with a canned answer, a note and a draft, and gives back", async () => {
  await page.keyboard.press("j")
  await thread.getByText("A person was asked for").waitFor()
  await page.keyboard.press("r")
  await page.keyboard.type("/ho")
  await page.getByRole("list", { name: "Canned answers" }).getByText("/hours").waitFor()
  await inspect(page, "inbox-canned")
  await page.keyboard.press("Enter")
  await becomes(() => answer.inputValue(), "We open at **nine**.")
  await page.keyboard.press("Control+Enter")
  await thread.getByText("We open at nine.").waitFor()
  await page.getByText("Nobody is waiting").waitFor()
  await until(async () => !(await page.title()).includes("(1)"))

  await page.keyboard.press("Escape")
  await page.keyboard.press("n")
  await page.keyboard.type("The storm again.")
  await inspect(page, "inbox-note")
  await page.keyboard.press("Control+Enter")
  await thread.getByText("Visitors never see it.").waitFor()

  await page.getByRole("button", { name: "Draft", exact: true }).click()
  await page.getByText("Drafted from 1 source").click()
  await page.getByText("refunds.md").or(page.getByText("Refunds")).first().waitFor()
  await until(async () => (await answer.inputValue()).endsWith("three days."))
  await inspect(page, "inbox-draft")
  await page.getByRole("button", { name: "Send", exact: true }).click()
  await thread.getByText("three days").last().waitFor()
  await until(async () => (await answer.inputValue()) === "")

  const tags = page.getByRole("textbox", { name: "Tags" })
  await tags.fill("refund, storm")
  await tags.press("Enter")
  await page.getByRole("button", { name: "Open 1" }).click()
  await list.getByText("#refund").waitFor()
  await page.getByRole("button", { name: "Give back to the chatbot" }).click()
  await thread.getByText("Given back to the chatbot").waitFor()
  await page.getByText("No conversations").waitFor()
})

onScreen("a person's answer becomes a question with an answer, and a test", async () => {
  await page.getByRole("button", { name: "Keep this answer" }).last().click()
  const pair = page.getByRole("dialog", { name: "Write the answer" })
  await becomes(() => pair.getByLabel("Question", { exact: true }).inputValue(), "How long do refunds take?")
  await until(async () => (await pair.getByLabel("Answer").inputValue()).includes("three days"))
  await pair.getByRole("button", { name: "Save" }).click()
  await page.getByText("Answer saved.").waitFor()
  await pair.waitFor({ state: "detached" })
  const { data } = await server.api.get(`/api/external/chatbot/${id}/tests`)
  expect(data[0].question).toBe("How long do refunds take?")
  expect(data[0].expectations.say[0].value).toContain("three days")
})

onScreen("the palette finds conversations by what was said in them", async () => {
  await page.keyboard.press("ControlOrMeta+k")
  await page.locator("dialog input:focus").waitFor()
  await page.keyboard.type("paid back")
  await page.getByRole("button", { name: "How long do refunds take? Conversation" }).waitFor()
  await inspect(page, "console-palette-conversations")
  await page.keyboard.press("Escape")
})

onScreen("a message that comes while a conversation is read is there at once, on a phone too", async () => {
  const session = (night = await handedOver("Is there a night boat?"))
  await page.goto(`${server.url}/console/inbox/${id}/${session}`)
  await thread.getByRole("heading", { name: "Is there a night boat?" }).waitFor()
  await server.api.post(`${conversations}/${session}/messages`, { content: "There is.", sender_name: "Bo" })
  await thread.getByText("There is.").waitFor()
  await thread.getByText("Bo", { exact: true }).waitFor()
  await server.api.post(`${conversations}/${session}/notes`, { text: "Ask the captain." })
  await thread.getByText("Ask the captain.").waitFor()
  await inspect(page, "inbox-thread")
})

onScreen("names of 120 characters without a blank stay within their columns, on a phone too", async () => {
  const long = "N".repeat(120)
  const bot = await server.api.newChatbot({ name: long, is_public: true, settings: { model: "local/extractive" } })
  const { secret } = await server.api.post(`/api/external/chatbot/${bot.id}/identity-secrets`)
  const exp = Math.floor(Date.now() / 1_000) + 600
  const identity = signIdentity(secret, { aud: bot.id, sub: "n", exp, name: long })
  const { token } = await server.api.post("/api/widget/sessions", { key: bot.id, identity })
  const said = await fetch(`${server.url}/api/widget/chat`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ message: { id: crypto.randomUUID(), text: long } }),
  })
  await said.text()
  const path = `/api/external/chatbot/${bot.id}/conversations`
  const { data } = await server.api.get(path)
  await server.api.post(`${path}/${data[0].id}/handover`, { assignee: null })
  await server.api.post(`${path}/${data[0].id}/messages`, { content: long, sender_name: long })
  await server.api.patch(`${path}/${data[0].id}`, { tags: [long.slice(0, 50)] })
  /** The elements of a region that stand out of it, as far as they are seen. */
  const outside = (selector: string) =>
    page.locator(selector).evaluate((region) => {
      const { right } = region.getBoundingClientRect()
      const isCut = (one: Element) => one.closest(".ellipsis, .visually-hidden, textarea, select") !== null
      const all = Array.from(region.querySelectorAll("*")).filter((one) => !isCut(one))
      return all.filter((one) => one.getBoundingClientRect().right > right + 1).map(({ outerHTML }) => outerHTML)
    })
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 800 })
    await page.goto(`${server.url}/console/inbox?show=all`)
    await list.getByText(long).first().waitFor()
    expect(await outside(".inbox-list")).toEqual([])
    await page.goto(`${server.url}/console/inbox/${bot.id}/${data[0].id}`)
    await thread.getByText(long).first().waitFor()
    expect(await outside(".inbox-thread")).toEqual([])
    await photograph(page, `inbox-long-names-${width}`)
  }
  await page.setViewportSize(desktop.viewport)
  await page.goto(`${server.url}/console/inbox/${id}/${night}`)
  await thread.getByRole("heading", { name: "Is there a night boat?" }).waitFor()
})

onScreen("an answer that is sent again, because nobody knows whether it has arrived, is stored once", async (visit) => {
  visit.expects(/Failed to load resource/)
  let lost = 0
  await page.route(/\/conversations\/[^/]+\/messages$/, async (sent) => {
    if (sent.request().method() !== "POST" || lost === 3) return sent.continue()
    lost += 1
    // The browser alone marks requests as those of the page.
    const headers = { ...(await sent.request().allHeaders()), "sec-fetch-site": "same-origin" }
    expect((await sent.fetch({ headers })).status()).toBe(201)
    await sent.abort()
  })
  await answer.fill("Twice sent.")
  await answer.press("Control+Enter")
  await page.getByText("The server cannot be reached.").waitFor()
  await page.getByRole("button", { name: "Dismiss" }).click()
  await until(async () => page.getByRole("button", { name: "Send", exact: true }).isEnabled())
  await answer.press("Control+Enter")
  await until(async () => (await answer.inputValue()) === "")
  const [, , , session] = new URL(page.url()).pathname.split("/").slice(1)
  const { data } = await server.api.get(`${conversations}/${session}/messages`)
  expect(data.filter(({ content }: { readonly content: string }) => content === "Twice sent.")).toHaveLength(1)
})

onScreen("canned answers are kept in a small dialog", async () => {
  await page.getByRole("button", { name: "Canned answers" }).click()
  await page.getByRole("button", { name: "Add canned answer" }).click()
  const dialog = page.getByRole("dialog", { name: "Add canned answer" })
  await dialog.getByLabel("Shortcut").fill("/sorry")
  await dialog.getByLabel("Text").fill("We are sorry.")
  await dialog.getByRole("button", { name: "Save" }).click()
  await page.getByRole("button", { name: "Edit /sorry" }).waitFor()
  await inspect(page, "inbox-canned-answers")
  await page.keyboard.press("Escape")
  await answer.fill("/so")
  await answer.press("Enter")
  await becomes(() => answer.inputValue(), "We are sorry.")
  await answer.fill("")
})

onScreen("what a chatbot hands over, and when people are there, is set in its settings", async () => {
  await page.goto(`${server.url}/console/chatbots/${id}`)
  await page.getByText("Handover", { exact: true }).click()
  const people = page.getByRole("group", { name: "Handover", exact: true })
  await people.getByRole("switch", { name: "Button in the widget" }).click()
  await people.getByRole("switch", { name: "Opening hours" }).click()
  await people.getByLabel("Time zone").fill("Europe/Berlin")
  await people.getByLabel("Holidays").fill("2026-12-24\n2026-12-25\n")
  await page.getByRole("button", { name: "Save", exact: true }).click()
  await page.getByText("Changes saved.").waitFor()
  await inspect(page, "inbox-settings")
  const { chatbot } = await server.api.get(`/api/external/chatbot/${id}`)
  expect(chatbot.settings.handover).toEqual({
    button: true,
    hours: {
      timeZone: "Europe/Berlin",
      weekly: [{ days: [1, 2, 3, 4, 5], from: "09:00", to: "17:00" }],
      holidays: ["2026-12-24", "2026-12-25"],
    },
  })
})

onScreen("who may only read sees what may be done, and why they may not", async ({ context, expects }) => {
  expects(/status of 401/)
  const { key } = await server.api.post("/api/admin/api-keys", { name: "Reader", scopes: ["conversations:read"] })
  const session = await handedOver("Anybody here?")
  await context.clearCookies()
  await page.goto(`${server.url}/console/inbox/${id}/${session}`)
  await page.getByLabel("API key").fill(key)
  await page.getByRole("button", { name: "Sign in" }).click()
  await page.getByText(/^You may read conversations/).waitFor()
  expect(await answer.count()).toBe(0)
  await becomes(() => page.getByRole("button", { name: "Give back to the chatbot" }).isDisabled(), true)
  await inspect(page, "inbox-reader")
})
