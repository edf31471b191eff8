import { afterAll, beforeAll, describe, expect } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { says } from "../lib/FakeAnthropic.ts"
import { signIdentity } from "../lib/Identity.ts"
import { operatorKey } from "../lib/Spawn.ts"
import { becomes, goingOn, inspect, painted, startSuite } from "./lib/Suite.ts"
import { desktop, phone, until } from "./lib/Visit.ts"

const { model, open, server, visit } = await startSuite({
  BOOTSTRAP_API_KEY: "",
  TOOL_PRIVATE_NETWORKS: "127.0.0.1/32",
})
const link = readFileSync(join(server.dataDirectory, "first-sign-in"), "utf8").trim()
const key = readFileSync(join(server.dataDirectory, "first-api-key"), "utf8").trim()
Object.assign(server.api, { key })

const { id } = await server.api.newChatbot({ name: "Harbour" })
await server.api.learn(id, {
  "ferry.md": "# The ferry\n\nThe ferry to the islands sails at noon.\n\n## Prices\n\nA crossing costs four crowns.",
})
model.answers(() => says("The ferry sails at **noon**."))
await server.api.post(`/api/external/chatbot/${id}/chat`, {
  messages: [{ role: "user", content: "When does it sail?" }],
})
const conversations = await server.api.get(`/api/external/chatbot/${id}/conversations`)
const session: string = conversations.data[0].id
const {
  data: [, { id: reply }],
} = await server.api.get(`/api/external/chatbot/${id}/conversations/${session}/messages`)

/** Waits until nothing on a screen says that it loads. */
const settled = async (page: Page): Promise<void> => {
  await page.waitForLoadState("load")
  await page.locator("main h1").first().waitFor()
  await page.waitForFunction(() => document.querySelector("[aria-busy=true], .skeleton") === null)
  await painted(page)
}

/** Opens a screen of the console by its path, and waits until nothing on it loads. */
const show = async (page: Page, path: string): Promise<void> => {
  await page.goto(`${server.url}/console${path}`)
  await settled(page)
}

describe("signing in", () => {
  visit(
    "works by the link of the first start once, and keeps no key where scripts could read it",
    async ({ context, expects, page }) => {
      await page.goto(link)
      await page.getByRole("heading", { name: "Home" }).waitFor()
      expect(page.url()).not.toContain("sign-in")
      const [cookie] = await context.cookies()
      expect(cookie).toMatchObject({ name: "parley_console", httpOnly: true, sameSite: "Strict" })
      expect(cookie?.value).not.toContain(key)
      expect(
        await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage, cookie: document.cookie })),
      ).not.toContain(key)
      await page.reload()
      await page.getByRole("heading", { name: "Home" }).waitFor()
      await context.clearCookies()
      expects(/status of 401/)
      await page.goto("about:blank")
      await page.goto(link)
      await page.getByLabel("API key").waitFor()
      await inspect(page, "console-link-used")
    },
  )

  visit("works by a key, refuses a wrong one in words, and ends", async ({ expects, page }) => {
    expects(/status of 401/)
    await page.goto(`${server.url}/console`)
    await page.getByLabel("API key").waitFor()
    await inspect(page, "console-sign-in")
    await page.getByLabel("API key").fill(operatorKey)
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByRole("alert").waitFor()
    await inspect(page, "console-wrong-key")
    await page.getByLabel("API key").fill(key)
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByRole("heading", { name: "Home" }).waitFor()
    expect(await page.evaluate(() => fetch("/api/console/session").then((response) => response.text()))).not.toContain(
      key,
    )
  })

  visit("shows nothing that a key may not do", async ({ expects, page }) => {
    expects(/status of 401/)
    const { key: limited } = await server.api.post("/api/admin/api-keys", {
      name: "Reader",
      scopes: ["conversations:read"],
    })
    await page.goto(`${server.url}/console/conversations`)
    await page.getByLabel("API key").fill(limited)
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByRole("heading", { name: "Conversations" }).waitFor()
    for (const name of ["Chatbots", "Keys", "Organizations", "System"]) {
      expect(await page.getByRole("link", { name, exact: true }).count()).toBe(0)
    }
    await inspect(page, "console-limited")
  })
})

visit("the playground takes no questions for a key that may not see the chatbot", async ({ expects, page }) => {
  expects(/status of 40[13]/)
  const { key: limited } = await server.api.post("/api/admin/api-keys", { name: "Talker", scopes: ["chat"] })
  await page.goto(`${server.url}/console/chatbots/${id.replace(/.{4}$/, "0000")}/playground`)
  await page.getByLabel("API key").fill(limited)
  await page.getByRole("button", { name: "Sign in" }).click()
  await page.getByRole("heading", { level: 1, name: "No access" }).waitFor()
  expect(await page.getByRole("textbox").count()).toBe(0)
})

visit("names of settings are for who runs the server; others are told whom to ask", async ({ expects, page }) => {
  expects(/status of 4(?:01|22|00)/)
  const { id: quiet } = await server.api.newChatbot({ name: "Quiet" })
  const tool = { name: "near", description: "Near.", method: "GET", url: "https://example.com/" }
  await server.api.post(`/api/external/chatbot/${quiet}/tools`, { ...tool, input_schema: { type: "object" } })
  // As the server says it where a name has a private address.
  const error = "It may not be called. To allow it, set TOOL_PRIVATE_NETWORKS=10.0.0.0/8, then start Parley again."
  const trial = { is_failure: true, status: null, duration_ms: 1, request: null, result: { error } }
  await page.route("**/try", (route) => route.fulfill({ json: { trial } }))
  const scopes = ["chat", "chatbots:read", "chatbots:write", "knowledge:read", "conversations:read"]
  const { key: limited } = await server.api.post("/api/admin/api-keys", { name: "Editor", scopes })
  for (const { own, says } of [
    { own: key, says: /set \w+=.*, then start Parley again\./ },
    { own: limited, says: /ask whoever runs this server\./ },
  ]) {
    await page.goto(`${server.url}/console`)
    await page.evaluate(
      (json) =>
        fetch("/api/console/session", { method: "POST", body: json, headers: { "content-type": "application/json" } }),
      JSON.stringify({ key: own }),
    )
    await page.goto(`${server.url}/console/chatbots/${quiet}/voice`)
    await page.getByText(says).first().waitFor()
    await inspect(page, `console-voice-${own === key ? "operator" : "editor"}`)
    const texts = [await page.innerText("main")]
    await page.goto(`${server.url}/console/chatbots/${quiet}`)
    await page.getByLabel("Model", { exact: true }).fill("openai/gpt-9")
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByText(says).first().waitFor()
    texts.push(await page.innerText("main"))
    await page.getByRole("button", { name: "Discard" }).click()
    await page.goto(`${server.url}/console/chatbots/${quiet}/tools`)
    await page.getByRole("button", { name: "Test" }).click()
    await page.getByRole("button", { name: "Send request" }).click()
    await page.getByText(says).first().waitFor()
    texts.push(await page.getByRole("dialog").innerText())
    for (const text of texts) expect(/[A-Z]{3,}_[A-Z]{3,}/.test(text)).toBe(own === key)
  }
  await server.api.delete(`/api/external/chatbot/${quiet}`)
})

