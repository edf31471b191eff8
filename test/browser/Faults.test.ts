import { describe, expect } from "bun:test"
import { says } from "../lib/FakeAnthropic.ts"
import { Dictation } from "./lib/Model.ts"
import { becomes, inspect, startSuite } from "./lib/Suite.ts"
import { photograph, until, type Visit } from "./lib/Visit.ts"
import { call, Chat, launcher, words } from "./lib/Widget.ts"

const { model, server, site, visit } = await startSuite()
const { id } = await server.api.newChatbot({ name: "Harbour" })
const address = site.page({ "data-key": id })
/** What a browser logs by itself of an answer that is a failure, or of a connection that is lost. */
const failedRequest = /Failed to load resource/

describe("where it may stand", () => {
  visit("a key works on the origins that it allows, and a forbidden page shows nothing", async ({ expects, page }) => {
    const { id: closed } = await server.api.newChatbot({ is_public: false })
    const here = await server.api.publishableKey(closed, [site.url])
    const elsewhere = await server.api.publishableKey(closed, ["https://elsewhere.example"])
    model.answers(() => says("At noon."))
    const chat = await Chat.open(page, site.page({ "data-key": here.key }))
    expect(await chat.exchange("When?")).toBe("At noon.")
    expects(/frame-ancestors|chrome-error|ERR_BLOCKED_BY_RESPONSE/)
    expects(failedRequest)
    await page.goto(site.page({ "data-key": elsewhere.key }))
    const refused = page.waitForEvent("console", (message) => message.text().includes("frame-ancestors"))
    await launcher(page).click()
    await refused
    expect(await page.frames().at(-1)?.locator("textarea").count()).toBe(0)
    await page.keyboard.press("Escape")
    await photograph(page, "widget-forbidden")
  })

  visit(
    "a chatbot that is not public cannot be embedded by its id, nor by a key that nobody made",
    async ({ expects, page }) => {
      expects(failedRequest)
      const { id: closed } = await server.api.newChatbot({ is_public: false })
      for (const key of [closed, "pub_7Hq2mVxT9cKd4LrYw8Zs0B3fQe1d", "../admin", "x".repeat(70)]) {
        await page.goto(site.page({ "data-key": key }))
        await launcher(page).click()
        const frame = page.frameLocator("iframe")
        await frame.locator("body:not(:empty)").waitFor()
        expect(await frame.locator("textarea").count()).toBe(0)
        expect((await frame.locator("body").innerText()).trim()).not.toBe("")
      }
      await inspect(page, "widget-unknown-key", page.frames()[1])
    },
  )
})

