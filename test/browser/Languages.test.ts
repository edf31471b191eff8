import { expect } from "bun:test"
import { says } from "../lib/FakeAnthropic.ts"
import { signIdentity } from "../lib/Identity.ts"
import { sampleOf } from "../lib/Sample.ts"
import { becomes, inspect, startSuite } from "./lib/Suite.ts"
import { call, Chat, focused, words } from "./lib/Widget.ts"

const { model, server, site, visit } = await startSuite()
// Its page is found by the slug, which other organizations must not have.
const { id, slug } = await server.api.newChatbot({ name: "Harbour", slug: "harbour-in-many-languages" })
const languages = ["en", "de", "fr", "es", "pt", "it", "nl", "pl", "ru", "tr", "ar", "hi", "zh", "ja", "ko"]

visit(
  "the widget speaks fifteen languages, and is laid out from right to left where its language is",
  async ({ page }) => {
    model.answers(() => says("The ferry sails at noon.\n\n- from here\n\n| a | b |\n| --- | --- |\n| 1 | 2 |"))
    const placeholders = new Set<string>()
    const greetings = new Set<string>()
    const shown = [...new Set(["en", "ar", ...sampleOf(languages, 4)])]
    for (const language of shown) {
      const chat = await Chat.open(page, site.page({ "data-key": id, "data-language": language }))
      const root = await chat.document.evaluate(() => ({
        lang: document.documentElement.lang,
        dir: document.documentElement.dir || "ltr",
      }))
      expect(root).toEqual({ lang: language, dir: language === "ar" ? "rtl" : "ltr" })
      placeholders.add((await chat.composer.getAttribute("placeholder")) ?? "")
      greetings.add(await chat.within.locator(".greeting").innerText())
      if (language !== "ar") continue
      expect(await chat.composer.evaluate((field) => getComputedStyle(field).direction)).toBe("rtl")
      await chat.exchange("متى؟")
      await inspect(page, "widget-arabic", chat.document)
    }
    expect([placeholders.size, greetings.size]).toEqual([shown.length, shown.length])
  },
)

visit(
  "the widget greets and offers questions in the operator's own words, and last conversations, before anything is said",
  async ({ page }) => {
    model.answers(({ text }) => says(`You said: ${text}`))
    const { id: worded } = await server.api.newChatbot({ settings: { greeting: "Ahoy!" } })
    await server.api.patch(`/api/external/chatbot/${worded}/chat-widget`, {
      header: "Harbour",
      suggestions: ["When does the ferry sail?", "May I bring my dog?", "What is it?", "Who are you?", "Why?"],
      translations: { de: { greeting: "Moin!", header: "Hafen", suggestions: ["Wann fährt die Fähre?"] } },
    })
    const english = await Chat.open(page, site.page({ key: worded, "data-language": "en" }))
    await english.within.getByText("Ahoy!").waitFor()
    await inspect(page, "widget-home", english.document)
    await english.button("May I bring my dog?").click()
    expect(await english.reply()).toBe("You said: May I bring my dog?")
    await focused(english.document)
    // An answer is the end of them, until a new conversation, as below.
    expect(await english.within.locator(".suggestions button").count()).toBe(0)
    await page.goto(`${server.url}/chat/${worded}`)
    const own = new Chat(page, page)
    await own.composer.waitFor()
    await inspect(page, "chat-page-suggestions")
    const german = await Chat.open(page, site.page({ key: worded, "data-language": "de" }))
    await german.button("Neues Gespräch").click()
    await german.within.getByText("Moin!").waitFor()
    await german.within.getByRole("heading", { name: "Hafen" }).waitFor()
    await german.button("Wann fährt die Fähre?").waitFor()
    await german.button(/May I bring my dog/).waitFor()
    await inspect(page, "widget-home-german", german.document)
    await german.button(/May I bring my dog/).click()
    expect(await german.reply()).toBe("You said: May I bring my dog?")
  },
)