const signedIn = await open()
const onScreen = goingOn(signedIn)
beforeAll(async () => {
  await signedIn.page.goto(`${server.url}/console`)
  await signedIn.page.evaluate(
    (json) =>
      fetch("/api/console/session", { method: "POST", body: json, headers: { "content-type": "application/json" } }),
    JSON.stringify({ key }),
  )
})
afterAll(() => signedIn.context.close())

describe("the screen of", () => {
  const screens: Readonly<Record<string, string>> = {
    chatbots: "/",
    settings: `/chatbots/${id}`,
    knowledge: `/chatbots/${id}/knowledge`,
    playground: `/chatbots/${id}/playground`,
    compare: `/chatbots/${id}/playground/compare`,
    improve: `/chatbots/${id}/replies/${reply}`,
    topics: `/chatbots/${id}/topics`,
    tests: `/chatbots/${id}/tests`,
    tools: `/chatbots/${id}/tools`,
    widget: `/chatbots/${id}/widget`,
    inbox: "/inbox",
    "one conversation of the inbox": `/inbox/${id}/${session}`,
    conversations: "/conversations",
    conversation: `/conversations/${id}/${session}`,
    voice: `/chatbots/${id}/voice`,
    usage: "/usage",
    keys: "/keys",
    organizations: "/organizations",
    webhooks: "/webhooks",
    system: "/system",
  }
  /** The screens whose title has a link to the documentation, with the page that it leads to. */
  const documented: Readonly<Record<string, string>> = {
    settings: "guide",
    knowledge: "formats",
    topics: "answers",
    tests: "answers",
    tools: "guide",
    widget: "widget",
    voice: "voice",
    usage: "keys-and-budgets",
    keys: "keys-and-budgets",
    organizations: "keys-and-budgets",
    webhooks: "webhooks",
    system: "operations",
  }
  for (const [name, path] of Object.entries(screens)) {
    onScreen(
      `${name} opens by its address and leads to its documentation, without a fault, a request to others or anything that axe finds`,
      async ({ page }) => {
        await show(page, path)
        expect(await page.getByText("There is no such").count()).toBe(0)
        const docs = documented[name]
        if (docs !== undefined) {
          const to = page.getByRole("main").getByRole("link", { name: "Documentation" })
          const address = await to.evaluate((element) => Reflect.get(element, "href"))
          expect(address).toBe(`${server.url}/docs/${docs}`)
          expect((await fetch(address)).status).toBe(200)
        }
        await inspect(page, `console-${name}`)
      },
    )
  }
})

onScreen("on a phone, what has no column stands below the name", async ({ page }) => {
  await page.setViewportSize(phone.viewport)
  for (const [path, titles] of [
    ["/organizations", ["Documents", "Storage", "Conversations", "Tokens per day", "Retention", "Created"]],
    ["/keys", ["Permissions", "Budget", "Last used", "Expires", "Created"]],
  ] as const) {
    await show(page, path)
    const below = page.getByRole("rowheader").first().getByRole("term")
    await becomes(() => below.allInnerTexts(), [...titles])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(phone.viewport.width)
  }
  await page.setViewportSize(desktop.viewport)
  await show(page, "/keys")
  expect(await page.getByRole("rowheader").first().getByRole("term").count()).toBe(0)
})

onScreen("an address without a screen says so, and that of all chatbots shows them", async ({ expects, page }) => {
  expects(/status of 40[04]/)
  const heading = (name: string) => page.getByRole("heading", { level: 1, name, exact: true })
  await page.goto(`${server.url}/console/chatbots`)
  await heading("Chatbots").waitFor()
  await page.goto(`${server.url}/console/nowhere`)
  await heading("Page not found").waitFor()
  await inspect(page, "console-nowhere")
  for (const unknown of ["nobody", id.replace(/.{4}$/, "0000")]) {
    await page.goto(`${server.url}/console/chatbots/${unknown}/playground`)
    await heading("Chatbot not found").waitFor()
    expect(await page.getByRole("textbox").count()).toBe(0)
  }
  await inspect(page, "console-unknown-chatbot")
})

onScreen("the lists of a reply have numbers, bullets and room", async ({ page }) => {
  model.answers(() => says("1. By boat\n2. By train\n   - to the coast"))
  const name = crypto.randomUUID()
  await server.api.post(`/api/external/chatbot/${id}/chat`, {
    messages: [{ role: "user", content: "How do I get there?" }],
    sessionToken: name,
  })
  const { session: own } = await server.api.get(`/api/external/chatbot/${id}/conversations/${name}`)
  await page.goto(`${server.url}/console/conversations/${id}/${own.id}`)
  const styleOf = (list: string) =>
    page.locator(`.markdown ${list}`).evaluate((element) => {
      const { listStyleType, paddingInlineStart } = getComputedStyle(element)
      return { listStyleType, isIndented: Number.parseFloat(paddingInlineStart) > 10 }
    })
  await becomes(() => styleOf("> ol"), { listStyleType: "decimal", isIndented: true })
  await becomes(() => styleOf("ol ul"), { listStyleType: "disc", isIndented: true })
})