describe("what the visitor wrote is still there, with a calm sentence, when", () => {
  /** Asks, is answered, and asks again once the key of the chat has ended. */
  const askTwice = async ({ expects, page }: Visit, key: string, end?: () => Promise<void>) => {
    expects(failedRequest)
    model.answers(() => says("At noon."))
    const chat = await Chat.open(page, site.page({ "data-key": key }))
    await chat.exchange("When?")
    await end?.()
    await chat.ask("And back?")
    await chat.within.getByRole("alert").waitFor()
    await chat.within.getByText("And back?").waitFor()
    return chat.document
  }

  visit("its key is revoked while the chat is open", async (visited) => {
    const { id: named, key } = await server.api.publishableKey(id, [site.url])
    const document = await askTwice(visited, key, async () => {
      await server.api.delete(`/api/admin/api-keys/${named}`)
      await until(async () => (await fetch(`${server.url}/widget/${key}`)).status === 404)
    })
    await inspect(visited.page, "widget-revoked", document)
  })

  visit("its budget is spent", async (visited) => {
    const { id: named, key } = await server.api.publishableKey(id, [site.url])
    await server.api.patch(`/api/admin/api-keys/${named}`, { budget: { tokens_per_day: 1 } })
    await inspect(visited.page, "widget-budget", await askTwice(visited, key))
  })

  visit("the chatbot is deleted while it writes, or before", async ({ expects, page }) => {
    expects(failedRequest)
    const { id: doomed } = await server.api.newChatbot()
    const dictation = new Dictation()
    model.answers(() => dictation.answer)
    const chat = await Chat.open(page, site.page({ "data-key": doomed }))
    await chat.ask("When?")
    dictation.write("At noon, and")
    await chat.within.getByText("At noon, and").waitFor()
    await server.api.delete(`/api/external/chatbot/${doomed}`)
    dictation.write(" at six.")
    dictation.end()
    await chat.reply()
    await chat.ask("And then?")
    await chat.within.getByRole("alert").first().waitFor()
    await chat.within.getByText("And then?").waitFor()
    await photograph(page, "widget-deleted")
  })

  visit("the network is gone for a while", async ({ context, expects, page }) => {
    expects(failedRequest)
    model.answers(() => says("At noon."))
    const chat = await Chat.open(page, address)
    await context.setOffline(true)
    await chat.ask("When?")
    await chat.within.getByText("Connection lost. Trying again…").waitFor()
    await inspect(page, "widget-offline", chat.document)
    await context.setOffline(false)
    expect(await chat.reply()).toBe("At noon.")
    expect(await chat.within.getByText("When?").count()).toBe(1)
    await context.setOffline(true)
    await chat.ask("And back?")
    await chat.within.getByText("You are offline.").waitFor()
    await inspect(page, "widget-unsent", chat.document)
    await context.setOffline(false)
    expect(await chat.reply(2)).toBe("At noon.")
    expect(await chat.within.getByText("And back?").count()).toBe(1)
  })

  visit(
    "the network is gone while a reply is written, which then goes on where it stopped",
    async ({ context, expects, page }) => {
      expects(failedRequest)
      const dictation = new Dictation()
      model.answers(() => dictation.answer)
      const chat = await Chat.open(page, address)
      await chat.ask("When?")
      dictation.write("At noon, ")
      await chat.within.getByText("At noon,").waitFor()
      await context.setOffline(true)
      // An offline browser keeps the streams that it has open; the server ends this one as a lost connection would.
      dictation.write("at six ")
      await context.setOffline(false)
      dictation.write("and at nine.")
      dictation.end()
      expect(await chat.reply()).toBe("At noon, at six and at nine.")
    },
  )

  visit("the provider of the model fails, and it is asked again", async ({ expects, page }) => {
    expects(failedRequest)
    const { id: fragile } = await server.api.newChatbot()
    model.answers(() => ({ kind: "failure", status: 400, type: "invalid_request_error" }))
    const chat = await Chat.open(page, site.page({ "data-key": fragile }))
    await chat.ask("When?")
    await chat.within.getByRole("alert").waitFor()
    await chat.within.getByText("When?").waitFor()
    expect(await chat.button("Ask again").count()).toBe(0)
    await inspect(page, "widget-failed", chat.document)
    model.answers(() => says("At noon."))
    await chat.button("Try again").click()
    await chat.within.locator("article").getByText("At noon.").waitFor()
    expect(await chat.within.getByText("When?").count()).toBe(1)
  })

  visit("the chatbot is switched off", async ({ expects, page }) => {
    expects(failedRequest)
    const { id: off } = await server.api.newChatbot({ active: false })
    const chat = await Chat.open(page, site.page({ "data-key": off }))
    await chat.within.getByText("Chat is not available at the moment.").waitFor()
    await inspect(page, "widget-inactive", chat.document)
  })

  visit("it pastes 100 kB", async ({ page }) => {
    model.answers(() => says("At noon."))
    const chat = await Chat.open(page, address)
    await chat.composer.fill("word ".repeat(20_000))
    await chat.within.getByText(/Characters over the limit: 68,000/).waitFor()
    await inspect(page, "widget-100kb", chat.document)
    await chat.composer.press("Enter")
    expect((await chat.composer.inputValue()).length).toBe(100_000)
    await chat.composer.fill("When?")
    await chat.composer.press("Enter")
    expect(await chat.reply()).toBe("At noon.")
  })

  visit("it reloads with words that it has not sent", async ({ page }) => {
    model.answers(() => says("At noon."))
    const chat = await Chat.open(page, address)
    await chat.exchange("When?")
    await chat.composer.fill("And what about the")
    // What was typed is kept once the visitor pauses.
    await page.waitForFunction(([name, words]) => localStorage.getItem(name)?.includes(words), [
      `parley:${id}`,
      "And what about the",
    ] as const)
    await Chat.open(page, address)
    await becomes(() => chat.composer.inputValue(), "And what about the")
  })
})

visit("the chat works where the browser blocks storage, until the page is left", async ({ page }) => {
  model.answers(() => says("At noon."))
  await page.addInitScript(() => {
    const blocked = () => {
      throw new DOMException("The user denied permission to access the database.", "SecurityError")
    }
    Object.defineProperty(window, "localStorage", { get: blocked })
    Object.defineProperty(window, "sessionStorage", { get: blocked })
  })
  const chat = await Chat.open(page, address)
  expect(await chat.exchange("When?")).toBe("At noon.")
  expect(await chat.exchange("And back?", 2)).toBe("At noon.")
  await call(page, "close")
  await call(page, "open")
  expect(await chat.replies.count()).toBe(2)
})

