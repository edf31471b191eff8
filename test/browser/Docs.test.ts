import { afterAll, expect } from "bun:test"
import type { Page } from "playwright-core"
import { entries } from "../../src/http/web/docs/Markdown.ts"
import { sampleOf } from "../lib/Sample.ts"
import { becomes, goingOn, inspect, startSuite } from "./lib/Suite.ts"
import { phone } from "./lib/Visit.ts"

const { open, server, visit } = await startSuite()
const reader = await open()
const onPage = goingOn(reader)
afterAll(() => reader.context.close())

const openPage = async (page: Page, name: string): Promise<void> => {
  await page.goto(`${server.url}/docs${name}`)
  await page.locator("main pre + .copy, main p").first().waitFor()
  expect(await page.locator("h1").count()).toBe(1)
}

const names = ["", "/api-chatbots", "/api-widget", "/api-webhook-events", ...entries.map(({ name }) => `/${name}`)]
// All are made by the same rules: axe looks at a sample of them.
const inspected = new Set(["", "/api-chatbots", ...sampleOf(names, 3)])
for (const name of names) {
  onPage(`/docs${name} has no fault${inspected.has(name) ? ", and nothing that axe finds" : ""}`, async ({ page }) => {
    await openPage(page, name)
    if (inspected.has(name)) await inspect(page, `docs${name}`)
  })
}

visit("the search finds a section of another page, and leads to it", async ({ page }) => {
  await page.goto(`${server.url}/docs/readme`)
  const search = page.getByRole("searchbox", { name: "Search the documentation" })
  await search.fill("create chatbot")
  const found = page.locator(".found")
  await found
    .getByRole("link", { name: /^Create a chatbot/ })
    .first()
    .waitFor()
  await inspect(page, "docs-search")
  await found
    .getByRole("link", { name: /^Create a chatbot/ })
    .first()
    .click()
  await page.waitForURL(`${server.url}/docs/api-chatbots#chatbots.create`)
  await page.getByRole("heading", { name: "Create a chatbot" }).waitFor()
  await search.fill("xyzzy")
  await page.getByText("No results").waitFor()
  await search.fill("")
  await page.getByRole("navigation", { name: "Documentation" }).getByRole("link", { name: "Guide" }).waitFor()
})

visit("an address of the time when the reference was one page leads to its section", async ({ page }) => {
  await page.goto(`${server.url}/docs#chatbots.create`)
  await page.waitForURL(`${server.url}/docs/api-chatbots#chatbots.create`)
  await page.goto(`${server.url}/docs#schema-Chatbot`)
  await page.waitForURL(`${server.url}/docs/api-chatbots#schema-Chatbot`)
  await page.goto(`${server.url}/docs#chatbots`)
  await page.getByRole("heading", { name: "Chatbots", exact: true }).waitFor()
  expect(page.url()).toBe(`${server.url}/docs#chatbots`)
})

visit("an example has the address of the server, and is copied", async ({ context, page }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"])
  await page.goto(`${server.url}/docs/api-chatbots`)
  await page.getByRole("button", { name: "Copy" }).first().click()
  await page.getByRole("button", { name: "Copied" }).waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toStartWith(
    `curl "${server.url}/api/external/chatbots"`,
  )
})

visit("the contents mark the section that is read", async ({ page }) => {
  await page.goto(`${server.url}/docs/settings`)
  const links = page.getByRole("navigation", { name: "On this page" }).getByRole("link")
  await links.nth(3).click()
  // On the way there, it may mark others.
  await becomes(() => page.locator("#contents a[aria-current]").innerText(), await links.nth(3).innerText())
})

visit(
  "on a phone the navigation and the contents open over the page",
  async ({ page }) => {
    await page.goto(`${server.url}/docs/guide`)
    await page.getByRole("button", { name: "Menu" }).click()
    await page.getByRole("navigation", { name: "Documentation" }).getByRole("link", { name: "Settings" }).click()
    await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor()
    await page.getByRole("button", { name: "On this page" }).click()
    const contents = page.getByRole("navigation", { name: "On this page" })
    await contents.getByRole("link").first().click()
    await contents.waitFor({ state: "hidden" })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(phone.viewport.width)
  },
  phone,
)

visit("the colours are those that were chosen in the console", async ({ page }) => {
  await page.goto(`${server.url}/docs/guide`)
  await page.evaluate(() => localStorage.setItem("parley:console:theme", JSON.stringify("dark")))
  await page.reload()
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe("dark")
})