onScreen("conversations are told apart, read by keys, chosen together, and kept under a filter", async ({ page }) => {
  model.answers(() => says("## Refunds\n\nYou get **all** of it back:\n\n- in cash\n- by card"))
  for (const content of ["How do I get my money back?", "Is there a night boat?"])
    await server.api.post(`/api/external/chatbot/${id}/chat`, { messages: [{ role: "user", content }] })
  await show(page, "/conversations")
  const row = (title: string) =>
    page.getByRole("list", { name: "Conversations" }).getByRole("listitem").filter({ hasText: title })
  await row("How do I get my money back?")
    .getByText(/^Visitor [\dA-Z]{4}.* – Refunds – You get all of it back: in cash, by card$/)
    .waitFor()
  await server.api.post(`/api/external/chatbot/${id}/chat`, { messages: [{ role: "user", content: "Anybody here?" }] })
  await page.getByRole("button", { name: "Show new messages" }).click()
  await row("Unread: Anybody here?").waitFor()
  await inspect(page, "console-inbox")

  const title = (name: string) => page.getByRole("heading", { level: 1, name, exact: true })
  await page.keyboard.press("j")
  await title("Anybody here?").waitFor()
  await page.keyboard.press("j")
  await title("Is there a night boat?").waitFor()
  await row("Unread: Anybody here?").waitFor({ state: "detached" })
  await inspect(page, "console-inbox-thread")
  await page.keyboard.press("u")
  await row("Unread: Is there a night boat?").waitFor()
  await page.keyboard.press("x")
  await page.keyboard.press("k")
  await page.keyboard.press("x")
  await page.getByText("2 selected").waitFor()
  await inspect(page, "console-inbox-chosen")
  await page.getByRole("button", { name: "More actions for the selection" }).click()
  await page.getByRole("button", { name: "Delete…" }).click()
  await page.getByRole("dialog", { name: "Delete 2 conversations?" }).getByRole("button", { name: "Delete" }).click()
  await row("Anybody here?").waitFor({ state: "detached" })
  expect(await row("Is there a night boat?").count()).toBe(0)
  await title("Conversations").waitFor()

  await page.keyboard.press("/")
  await page.keyboard.type("money")
  await page.getByRole("button", { name: "Save filters" }).click()
  await page.getByLabel("Name", { exact: true }).fill("About money")
  await page.keyboard.press("Enter")
  await page.getByRole("button", { name: "Remove filter About money" }).waitFor()
  await page.goto(`${server.url}/console/conversations`)
  await page.getByRole("link", { name: "About money" }).click()
  await page.waitForURL(/search=money/)
})

onScreen("a prompt is compared with the saved one on the same question, and saved", async ({ page }) => {
  model.answers(({ body }) =>
    says(JSON.stringify(body).includes("in one word") ? "Noon." : "The ferry to the islands sails at **noon**, daily."),
  )
  const stored = async () => (await server.api.get(`/api/external/chatbot/${id}/conversations`)).data.length
  const before = await stored()
  await show(page, `/chatbots/${id}/playground`)
  await page.getByRole("link", { name: "Compare" }).click()
  await page.getByLabel("Instructions").fill("Answer in one word.")
  await page.getByLabel("Message").fill("When does it sail?")
  await page.keyboard.press("Enter")
  const side = (name: string) => page.getByRole("article", { name, exact: true })
  await side("Saved").getByText("sails at noon, daily").waitFor()
  await side("Variant").getByText("Noon.", { exact: true }).first().waitFor()
  await side("Variant")
    .getByText(/tokens in · /)
    .first()
    .click()
  await inspect(page, "console-compared")
  expect(await stored()).toBe(before)
  await page.getByRole("button", { name: "Save to chatbot" }).click()
  await page.getByText("Saved.").waitFor()
  const { chatbot } = await server.api.get(`/api/external/chatbot/${id}`)
  expect(chatbot.settings.prompt).toBe("Answer in one word.")
})

/** A conversation of a visitor with a signed name, begun on a page of a website. */
const askedByAda = async (text: string): Promise<string> => {
  const bot = await server.api.newChatbot({ name: "Shop", is_public: true })
  const { secret } = await server.api.post(`/api/external/chatbot/${bot.id}/identity-secrets`)
  const identity = signIdentity(secret, {
    aud: bot.id,
    sub: "ada",
    exp: Math.floor(Date.now() / 1_000) + 600,
    name: "Ada Lovelace",
    email: "ada@example.com",
  })
  const { token } = await server.api.post("/api/widget/sessions", { key: bot.id, identity })
  const said = await fetch(`${server.url}/api/widget/chat`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({
      message: { id: crypto.randomUUID(), text },
      page: { url: "https://shop.example.com/prices?cart=7", title: "Prices" },
    }),
  })
  await said.text()
  return bot.id
}

onScreen("an inbox says who asked on which page, and is emptied by closing", async ({ page }) => {
  model.answers(() => says("Wholesale starts at ten crates."))
  const bot = await askedByAda("Do you sell wholesale?")
  await show(page, "/conversations")
  const list = page.getByRole("list", { name: "Conversations" })
  const row = list.getByRole("listitem").filter({ hasText: "Do you sell wholesale?" })
  await row
    .getByText(/^Ada Lovelace/)
    .first()
    .waitFor()
  await row.getByRole("link").click()
  const heading = page.getByRole("heading", { level: 1, name: "Do you sell wholesale?" })
  await heading.waitFor()
  await page.getByText("Ada Lovelace · ada@example.com").waitFor()
  const link = page.getByRole("link", { name: "https://shop.example.com/prices", exact: true })
  expect(await link.getAttribute("rel")).toBe("noopener noreferrer")
  await page.locator(".thread").getByText("Ada Lovelace", { exact: true }).waitFor()
  await inspect(page, "console-inbox-named")

  await page.keyboard.press("e")
  await row.getByText("Closed", { exact: true }).waitFor()
  await page.getByRole("button", { name: "Mark as open" }).waitFor()
  await inspect(page, "console-inbox-closed")
  const tab = (name: string) => page.getByRole("group", { name: "Show" }).getByRole("button", { name, exact: true })
  await tab("Open").click()
  await row.waitFor({ state: "detached" })
  await tab("Closed").click()
  await row.waitFor()
  expect(await list.getByRole("listitem").count()).toBe(1)
  await page.getByRole("checkbox", { name: /wholesale/ }).check()
  await page.getByRole("button", { name: "More actions for the selection" }).click()
  await page.getByRole("button", { name: "Mark as open" }).last().click()
  await row.getByText("Closed", { exact: true }).waitFor({ state: "detached" })
  await page.keyboard.press("u")
  await row.getByText("Unread:").waitFor()
  // Closing it leaves the mark.
  await page.keyboard.press("e")
  await row.getByText("Closed", { exact: true }).waitFor()
  await tab("Unread").click()
  await row.waitFor()
  await inspect(page, "console-inbox-unread")
  await tab("All").click()
  await server.api.delete(`/api/external/chatbot/${bot}`)
})