visit("what is kept in the browser may hold anything", async ({ page }) => {
  model.answers(() => says("At noon."))
  for (const kept of [
    "5",
    "[]",
    '{"secret":7}',
    '{"secret":"short","conversation":"../../x","draft":{"a":1}}',
    "{",
    '"x"',
  ]) {
    await page.goto(site.page())
    await page.evaluate(([name, value]) => localStorage.setItem(name, value), [`parley:${id}`, kept] as const)
    const chat = await Chat.open(page, address)
    expect(await chat.exchange("When?")).toBe("At noon.")
    await page.evaluate(() => localStorage.clear())
  }
})

visit("a token that has expired or was forged is renewed without a word", async ({ expects, page }) => {
  expects(failedRequest)
  model.answers(() => says("At noon."))
  let isForged = true
  await page.route(/\/api\/widget\/sessions$/, async (route) => {
    const response = await route.fetch()
    const session = await response.json()
    await route.fulfill({
      response,
      json: isForged ? { ...session, token: `${session.token.slice(0, -4)}AAAA` } : session,
    })
    isForged = false
  })
  const chat = await Chat.open(page, address)
  expect(await chat.exchange("When?")).toBe("At noon.")
})

visit(
  "a server that is restarted while it writes leaves what there is, and answers again",
  async ({ expects, page }) => {
    expects(failedRequest)
    const dictation = new Dictation()
    model.answers(() => dictation.answer)
    const chat = await Chat.open(page, address)
    await chat.ask("When does it sail?")
    dictation.write("It sails at noon, and")
    await chat.within.getByText("It sails at noon, and").waitFor()
    // What has been said is stored now and then: what there is may be all of it or nothing.
    await server.kill()
    await server.start()
    await chat.within.locator("article[data-phase][aria-busy=false]").waitFor()
    await chat.within.getByText("When does it sail?").waitFor()
    await inspect(page, "widget-restarted", chat.document)
    model.answers(() => says("At noon, as always."))
    await chat
      .button(/Ask again|Try again/)
      .first()
      .click()
    await chat.within.locator("article").getByText("At noon, as always.").waitFor()
    dictation.end()
  },
)

visit("two tabs of one visitor share a conversation and its end", async ({ newTab, page }) => {
  model.answers(({ text }) => says(`You said: ${text}`))
  const { id: shared } = await server.api.newChatbot()
  const where = site.page({ "data-key": shared })
  const one = await Chat.open(page, where)
  await one.exchange("From the first")
  const other = await newTab()
  const two = await Chat.open(other, where)
  await two.reply()
  await two.exchange("From the second", 2)
  // As when the visitor comes back to the first tab, which a browser without a window does not tell.
  await one.document.evaluate(() => document.dispatchEvent(new Event("visibilitychange")))
  await one.message("You said: From the second").waitFor()
  for (const tab of [one, two]) {
    expect((await tab.within.locator(".bubble").allInnerTexts()).map(words)).toEqual([
      "From the first",
      "From the second",
    ])
  }
  await call(other, "reset")
  await one.replies.first().waitFor({ state: "detached" })
})

visit("a second tab that is opened while a reply is written shows the question and the reply", async (visited) => {
  const { newTab, page } = visited
  const dictation = new Dictation()
  model.answers(() => dictation.answer)
  const { id: shared } = await server.api.newChatbot()
  const where = site.page({ "data-key": shared })
  const one = await Chat.open(page, where)
  await one.ask("When does the ferry sail?")
  dictation.write("It sails at noon")
  await one.within.getByText("It sails at noon").waitFor()
  const other = await newTab()
  const two = await Chat.open(other, where)
  await two.within.locator(".bubble").getByText("When does the ferry sail?").waitFor()
  await photograph(other, "widget-second-tab")
  dictation.write(", and comes back at six.")
  dictation.end()
  expect(await one.reply()).toBe("It sails at noon, and comes back at six.")
  expect(await two.reply()).toBe("It sails at noon, and comes back at six.")
  for (const tab of [one, two])
    expect([await tab.within.locator(".bubble").count(), await tab.replies.count()]).toEqual([1, 1])
})
