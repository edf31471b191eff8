import { describe, expect } from "bun:test"
import type { Locator } from "playwright-core"
import type { Parley } from "../../src/web/widget/loader/Parley.ts"
import { calls, says } from "../lib/FakeAnthropic.ts"
import { signIdentity } from "../lib/Identity.ts"
import { Dictation, paced } from "./lib/Model.ts"
import { becomes, expectAccessible, inspect, startSuite } from "./lib/Suite.ts"
import { phone, photograph, until } from "./lib/Visit.ts"
import { call, Chat, focused, inFrame, launcher, words } from "./lib/Widget.ts"

const { model, server, site, visit } = await startSuite()
const { id } = await server.api.newChatbot({ name: "Harbour" })
const address = site.page({ "data-key": id })
const storedKeys = () => Object.keys(localStorage)
const answer = "The ferry to the islands sails at noon. It comes back at six. ".repeat(4).trim()

describe("a visitor", () => {
  visit("asks, reads the reply as it comes, and finds it again after a reload and in another tab", async (visited) => {
    const { layoutShift, newTab, page } = visited
    const dictation = new Dictation()
    model.answers(() => dictation.answer)
    const chat = await Chat.open(page, address)
    expect(await page.evaluate(storedKeys)).toEqual([])
    await chat.ask("When does the ferry sail?")
    await chat.within.getByText("When does the ferry sail?").waitFor()
    dictation.write("The ferry sails at **noon")
    await chat.within.getByText("The ferry sails at").waitFor()
    await photograph(page, "widget-streaming")
    await expectAccessible(chat.document, "streaming")
    dictation.write("** today.\n\n| from | at |\n| --- | --- |\n| here | 12 |\n\n```js\nsail()\n```\n")
    dictation.end()
    expect(await chat.reply()).toBe("The ferry sails at noon today. from at here 12 js Copy sail()")
    await becomes(() => page.evaluate(storedKeys), [`parley:${id}`])
    await inspect(page, "widget-reply", chat.document)
    expect(await layoutShift()).toBe(0)

    // The chat is still open after a reload, and not in another tab.
    await page.reload()
    expect(await chat.reply()).toContain("The ferry sails at noon today.")
    await becomes(() => launcher(page).getAttribute("aria-expanded"), "true")
    await call(page, "close")
    await page.reload()
    await becomes(() => launcher(page).getAttribute("aria-expanded"), "false")
    const tab = await newTab()
    await tab.goto(address)
    await becomes(() => launcher(tab).getAttribute("aria-expanded"), "false")
    expect(await (await Chat.open(tab, address)).reply()).toContain("The ferry sails at noon today.")
  })

  visit(
    "goes on when the page says anew who it is, once what vouched for it holds no longer",
    async ({ expects, page }) => {
      expects(/status of 401/)
      model.answers(() => says("At noon."))
      const bot = await server.api.newChatbot()
      const secrets = `/api/external/chatbot/${bot.id}/identity-secrets`
      const sign = (secret: string) =>
        signIdentity(secret, { aud: bot.id, sub: "user-7", exp: Math.floor(Date.now() / 1_000) + 600 })
      const first = await server.api.post(secrets)
      const chat = await Chat.open(page, site.page({ "data-key": bot.id }))
      await call(page, "identify", sign(first.secret))
      await chat.exchange("When does the ferry sail?")
      // What the server remembers of a secret holds for a moment.
      const { token } = await server.api.post("/api/widget/sessions", { key: bot.id, identity: sign(first.secret) })
      const headers = { authorization: `Bearer ${token}` }
      await server.api.delete(`${secrets}/${first.identity_secret.id}`)
      await until(async () => (await fetch(`${server.url}/api/widget/conversations`, { headers })).status === 401)
      const told = page.evaluate(
        () => new Promise((resolve) => void (window.Parley as Parley).on("error", (detail) => resolve(detail))),
      )
      await chat.ask("And back?")
      expect(await told).toEqual({ kind: "identity" })
      const { secret } = await server.api.post(secrets)
      await call(page, "identify", sign(secret))
      await chat.button("Try again").click()
      expect(await chat.reply(2)).toBe("At noon.")
    },
  )

  visit("stops a reply, keeps what there is of it, and has it made again", async ({ page }) => {
    const dictation = new Dictation()
    model.answers(() => dictation.answer)
    const chat = await Chat.open(page, address)
    await chat.ask("Tell me everything")
    dictation.write("It all began")
    await chat.within.getByText("It all began").waitFor()
    await chat.button("Stop").click()
    expect(await chat.reply()).toBe("It all began")
    await chat.within.getByText("Stopped").waitFor()
    await inspect(page, "widget-stopped", chat.document)
    model.answers(() => says("It began at noon."))
    await chat.button("Ask again").click()
    await chat.within.locator("article").getByText("It began at noon.").waitFor()
    expect(await chat.replies.count()).toBe(1)
    dictation.end()
    await Chat.open(page, address)
    expect(await chat.reply()).toBe("It began at noon.")
    expect(await chat.replies.count()).toBe(1)
  })

  visit(
    "sees what the chatbot searches for, and opens the passage of a source with the quote marked",
    async ({ page }) => {
      const { id: taught } = await server.api.newChatbot({ settings: { model: "local/extractive" } })
      await server.api.learn(taught, {
        "ferry.md":
          "# The ferry\n\nThe ferry to the islands sails at noon. Bring your own bread.\n\n## Prices\n\nA crossing costs four crowns.",
      })
      const chat = await Chat.open(page, site.page({ "data-key": taught }))
      await chat.exchange("When does the ferry to the islands sail?")
      const sources = chat.within.getByRole("list", { name: "Sources" }).getByRole("button")
      const source = sources.first()
      await source.waitFor()
      expect(await sources.count()).toBe(1)
      await inspect(page, "widget-sources", chat.document)
      await source.click()
      const dialog = chat.within.getByRole("dialog")
      await dialog.getByRole("heading", { name: "The ferry", level: 2 }).nth(1).waitFor()
      expect(await dialog.getByText("#").count()).toBe(0)
      const marked = () => chat.document.evaluate(() => Array.from(CSS.highlights.get("match") ?? [], String).join())
      await until(async () => (await marked()).includes("sails at noon"))
      await inspect(page, "widget-passage", chat.document)
      await page.keyboard.press("Escape")
      await dialog.waitFor({ state: "detached" })
      await becomes(() => source.evaluate((button) => button === document.activeElement), true)
    },
  )

  visit("is told what the chatbot is doing before it writes", async ({ page }) => {
    const { id: taught } = await server.api.newChatbot()
    await server.api.learn(taught, { "ferry.md": "The ferry to the islands sails at noon." })
    const dictation = new Dictation()
    model.answers(({ body }) => (body.messages.length === 1 ? calls("ferry times") : dictation.answer))
    const chat = await Chat.open(page, site.page({ "data-key": taught }))
    await chat.ask("When?")
    await chat.within.getByText("Searching for “ferry times”…").waitFor()
    await photograph(page, "widget-searching")
    dictation.write("At noon")
    await chat.within.getByText("At noon").waitFor()
    expect(await chat.within.getByText("Searching for").count()).toBe(0)
    dictation.write(", and at six.")
    dictation.end()
    expect(await chat.reply()).toBe("At noon, and at six.")
  })

  visit("reads code in colours and formulas, which are loaded when there are some", async ({ page }) => {
    const loaded: Array<string> = []
    page.on("request", (request) => loaded.push(new URL(request.url()).pathname))
    const loads = (name: string) => loaded.some((path) => path.includes(`/${name}`))
    model.answers(() => says("It is *plain*."))
    const { id: learned } = await server.api.newChatbot()
    const chat = await Chat.open(page, site.page({ "data-key": learned }))
    await chat.exchange("When?")
    expect([loads("Colored"), loads("temml")]).toEqual([false, false])
    const rows = Array.from(
      { length: 3 },
      (_, row) => `| ${Array.from({ length: 9 }, (_, column) => `cell ${row} ${column}`).join(" | ")} |`,
    )
    const table = [`| ${"Column | ".repeat(9)}`, `|${" --- |".repeat(9)}`, ...rows].join("\n")
    model.answers(() =>
      says(
        `Energy is $E = mc^2$.\n\n$$\n\\int_0^1 x^2\\,dx = \\frac{1}{3}\n$$\n\n\`\`\`js\n// The next ferry\nconst ferry = await sail("noon", { islands: 3, isReturning: true, passengers: ["Ada", "Grace"] })\n\`\`\`\n\n${table}`,
      ),
    )
    await chat.exchange("And the energy?", 2)
    await chat.within.locator("math").nth(1).waitFor()
    expect(await chat.within.locator("math").first().textContent()).toContain("E")
    await chat.within.locator(".code-keyword").first().waitFor()
    await until(async () =>
      (await chat.within.locator("pre code").innerText()).includes('const ferry = await sail("noon"'),
    )
    expect([loads("Colored"), loads("temml")]).toEqual([true, true])
    await inspect(page, "widget-code", chat.document)
  })

  visit("rates a reply with a comment, takes it back, and copies it", async ({ context, page }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"])
    model.answers(() => says(answer))
    const { id: rated } = await server.api.newChatbot()
    const chat = await Chat.open(page, site.page({ "data-key": rated }))
    await chat.exchange("When?")
    await chat.button("Copy").click()
    await chat.button("Copied").waitFor()
    await chat.button("Not helpful").click()
    const comment = chat.within.getByRole("textbox", { name: /better/ })
    await comment.fill("It sails at one.")
    await inspect(page, "widget-rating", chat.document)
    await chat.button("Submit").click()
    await chat.within.getByText("Thank you for your feedback.").waitFor()
    const rating = async () =>
      (await server.api.get(`/api/external/conversations/feedback?chatbot_id=${rated}`).catch(() => undefined)) ??
      (await server.api.messages(rated)).map((message) => Reflect.get(message, "feedback")).filter(Boolean)
    await until(async () => JSON.stringify(await rating()).includes("It sails at one."))
    const again = await Chat.open(page, page.url())
    await again.reply()
    await becomes(() => again.button("Not helpful").getAttribute("aria-pressed"), "true")
  })

  visit(
    "begins new conversations, goes back to old ones, takes one home, and deletes one and all",
    async ({ page }) => {
      model.answers(({ text }) => says(`You said: ${text}`))
      const { id: own } = await server.api.newChatbot()
      const chat = await Chat.open(page, site.page({ "data-key": own }))
      await chat.exchange("First words")
      await chat.button("New conversation").click()
      await chat.exchange("Second words")
      await chat.button("Conversations").click()
      const dialog = chat.within.getByRole("dialog")
      await dialog.getByRole("button", { name: /^First words/ }).waitFor()
      await dialog.getByRole("button", { name: /^Second words/ }).waitFor()
      await inspect(page, "widget-conversations", chat.document)
      const download = page.waitForEvent("download")
      await dialog.getByRole("button", { name: "Download: First words" }).click()
      const saved = await Bun.file(await (await download).path()).text()
      expect(saved).toContain("You said: First words")
      await dialog.getByRole("button", { name: "Delete: Second words" }).click()
      await inspect(page, "widget-delete", chat.document)
      await dialog.getByRole("button", { name: "Delete", exact: true }).click()
      await dialog.getByRole("button", { name: /^Second words/ }).waitFor({ state: "detached" })
      await becomes(
        async () => (await server.api.messages(own)).map(({ content }) => content),
        ["First words", "You said: First words"],
      )
      await dialog
        .getByRole("button", { name: /First words/ })
        .first()
        .click()
      expect(await chat.reply()).toBe("You said: First words")
      await chat.button("Conversations").click()
      await chat.button("Delete all").click()
      await dialog.getByRole("button", { name: "Delete", exact: true }).click()
      await dialog.getByText("No conversations yet.").waitFor()
      await becomes(() => server.api.messages(own), [])
      await becomes(() => page.evaluate(storedKeys), [])
    },
  )

  visit("leaves an e-mail address where the chatbot asks for one, or declines", async ({ page }) => {
    model.answers(() => says(answer))
    const { id: gated } = await server.api.newChatbot({ settings: { isRequestUserInfoEnabled: true } })
    const chat = await Chat.open(page, site.page({ "data-key": gated }))
    await chat.ask("When does it sail?")
    const email = chat.within.getByRole("textbox", { name: /e-mail address/ })
    await email.fill("no address")
    await chat.button("Continue").click()
    await chat.within.getByRole("alert").getByText("Please enter an e-mail address").waitFor()
    await becomes(() => email.evaluate((input) => input.matches(":invalid") && input === document.activeElement), true)
    await inspect(page, "widget-email", chat.document)
    await email.fill("ada@parley.example")
    await chat.button("Continue").click()
    expect(await chat.reply()).toBe(answer)
    const { data } = await server.api.get(`/api/external/chatbot/${gated}/conversations`)
    expect(JSON.stringify(data)).toContain("ada@parley.example")
    await call(page, "reset")
    await chat.ask("Again?")
    await chat.button("No thanks").click()
    expect(await chat.reply()).toBe(answer)
  })

  visit("asks by the page's button, and is another visitor after a reset", async ({ page }) => {
    model.answers(({ text }) => says(`You said: ${text}`))
    await page.goto(address)
    await call(page, "ask", "Do you hear me?")
    const chat = new Chat(page)
    expect(await chat.reply()).toBe("You said: Do you hear me?")
    const before = await page.evaluate((name) => localStorage.getItem(name), `parley:${id}`)
    await call(page, "reset")
    await chat.replies.waitFor({ state: "detached" })
    await becomes(() => page.evaluate(storedKeys), [])
    await chat.exchange("And now?")
    const after = await page.evaluate((name) => localStorage.getItem(name), `parley:${id}`)
    expect(JSON.parse(after ?? "{}").secret).not.toBe(JSON.parse(before ?? "{}").secret)
  })

  visit("uses the keyboard alone, from the launcher and back", async ({ page }) => {
    model.answers(() => says(answer))
    await page.goto(address)
    await launcher(page).waitFor()
    await page.keyboard.press("Tab")
    expect(await launcher(page).evaluate((button: Element) => button.matches(":focus-visible"))).toBe(true)
    await page.keyboard.press("Enter")
    const chat = new Chat(page)
    await chat.composer.waitFor()
    await focused(chat.document)
    await page.keyboard.type("When?")
    await page.keyboard.press("Enter")
    await chat.reply()
    const reached = new Set<string>()
    for (let tab = 0; tab < 14; tab += 1) {
      await page.keyboard.press("Shift+Tab")
      const name = await chat.document.evaluate(() => document.activeElement?.textContent ?? "")
      reached.add(words(name))
    }
    for (const name of ["Copy", "Helpful", "Not helpful", "Ask again", "Close", "New conversation"]) {
      expect(Array.from(reached)).toContain(name)
    }
    // So many steps back may lead out of the frame.
    await chat.composer.focus()
    await focused(chat.document)
    await page.keyboard.press("Escape")
    await page.waitForFunction(() => document.activeElement?.shadowRoot?.activeElement?.tagName === "BUTTON")
  })

  visit("hears a reply once, when it is finished", async ({ page }) => {
    model.answers(() => paced(answer, 6, 5))
    const chat = await Chat.open(page, address)
    await chat.document.evaluate(() => {
      const heard: Array<string> = []
      Object.assign(window, { heard })
      new MutationObserver((changes) => {
        for (const { target } of changes) {
          const element = target instanceof Element ? target : target.parentElement
          const live = element?.closest("[aria-live], [role=status], [role=alert], [role=log]")
          if (live && live.textContent !== "") heard.push(live.textContent ?? "")
        }
      }).observe(document, { subtree: true, childList: true, characterData: true })
    })
    await chat.exchange("When?")
    // Whatever else is to be heard of this reply comes before the next one.
    model.answers(() => says("At six."))
    await chat.exchange("And back?", 2)
    const heard = async (): Promise<ReadonlyArray<string>> =>
      Array.from(new Set<string>(await chat.document.evaluate(() => Reflect.get(window, "heard"))), words)
    await until(async () => (await heard()).some((text) => text.includes("At six.")))
    expect(await heard()).toEqual([expect.stringContaining(answer), expect.stringContaining("At six.")])
  })

  visit("reads on undisturbed when it has scrolled up, and is taken along at the end", async ({ page }) => {
    const dictation = new Dictation()
    model.answers(() => dictation.answer)
    const chat = await Chat.open(page, address)
    await chat.ask("Everything, please")
    dictation.write("A line of the answer.\n\n".repeat(40))
    await chat.within.getByText("A line of the answer.").nth(39).waitFor()
    const scroller = chat.within.getByRole("region", { name: "Conversation" })
    const distance = () => scroller.evaluate((box) => Math.round(box.scrollHeight - box.scrollTop - box.clientHeight))
    const isAtEnd = async () => (await distance()) < 4
    await until(isAtEnd)
    await scroller.hover()
    await page.mouse.wheel(0, -400)
    await until(async () => (await distance()) >= 399)
    const at = await scroller.evaluate((box) => box.scrollTop)
    dictation.write("One more line.\n\n".repeat(20))
    await chat.within.getByText("One more line.").nth(19).waitFor()
    expect(await scroller.evaluate((box) => box.scrollTop)).toBe(at)
    await chat.button("New messages").click()
    await until(isAtEnd)
    dictation.write("The last line.")
    dictation.end()
    await chat.reply()
    await until(isAtEnd)
  })
})