onScreen("the palette makes a chatbot and a key, and adds files", async ({ page }) => {
  await show(page, "/usage")
  const run = async (typed: string) => {
    await page.keyboard.press("ControlOrMeta+k")
    await page.locator("dialog input:focus").waitFor()
    await page.keyboard.type(typed)
    await page.locator(".palette .active").getByText(typed.replace("harbour ", ""), { exact: false }).waitFor()
    await page.keyboard.press("Enter")
  }
  for (const name of ["New chatbot", "New key"]) {
    await run(name)
    await page.getByRole("dialog", { name }).waitFor()
    expect(page.url()).not.toContain("do=")
    await page.keyboard.press("Escape")
    await page.getByRole("dialog", { name }).waitFor({ state: "detached" })
  }
  // Also where the screen is there already.
  await run("New key")
  await page.getByRole("dialog", { name: "New key" }).waitFor()
  await page.keyboard.press("Escape")
  const choosing = page.waitForEvent("filechooser")
  await run("harbour add files")
  await (
    await choosing
  ).setFiles({ name: "tides.md", mimeType: "text/markdown", buffer: Buffer.from("The tide turns.") })
  // Stored, and not only listed among what is being sent: the next test leaves this page.
  await page.getByRole("row", { name: "tides.md" }).getByText("Ready").waitFor()
})

onScreen("keys and entries of the audit log are put in order", async ({ page }) => {
  await server.api.post("/api/admin/api-keys", { name: "Zebra", scopes: ["chat"] })
  await show(page, "/keys")
  const first = () => page.getByRole("rowheader").first().innerText()
  await page.getByRole("button", { name: "Name", exact: true }).click()
  await page.getByRole("button", { name: "Name", exact: true }).click()
  await until(async () => (await first()).includes("Zebra"))
  await show(page, "/audit-log")
  const table = page.getByRole("region", { name: "Audit log entries" })
  await table.getByRole("button", { name: "Action", exact: true }).click()
  const words = () => table.getByRole("rowheader").allInnerTexts()
  await until(async () => Bun.deepEquals(await words(), (await words()).toSorted()))
})

onScreen("the palette leads to a page of a chatbot, and lists the keys", async ({ page }) => {
  await show(page, "/usage")
  await page.keyboard.press("ControlOrMeta+k")
  await page.locator("dialog input:focus").waitFor()
  await page.keyboard.type("harbour know")
  await page.getByRole("button", { name: "Knowledge Harbour" }).waitFor()
  await inspect(page, "console-palette")
  await page.keyboard.press("Enter")
  await page.getByRole("heading", { level: 1, name: "Knowledge" }).waitFor()
  expect(page.url()).toContain(`${id}/knowledge`)
  await page.keyboard.press("?")
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor()
  await inspect(page, "console-shortcuts")
  await page.keyboard.press("Escape")
  // Of the chatbot that is shown, documents are found as well.
  await page.keyboard.press("ControlOrMeta+k")
  await page.locator("dialog input:focus").waitFor()
  await page.keyboard.type("tides.m")
  await page.getByRole("button", { name: "tides.md Document" }).click()
  await page.getByRole("dialog", { name: "tides.md" }).waitFor()
  await page.keyboard.press("Escape")
})

onScreen("chatbots are put in order, paused together, and deleted once their number is typed", async ({ page }) => {
  for (const name of ["Anchor", "Zeppelin"]) await server.api.newChatbot({ name, is_public: false })
  await show(page, "/chatbots")
  const names = () => page.getByRole("rowheader").getByRole("link").allInnerTexts()
  await page.getByRole("button", { name: "Chatbot", exact: true }).click()
  await becomes(() => names(), ["Anchor", "Harbour", "Zeppelin"])
  await page.getByRole("button", { name: "Chatbot", exact: true }).click()
  await becomes(() => names(), ["Zeppelin", "Harbour", "Anchor"])
  for (const name of ["Anchor", "Zeppelin"]) await page.getByLabel(`Select ${name}`).check()
  await page.getByRole("button", { name: "Pause" }).click()
  await until(async () => (await page.getByText("Paused").count()) === 2)
  await inspect(page, "console-chatbots-chosen")
  await page.getByRole("button", { name: "Delete…" }).click()
  await page.getByLabel("Type “2 chatbots” to confirm").fill("2 chatbots")
  await page.getByRole("button", { name: "Delete chatbots" }).click()
  await until(async () => (await names()).join() === "Harbour")
})

