import { afterAll, expect } from "bun:test"
import { becomes, goingOn, inspect, startSuite } from "./lib/Suite.ts"
import { signInPerson } from "./lib/People.ts"
import { photograph, until } from "./lib/Visit.ts"
import { Chat } from "./lib/Widget.ts"

const { open, server, site } = await startSuite()
const origin = server.url.replace("127.0.0.1", "localhost")
const { id } = await server.api.newChatbot({
  name: "Harbour",
  settings: { model: "local/extractive", handover: { button: true, tool: true } },
})
await server.api.learn(id, {
  "ferry.md":
    "# The ferry\n\nThe ferry to the islands sails at noon.\n\n# Refunds\n\nA crossing that is cancelled is paid back within three days.",
})

const agent = await open({ origins: [origin] })
const visitor = await open()
const bot = await open({ origins: [origin] })
afterAll(() => Promise.all([agent.context.close(), visitor.context.close(), bot.context.close()]))
const story = goingOn(agent)
const { page } = agent
const answer = page.getByRole("textbox", { name: "Answer to the visitor" })
const thread = page.getByRole("region", { name: "Conversation", exact: true })
let chat: Chat

story("a visitor who needs a human gets one, who reads, notes, answers and gives back", async () => {
  await signInPerson(page, server.api, origin, "Ada Lovelace")
  await page.goto(`${origin}/console/inbox`)
  await page.getByText("Nobody is waiting").waitFor()
  await inspect(page, "inbox-empty")

  chat = await Chat.open(visitor.page, site.page({ "data-key": id }))
  await chat.exchange("When does the ferry sail?")
  await chat.ask("I need a human")

  // The agent is told, opens the conversation and writes.
  await page.getByRole("link", { name: "Inbox 1 waiting" }).waitFor()
  await becomes(() => page.title(), "(1) Inbox · Parley")
  await page.getByRole("link", { name: /When does the ferry sail\?/ }).click()
  await thread.getByText("The chatbot asked for a person").waitFor()
  // What nobody has is not given away beside what is taken over.
  expect(await page.getByRole("button", { name: "Give back to the chatbot" }).count()).toBe(0)
  await page.getByRole("button", { name: "Take over" }).click()
  // The list goes on with what the agent looks after, and says what that is.
  await becomes(() => page.getByRole("button", { name: "Mine 1" }).getAttribute("aria-pressed"), "true")
  await page.getByRole("list", { name: "Conversations" }).locator('[aria-current="true"]').waitFor()
  await page.getByRole("link", { name: "Inbox 1 yours" }).waitFor()
  await answer.pressSequentially("Hello, this is ")
  await chat.within.getByText("Ada Lovelace is writing …").waitFor()
  await photograph(visitor.page, "inbox-visitor-sees-writing")
  await answer.pressSequentially("Ada.")
  await answer.press("Control+Enter")
  await chat.within.getByText("Hello, this is Ada.").first().waitFor()
  await thread.getByText("Hello, this is Ada.").waitFor()
  // Both sides see who has joined.
  await chat.within.locator("main").getByText("Ada Lovelace answers you now.").waitFor()
  await thread.getByText(/^Ada Lovelace took over/).waitFor()
  await inspect(page, "inbox-taken")
  await inspect(visitor.page, "inbox-visitor-answered", chat.document)

  // The visitor answers, and the agent sees it being written.
  await chat.composer.pressSequentially("My crossing was ")
  await thread.getByText(/is writing…/).waitFor()
  await chat.composer.pressSequentially("cancelled. How long do refunds take?")
  await chat.composer.press("Enter")
  await thread.getByText("My crossing was cancelled. How long do refunds take?", { exact: true }).waitFor()
  await thread.getByText(/Read by the visitor/).waitFor({ state: "detached" })

  // A note, which the visitor never sees.
  await page.getByRole("button", { name: "Note", exact: true }).click()
  await page.getByRole("textbox", { name: "Note for colleagues" }).fill("Cancelled because of the storm.")
  await inspect(page, "inbox-note")
  await page.getByRole("button", { name: "Add note" }).click()
  await thread.getByText("Cancelled because of the storm.").waitFor()

  await answer.fill("Within three days.")
  await page.getByRole("button", { name: "Send", exact: true }).click()
  await chat.within.getByText("Within three days.").first().waitFor()
  expect(await chat.within.getByText("storm").count()).toBe(0)

  // Who comes back while nobody waits begins with what is theirs.
  const address = page.url()
  await page.goto(`${origin}/console/inbox`)
  await becomes(() => page.getByRole("button", { name: "Mine 1" }).getAttribute("aria-pressed"), "true")
  await page.goto(address)

  // Back to the bot.
  await page.getByRole("button", { name: "Give back to the chatbot" }).click()
  await thread.getByText("Given back to the chatbot by Ada Lovelace").waitFor()
  await chat.ask("When does the ferry sail?")
  await until(async () => (await chat.within.getByText("sails at noon").count()) >= 2)
  const replies = thread.locator(".thread > .bot")
  await until(async () => (await replies.count()) === 3)
  await replies.last().getByText("sails at noon").first().waitFor()
  await chat.within.locator("main").getByText("The assistant answers again.").waitFor()
  // The team and its chatbot stand on one side, the visitor on the other; times are told from now.
  const endOf = (side: string) =>
    thread
      .locator(`.thread > .${side}`)
      .last()
      .evaluate((item) => item.getBoundingClientRect().right)
  expect(await endOf("agent")).toBe(await endOf("bot"))
  expect(await endOf("user")).toBeLessThan(await endOf("agent"))
  const time = replies.last().locator("time")
  expect(await time.innerText()).toMatch(/now|ago/)
  expect(await time.getAttribute("title")).toContain(":")
  // What made a reply is one line until somebody asks for it.
  expect(await replies.last().getByText("local/extractive").isVisible()).toBe(false)
  await replies.last().getByText("Details", { exact: true }).click()
  await replies
    .last()
    .getByText(/^local\/extractive · [\d,]+ tokens$/)
    .waitFor()
  await inspect(page, "inbox-returned")
  await inspect(visitor.page, "inbox-visitor-returned", chat.document)
  expect(visitor.problems()).toEqual([])
})