visit(
  "the widget speaks the browser's language by itself",
  async ({ page }) => {
    const chat = await Chat.open(page, site.page({ "data-key": id }))
    expect(await chat.document.evaluate(() => document.documentElement.lang)).toBe("de-AT")
  },
  { locale: "de-AT" },
)

visit(
  "the form for an e-mail address says what is wrong above its buttons, from right to left too",
  async ({ page }) => {
    const { id: gated } = await server.api.newChatbot({ settings: { isRequestUserInfoEnabled: true } })
    for (const language of ["ar", "ja"]) {
      const chat = await Chat.open(page, site.page({ key: gated, "data-language": language }))
      await chat.ask("؟")
      await chat.within.getByRole("textbox").first().fill("x")
      const submit = chat.within.locator("form.email button[type=submit]")
      await submit.click()
      const error = await chat.within.getByRole("alert").boundingBox()
      const button = await submit.boundingBox()
      expect((error?.y ?? 0) + (error?.height ?? 0)).toBeLessThanOrEqual(button?.y ?? 0)
      await inspect(page, `widget-email-${language}`, chat.document)
      await call(page, "reset")
    }
  },
)

visit("a public chatbot has a page of its own", async ({ page }) => {
  model.answers(() => says("At noon."))
  await page.goto(`${server.url}/chat/${slug}`)
  const chat = new Chat(page, page)
  await chat.composer.waitFor()
  await inspect(page, "chat-page-home")
  expect(await chat.exchange("When?")).toBe("At noon.")
  // The title stands above the conversation.
  const [title, greeting] = await Promise.all(
    [page.getByRole("heading"), page.locator(".greeting")].map((element) => element.boundingBox()),
  )
  expect(Math.abs((title?.x ?? 0) - (greeting?.x ?? 0))).toBeLessThan(2)
  await inspect(page, "chat-page")
  await page.reload()
  expect(await chat.reply()).toBe("At noon.")
})

visit("any colours that an operator chooses can be read", async ({ page }) => {
  model.answers(() => says("At noon, see [here](https://parley.example)."))
  for (const [primaryColor, secondaryColor] of [
    ["#ffff00", "#ffffff"],
    ["#777777", "#808080"],
    ["#000000", "#ff0000"],
  ] as const) {
    const { id: coloured } = await server.api.newChatbot({
      settings: { snippet: { primaryColor, secondaryColor, header: "Colours" } },
    })
    const chat = await Chat.open(page, site.page({ "data-key": coloured }))
    await chat.exchange("When?")
    await inspect(page, `widget-colours-${primaryColor}`, chat.document)
  }
})

visit("a visitor whom the customer's server has signed is known, and keeps what was said before", async ({ page }) => {
  model.answers(() => says("At noon."))
  const { id: known } = await server.api.newChatbot()
  const made = await server.api.post(`/api/external/chatbot/${known}/identity-secrets`)
  const claims = { aud: known, sub: "ada", email: "ada@parley.example", exp: Math.floor(Date.now() / 1_000) + 600 }
  const jwt = signIdentity(made.secret, claims)
  const chat = await Chat.open(page, site.page({ "data-key": known }))
  await chat.exchange("Before")
  await page.evaluate(() => {
    Object.assign(window, { told: [] })
    if (window.Parley !== undefined && "on" in window.Parley) {
      window.Parley.on("identified", () => Reflect.get(window, "told").push("identified"))
      window.Parley.on("error", () => Reflect.get(window, "told").push("error"))
    }
  })
  await call(page, "identify", jwt)
  await page.waitForFunction(() => Reflect.get(window, "told").length > 0)
  expect(await page.evaluate(() => Reflect.get(window, "told"))).toEqual(["identified"])
  await chat.exchange("After", 2)
  await becomes(
    async () => (await server.api.messages(known)).map(({ content }) => words(content)),
    ["Before", "At noon.", "After", "At noon."],
  )
})