onScreen(
  "columns of the chatbots are hidden by a menu, also after a reload, until they are wanted again",
  async ({ page }) => {
    const titles = async () =>
      (await page.getByRole("columnheader").getByRole("button").allInnerTexts()).filter((title) => title !== "")
    const box = (name: string) => page.getByRole("checkbox", { name, exact: true })
    await show(page, "/chatbots")
    await becomes(() => titles(), ["Chatbot", "Model", "Documents", "Conversations (7 days)", "Updated"])
    await page.getByRole("button", { name: "Columns" }).click()
    await box("Model").uncheck()
    await box("Updated").uncheck()
    await inspect(page, "console-columns")
    await page.keyboard.press("Escape")
    await page.reload()
    await settled(page)
    await becomes(() => titles(), ["Chatbot", "Documents", "Conversations (7 days)"])
    expect(await page.getByRole("row", { name: "Harbour" }).innerText()).not.toContain("claude")
    await page.getByRole("button", { name: "Columns" }).click()
    await box("Model").check()
    await box("Updated").check()
    await page.keyboard.press("Escape")
    expect((await titles()).length).toBe(5)
  },
)

onScreen("home says what to do, and usage counts what was asked", async ({ page }) => {
  await server.api.post(`/api/external/chatbot/${id}/conversations/${session}/messages/${reply}/feedback`, {
    rating: "down",
  })
  const ask = { messages: [{ role: "user", content: "And back?" }] }
  await server.api.patch(`/api/external/chatbots?id=${id}`, { settings: { model: "claude-haiku-4-5" } })
  await server.api.post(`/api/external/chatbot/${id}/chat`, ask)
  await server.api.patch(`/api/external/chatbots?id=${id}`, { settings: { model: "claude-sonnet-5-5" } })
  const streamed = await fetch(`${server.url}/api/external/chatbot/${id}/chat?stream=true`, {
    method: "POST",
    headers: { "x-api-key": key, "content-type": "application/json" },
    body: JSON.stringify({ messages: [{ role: "user", content: "Wann fährt das Schiff und was kostet es?" }] }),
  })
  await streamed.text()
  await show(page, "/usage")
  await page.getByText(/^95% within/).waitFor()
  await page.getByRole("term").filter({ hasText: "Resolved" }).waitFor()
  const group = page.getByRole("combobox", { name: "Group by" })
  for (const [name, kind, row] of [
    ["Language", "language", "German"],
    ["Platform", "platform", "web"],
    ["Hour", "hour", /^\d\d:00$/],
    ["Page", "page", "Not known"],
  ] as const) {
    await group.selectOption(name)
    const table = page.getByRole("region", { name: `Conversations by ${kind}` })
    await table.waitFor()
    await table.getByRole("rowheader", { name: row }).first().waitFor()
    await inspect(page, `console-usage-by-${kind}`)
  }
  const saving = page.waitForEvent("download")
  await page.getByRole("button", { name: "Download CSV" }).click()
  const file = await saving
  expect(file.suggestedFilename()).toMatch(/^conversations-page-.*\.csv$/)
  expect(readFileSync(await file.path(), "utf8")).toStartWith("\ufeffpage,conversations,")
  await page.getByRole("button", { name: "Enter prices" }).click()
  await page.getByLabel("Output").first().fill("1000000")
  await inspect(page, "console-prices")
  await page.getByRole("button", { name: "Save" }).click()
  await page.getByRole("button", { name: "Edit prices" }).waitFor()
  await page.getByText("No price: claude-sonnet-5-5").waitFor()
  await inspect(page, "console-usage-priced")
  await show(page, "/")
  const tasks = page.getByRole("region", { name: "To do" })
  await tasks.getByText("1 reply with a thumbs down.").waitFor()
  await page.getByRole("term").filter({ hasText: "Resolved" }).waitFor()
  await inspect(page, "console-home")
  await tasks.getByRole("link", { name: "View conversations" }).click()
  await page.waitForURL(/rating=down/)
  await page.getByRole("list", { name: "Conversations" }).getByText("When does it sail?").waitFor()
})

onScreen("usage shows the failure of a report, and no numbers that nobody knows", async ({ expects, page }) => {
  expects(/status of 500/)
  const broken = ["**/api/external/usage?*group_by=day%2Cmodel*", "**/api/admin/api-keys?*"]
  const problem = { status: 500, code: "internal_error", detail: "The report failed." }
  for (const address of broken) await page.route(address, (route) => route.fulfill({ status: 500, json: problem }))
  await page.goto(`${server.url}/console/usage`)
  await page.getByRole("alert").filter({ hasText: "The report failed." }).first().waitFor()
  await settled(page)
  expect(await page.getByText("No change").count()).toBe(0)
  expect(await page.getByRole("term").filter({ hasText: "Tokens" }).count()).toBe(0)
  await page.getByRole("region", { name: "Today" }).getByRole("alert").waitFor()
  await inspect(page, "console-usage-failed")
  for (const address of broken) await page.unroute(address)
  await page.getByRole("button", { name: "Try again" }).first().click()
  await page.getByRole("term").filter({ hasText: "Tokens" }).waitFor()
})

onScreen("a dialog with fields begins with the first of them", async ({ page }) => {
  const openings = [
    { path: "/keys", opens: "New key" },
    { path: `/chatbots/${id}/widget`, opens: "Add website" },
  ]
  for (const { opens, path } of openings) {
    await show(page, path)
    await page.getByRole("button", { name: opens }).first().click()
    await page.getByRole("dialog").waitFor()
    await page.keyboard.press("ControlOrMeta+a")
    await page.keyboard.type("Back office and more")
    await becomes(
      () => page.getByRole("dialog").getByLabel("Name", { exact: true }).inputValue(),
      "Back office and more",
    )
    await page.keyboard.press("Escape")
  }
})

onScreen("the test page of a widget is closed by Escape, also from within the chat", async ({ page }) => {
  await show(page, `/chatbots/${id}/widget`)
  await page.getByRole("button", { name: "Open test page" }).click()
  const dialog = page.getByRole("dialog")
  await dialog.frameLocator("iframe").locator("textarea").press("Escape")
  await dialog.waitFor({ state: "detached" })
})