visit(
  "on a phone, the composer stays above the keyboard and nothing is wider than the screen",
  async ({ page }) => {
    model.answers(() =>
      says(
        `${answer}\n\n\`\`\`\n${"x".repeat(300)}\n\`\`\`\n\n| ${"a | ".repeat(30)}\n|${" --- |".repeat(30)}\n| ${"b | ".repeat(30)}`,
      ),
    )
    await page.goto(address)
    await launcher(page).tap()
    const chat = new Chat(page)
    await chat.composer.waitFor()
    await chat.exchange("When?")
    expect(await chat.document.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
    await photograph(page, "widget-phone-wide")
    // A keyboard takes the lower part of what is seen, and leaves the page's own height.
    const keyboard = await page.evaluate(() => {
      const seen = window.visualViewport
      if (seen === null) throw new Error("There is no visual viewport")
      Object.defineProperty(seen, "height", { value: 500, configurable: true })
      seen.dispatchEvent(new Event("resize"))
      return seen.height
    })
    const bottomOf = async (element: Locator) => {
      const box = await element.boundingBox()
      return box === null ? Infinity : box.y + box.height
    }
    await until(async () => (await bottomOf(page.locator("iframe"))) <= keyboard)
    await until(async () => (await bottomOf(chat.composer)) <= keyboard)
    await photograph(page, "widget-phone-keyboard")
  },
  phone,
)

visit("the inline chat talks like the other", async ({ page }) => {
  model.answers(() => says(answer))
  await page.goto(
    site.page({ "data-key": id, "data-target": "#chat" }, '<h1>Ask</h1><div id="chat" class="room"></div>'),
  )
  await inFrame(page).locator("textarea").waitFor()
  const chat = new Chat(page)
  expect(await chat.exchange("When?")).toBe(answer)
  expect(await chat.button("Close").count()).toBe(0)
  await inspect(page, "widget-inline", chat.document)
})

visit(
  "the way to a person is in line with the composer, and its form comes into view from anywhere",
  async ({ page }) => {
    const row = `| ${"a long cell | ".repeat(9)}`
    model.answers(() => says(`${answer}\n\n${row}\n|${" --- |".repeat(9)}\n${row}\n\n${`${answer}\n\n`.repeat(4)}`))
    const settings = { handover: { button: true, hours: { timeZone: "Europe/Berlin", weekly: [] } } }
    const { id: closed } = await server.api.newChatbot({ name: "Night", is_public: true, settings })
    const chat = await Chat.open(page, site.page({ "data-key": closed }))
    await chat.exchange("When does the ferry sail?")
    const person = chat.button("Talk to a person")
    const edges = [person, chat.within.locator(".composer")].map(async (part) => (await part.boundingBox())?.x)
    const [edge, other] = await Promise.all(edges)
    expect(edge).toBe(other ?? Number.NaN)
    // Nothing black lies at the edge of a wide table.
    const shades = await chat.within.locator(".table").evaluate((table) => getComputedStyle(table).backgroundImage)
    expect(shades).not.toContain("rgba(0, 0, 0, 0.")
    await chat.within.locator(".scroller").evaluate((scroller) => (scroller.scrollTop = 0))
    await chat.within.getByText("New messages").waitFor({ state: "detached" })
    await person.click()
    const form = chat.within.locator("form.email")
    await form.waitFor()
    const isSeen = (part: Element) => {
      const { bottom, top } = part.getBoundingClientRect()
      const view = part.closest(".scroller")?.getBoundingClientRect()
      return view !== undefined && top >= view.top && bottom <= view.bottom
    }
    await becomes(() => form.evaluate(isSeen), true)
    await inspect(page, "widget-away", chat.document)
  },
  { colorScheme: "dark", viewport: { width: 480, height: 520 } },
)