onScreen("the widget's button, starter questions and words in a language are edited and seen", async ({ page }) => {
  await show(page, `/chatbots/${id}/widget`)
  const titles = page.locator(".section > .section-head h2")
  const order = ["Appearance", "Advanced", "Websites", "Snippet", "Embedding check"]
  await becomes(async () => (await titles.allInnerTexts()).join(), order.join())
  const preview = page.getByRole("complementary", { name: "Preview" }).frameLocator("iframe")
  await page.getByText("Launcher", { exact: true }).click()
  await page.getByLabel("Icon").selectOption("Headset")
  await page.getByLabel("Starter questions").fill("When does the ferry sail?")
  await page.getByText("Languages", { exact: true }).click()
  await page.getByLabel("Add language").selectOption("German")
  await page.getByRole("group", { name: "German" }).getByLabel("Greeting").fill("Moin!")
  await preview.getByRole("button", { name: "When does the ferry sail?" }).waitFor()
  await preview.locator(".question").getByText("When does the ferry sail?").waitFor()
  await inspect(page, "console-widget-words")
  await page.getByRole("button", { name: "Save", exact: true }).click()
  await page.getByText("Changes saved.").waitFor()
  const { chat_widget_config } = await server.api.get(`/api/external/chatbot/${id}/chat-widget`)
  expect(chat_widget_config).toMatchObject({
    launcher: { icon: "headset" },
    suggestions: ["When does the ferry sail?"],
    translations: { de: { greeting: "Moin!" } },
  })
})

onScreen("the widget's logo is uploaded, and takes the place of one by address", async ({ expects, page }) => {
  expects(/status of 404/)
  const stored = async () => (await server.api.get(`/api/external/chatbot/${id}`)).chatbot.settings.avatar
  await show(page, `/chatbots/${id}/widget`)
  await page.getByText("Lines and colours", { exact: true }).click()
  await page.getByLabel("Logo URL").fill(`${server.url}/icon.svg`)
  const chooser = page.waitForEvent("filechooser")
  await page.getByRole("button", { name: "Upload logo" }).click()
  const buffer = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAX+XDSwAAAABJRU5ErkJggg==",
    "base64",
  )
  await (await chooser).setFiles({ name: "logo.png", mimeType: "image/png", buffer })
  await page.getByRole("button", { name: "Replace logo" }).waitFor()
  const avatar = await stored()
  expect(avatar).toContain("/avatars/")
  await becomes(() => page.getByLabel("Logo URL").inputValue(), "")
  const preview = page.getByRole("complementary", { name: "Preview" }).frameLocator("iframe")
  await preview.locator(`header img[src="${avatar}"]`).waitFor()
  await inspect(page, "console-widget-logo")
  await page.getByRole("button", { name: "Remove", exact: true }).click()
  await page.getByRole("button", { name: "Upload logo" }).waitFor()
  await becomes<string | undefined>(() => stored(), undefined)
})

onScreen("every entry of the navigation opens the screen that it names", async ({ page }) => {
  await show(page, "")
  const entries = await page.getByRole("navigation", { name: "Console" }).getByRole("link").all()
  expect(entries.length).toBeGreaterThan(5)
  for (const entry of entries) {
    await entry.click()
    await page.getByRole("heading", { level: 1, name: await entry.innerText(), exact: true }).waitFor()
  }
})

onScreen("a webhook is made, tested, told of an event, sent it again, and deleted", async ({ page }) => {
  const received: Array<string> = []
  const receiver = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const { type } = (await request.json()) as { readonly type: string }
      received.push(type)
      return new Response(null, { status: 204 })
    },
  })
  const button = (name: string | RegExp) => page.getByRole("button", { name, exact: typeof name === "string" })
  await show(page, "/webhooks")
  await button("New webhook").first().click()
  await page.getByLabel("URL").fill(receiver.url.href)
  await page.getByLabel("Description").fill("Harbour office")
  await page.getByRole("checkbox", { name: "Chatbot updated" }).check()
  await inspect(page, "console-new-webhook")
  await button("Create webhook").click()
  await page.getByText(/^whsec_/).waitFor()
  await inspect(page, "console-webhook-secret")
  await button("Done").click()

  await button("Test").click()
  await page.getByText("Test event delivered: HTTP 204").waitFor()
  await server.api.patch(`/api/external/chatbots?id=${id}`, { settings: { greeting: "Ahoy!" } })
  await until(() => Promise.resolve(received.includes("chatbot.updated")))

  await button("Deliveries").click()
  const delivery = page.getByRole("row", { name: /Chatbot updated/ })
  await until(async () => {
    if (await delivery.getByText("Delivered").isVisible()) return true
    await button("Refresh").click()
    return false
  })
  await inspect(page, "console-deliveries")
  const before = received.length
  await delivery.getByRole("button", { name: "Resend" }).click()
  await until(() => Promise.resolve(received.length > before))
  await page.keyboard.press("Escape")

  await button(/^Actions for/).click()
  await button("Delete…").click()
  await button("Delete").click()
  await page.getByText("No webhooks yet").waitFor()
  await receiver.stop(true)
})

onScreen(
  "changes that are not saved are not left without a question, by a link or by the button to go back",
  async ({ page }) => {
    const question = page.getByRole("dialog", { name: "Leave without saving?" })
    const heading = (name: string) => page.getByRole("heading", { level: 1, name, exact: true })
    await show(page, "/chatbots")
    await page.getByRole("link", { name: "Harbour", exact: true }).click()
    await heading("Settings").waitFor()
    await page.getByLabel("Greeting").fill("Welcome aboard!")
    await page.getByRole("link", { name: "Usage", exact: true }).click()
    await question.waitFor()
    await inspect(page, "console-leave")
    await question.getByRole("button", { name: "Stay" }).click()
    await question.waitFor({ state: "detached" })
    await page.evaluate(() => history.back())
    await question.getByRole("button", { name: "Stay" }).click()
    await becomes(() => page.getByLabel("Greeting").inputValue(), "Welcome aboard!")
    await page.getByRole("link", { name: "Usage", exact: true }).click()
    await question.getByRole("button", { name: "Leave" }).click()
    await heading("Usage").waitFor()
    await page.goBack()
    await heading("Settings").waitFor()
    await page.goBack()
    await heading("Chatbots").waitFor()
  },
)

onScreen(
  "where somebody else has changed the same field, the person chooses whose value stays",
  async ({ expects, page }) => {
    expects(/status of 412/)
    await show(page, `/chatbots/${id}`)
    await page.getByLabel("Greeting").fill("Mine")
    await page.getByText("Access", { exact: true }).click()
    await page.getByLabel("Description").fill("Also mine")
    await server.api.patch(`/api/external/chatbots?id=${id}`, { settings: { greeting: "Theirs" } })
    await page.getByRole("button", { name: "Save" }).click()
    const question = page.getByRole("dialog", { name: "First key has changed this meanwhile" })
    await question
      .getByRole("group", { name: "Greeting" })
      .getByRole("radio", { name: /^Theirs/ })
      .check()
    await inspect(page, "console-clash")
    await question.getByRole("button", { name: "Save" }).click()
    await page.getByText("Changes saved.").waitFor()
    const { chatbot } = await server.api.get(`/api/external/chatbot/${id}`)
    expect([chatbot.settings.greeting, chatbot.description]).toEqual(["Theirs", "Also mine"])
  },
)

onScreen("the settings are five fields, and others are in groups that show what is changed", async ({ page }) => {
  const path = `/api/external/chatbots?id=${id}`
  const handover = async () => (await server.api.get(`/api/external/chatbot/${id}`)).chatbot.settings.handover
  const group = (name: string) => page.getByRole("group", { name, exact: true })
  const save = async () => {
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByText("Changes saved.").waitFor()
    await page.getByRole("button", { name: "Dismiss" }).click()
  }
  await show(page, `/chatbots/${id}`)
  const shown = page.locator(".section").locator("input, textarea, select").filter({ visible: true })
  await becomes(() => shown.count(), 5)
  await inspect(page, "console-settings")
  // What the switch changes is in sight, and stays there.
  await page.getByRole("switch", { name: "Handover to people" }).click()
  const button = group("Handover").getByRole("switch", { name: "Button in the widget" })
  await button.waitFor()
  expect(await button.isChecked()).toBe(true)
  await page.getByText("Handover", { exact: true }).click()
  await button.waitFor()
  await save()
  expect(await handover()).toEqual({ button: true, tool: true })
  await page.getByText("Handover", { exact: true }).click()
  await button.waitFor({ state: "hidden" })
  await page.getByRole("switch", { name: "Handover to people" }).click()
  await button.waitFor()
  await save()
  expect(await handover()).toBeUndefined()
  // A link to a field opens its group.
  await server.api.patch(path, { settings: { isToolEnabled: false } })
  await show(page, `/chatbots/${id}/tools`)
  await page.getByRole("link", { name: "Open settings" }).click()
  await group("Replies").getByRole("switch", { name: "Tools" }).waitFor()
  await server.api.patch(path, { settings: { isToolEnabled: true } })
})

onScreen("synonyms are a group on each line, and search finds by them", async ({ page }) => {
  await server.api.patch(`/api/external/chatbots?id=${id}`, { settings: { synonyms: null } })
  await show(page, `/chatbots/${id}`)
  await page.getByText("Documents", { exact: true }).click()
  await page.getByLabel("Synonyms", { exact: true }).fill("boat, ferry\nfee, price")
  await page.getByRole("button", { name: "Save" }).click()
  await page.getByText("Changes saved.").waitFor()
  const { chatbot } = await server.api.get(`/api/external/chatbot/${id}`)
  expect(chatbot.settings.synonyms).toEqual([
    ["boat", "ferry"],
    ["fee", "price"],
  ])
  await page.reload()
  await settled(page)
  await becomes(() => page.getByLabel("Synonyms", { exact: true }).inputValue(), "boat, ferry\nfee, price")
  const { results } = await server.api.post(`/api/external/chatbot/${id}/query-knowledge`, { query: "the boat" })
  expect(results[0].content).toContain("sails at noon")
})

onScreen("words of questions without an answer become synonyms", async ({ page }) => {
  const { id } = await server.api.newChatbot({ name: "Quay", settings: { model: "local/extractive" } })
  await server.api.learn(id, { "ferry.md": "# The ferry\n\nDogs travel free of charge on the ferry." })
  for (const content of ["Is there a kennel?", "May a canine come?", "And three canines?"]) {
    await server.api.post(`/api/external/chatbot/${id}/chat`, { messages: [{ role: "user", content }] })
  }
  await show(page, `/chatbots/${id}`)
  await page.getByText("Documents", { exact: true }).click()
  await page.getByText("Suggestions (2)").click()
  const field = page.getByLabel("The documents’ word for “canines”")
  await field.waitFor()
  await page.getByText("2 questions, latest: And three canines?").waitFor()
  await inspect(page, "console-synonym-suggestions")
  await field.fill("dog")
  await field.press("Enter")
  await page.getByText("Suggestions (1)").waitFor()
  await becomes(() => page.getByLabel("Synonyms", { exact: true }).inputValue(), "canines, dog")
  await page.getByLabel("The documents’ word for “kennel”").fill("ferry")
  await page.getByRole("button", { name: "Add synonyms of kennel" }).click()
  await page.getByText(/^Suggestions/).waitFor({ state: "detached" })
  await page.getByRole("button", { name: "Save" }).click()
  await page.getByText("Saved.").waitFor()
  const { chatbot } = await server.api.get(`/api/external/chatbot/${id}`)
  expect(chatbot.settings.synonyms).toEqual([
    ["canines", "dog"],
    ["kennel", "ferry"],
  ])
})

onScreen("a search is tried with what it finds, why, and what it leaves out", async ({ page }) => {
  await show(page, `/chatbots/${id}/knowledge`)
  await page.getByRole("button", { name: "Try a search" }).click()
  await page.getByRole("searchbox", { name: "Question" }).fill("What does a crossing cost?")
  await page.getByRole("button", { name: "Search", exact: true }).click()
  const result = page.getByRole("listitem").filter({ has: page.getByRole("heading", { level: 3 }) })
  await result.first().getByText("A crossing costs four crowns.").waitFor()
  await result
    .first()
    .getByText(/^Keywords: #1/)
    .click()
  await result.first().getByText("Keyword score", { exact: true }).waitFor()
  const marked = () => page.evaluate(() => Array.from(CSS.highlights.get("match") ?? [], String))
  await until(async () => (await marked()).includes("crossing"))
  await inspect(page, "console-search")
  await page.reload()
  await result.first().getByText("A crossing costs four crowns.").waitFor()
  await result.first().getByRole("button").click()
  await page.getByRole("dialog").getByText("A crossing costs four crowns.").waitFor()
  await page.keyboard.press("Escape")
  await page.getByRole("searchbox", { name: "Question" }).fill("xyzzy")
  await page.keyboard.press("Enter")
  await page.getByText("No passage matches well enough").waitFor()
  await inspect(page, "console-search-nothing")
})

onScreen("the first upload of a chatbot takes several files, and says which it cannot read", async ({ page }) => {
  const { id: empty } = await server.api.newChatbot({ name: "Empty", is_public: false })
  await show(page, `/chatbots/${empty}/knowledge`)
  await page.getByText("Drop files or folders here").waitFor()
  await inspect(page, "console-knowledge-empty")
  const choosing = page.waitForEvent("filechooser")
  await page.getByRole("button", { name: "Add knowledge" }).click()
  await page.getByRole("button", { name: "Files" }).click()
  const file = (name: string, text: string) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) })
  await (
    await choosing
  ).setFiles([
    file("Tides.md", "# Tides\n\nThe tide turns at six."),
    file("Prices.txt", "A crossing costs four crowns."),
    file("Stops.csv", "stop,time\nHarbour,12:00\nIsland,12:50"),
    file("photo.heic", "no text"),
  ])
  for (const name of ["Tides", "Prices", "Stops"]) await page.getByRole("row", { name }).getByText("Ready").waitFor()
  const failed = page.getByRole("list", { name: "Uploads" }).getByRole("listitem")
  await failed.getByText("Upload failed").waitFor()
  await becomes(() => failed.count(), 1)
  await until(async () => (await failed.innerText()).includes("This file type is not supported."))
  await page.getByText("3 documents", { exact: true }).waitFor()
  await inspect(page, "console-first-upload")
  await failed.getByRole("button", { name: "Dismiss photo.heic" }).click()
  await failed.waitFor({ state: "detached" })
  await server.api.delete(`/api/external/chatbot/${empty}`)
})

onScreen("a form says at a field what the server refuses of it", async ({ expects, page }) => {
  expects(/status of 400/)
  await show(page, `/chatbots/${id}/tools`)
  await page.getByRole("button", { name: "New tool" }).first().click()
  await page.getByLabel("Name", { exact: true }).fill("order status")
  await page.getByLabel("URL").fill("https://shop.example.com/{orderId}")
  await page.getByLabel("Description", { exact: true }).fill("Tells where an order is.")
  await page.getByRole("button", { name: "Create tool" }).click()
  await page.locator("[aria-invalid=true]").first().waitFor()
  expect(await page.getByRole("alert").innerText()).toBe("Nothing was saved. Fix the marked fields and try again.")
  await becomes(() => page.evaluate(() => document.activeElement?.getAttribute("aria-invalid")), "true")
  await inspect(page, "console-refused-tool")
  await page.getByLabel("Name", { exact: true }).fill("orderStatus")
  await page.getByRole("button", { name: "Create tool" }).click()
  await page.getByRole("heading", { name: "orderStatus" }).waitFor()
  await page.getByRole("button", { name: "Actions for orderStatus" }).click()
  await inspect(page, "console-menu")
  await page.keyboard.press("Enter")
  const dialog = page.getByRole("dialog", { name: "Edit orderStatus" })
  await dialog.getByLabel("Input 1 description").fill("Order number.")
  await dialog.getByRole("button", { name: "Add input" }).click()
  await dialog.getByLabel("Input 2 name").fill("orderId")
  await dialog.getByText("Give each input a name of its own.").waitFor()
  await dialog.getByLabel("Input 2 name").fill("detailed")
  await dialog.getByLabel("Input 2 type").selectOption({ label: "Yes or no" })
  await inspect(page, "console-tool-input")
  await dialog.getByRole("button", { name: "Show as JSON Schema" }).click()
  expect(JSON.parse(await dialog.getByLabel("JSON Schema", { exact: true }).inputValue()).required).toEqual(["orderId"])
  await dialog.getByRole("button", { name: "Show as fields" }).click()
  await dialog.getByRole("button", { name: "Save" }).click()
  await dialog.waitFor({ state: "detached" })
  const { tools } = await server.api.get(`/api/external/chatbot/${id}/tools`)
  expect(tools.find(({ name }: { name: string }) => name === "orderStatus").input_schema).toEqual({
    type: "object",
    properties: { orderId: { type: "string", description: "Order number." }, detailed: { type: "boolean" } },
    required: ["orderId"],
  })
  await page.getByRole("button", { name: "Actions for orderStatus" }).click()
  await page.keyboard.press("Enter")
  await dialog.waitFor()
  await page.keyboard.press("Escape")
  await page.getByRole("dialog").waitFor({ state: "detached" })
  await becomes(
    () => page.evaluate(() => document.activeElement?.getAttribute("aria-label")),
    "Actions for orderStatus",
  )
})

onScreen("a secret key is made, shown once, and revoked", async ({ page }) => {
  await show(page, "/keys")
  await page.getByRole("button", { name: "New key" }).click()
  await page.getByLabel("Name", { exact: true }).fill("Back office")
  await inspect(page, "console-new-key")
  await page.getByRole("button", { name: "Create key" }).click()
  await page.getByText(/^prl_\w{40,}/).waitFor()
  await page.getByRole("button", { name: "Done" }).click()
  await page.getByRole("button", { name: "Actions for Back office" }).click()
  await page.getByRole("button", { name: "Edit…" }).click()
  await page.getByLabel("Tokens per day").fill("unlimited")
  await inspect(page, "console-edit-key")
  await page.getByRole("button", { name: "Save" }).click()
  await page.getByText("Back office updated.").waitFor()
  await page.getByRole("button", { name: "Actions for Back office" }).click()
  await page.getByRole("button", { name: "Revoke…" }).click()
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click()
  await page.getByText("Back office revoked.").waitFor()
})
