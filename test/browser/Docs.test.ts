import { afterAll, expect } from "bun:test"
import type { Page } from "playwright-core"
import { entries } from "../../src/http/docs/Pages.ts"
import { sampleOf } from "../lib/Sample.ts"
import { becomes, expectAccessible, goingOn, inspect, startSuite } from "./lib/Suite.ts"
import { phone, structureViolationsIn } from "./lib/Visit.ts"

const { open, server, visit } = await startSuite()
const reader = await open()
const onPage = goingOn(reader)
afterAll(() => reader.context.close())

const openPage = async (page: Page, name: string): Promise<void> => {
  await page.goto(`${server.url}/docs${name}`)
  await page.locator("main pre + .copy, main p").first().waitFor()
  expect(await page.locator("h1").count()).toBe(1)
}

// All are made by the same rules: axe looks at a sample of them.
const inspected = new Set(sampleOf(entries, 3).map(({ name }) => name))
for (const { name } of entries) {
  onPage(`/docs/${name} has no fault${inspected.has(name) ? ", and nothing that axe finds" : ""}`, async ({ page }) => {
    await openPage(page, `/${name}`)
    if (inspected.has(name)) await inspect(page, `docs/${name}`)
  })
}

onPage("/docs has no fault, and nothing that axe finds", async ({ page }) => {
  await openPage(page, "")
  await expectAccessible(page, "docs as a whole", structureViolationsIn)
  // Its hundreds of operations and schemas differ in their words alone: colours are looked for in a sample of them.
  const ids = await page.locator("main h3").evaluateAll((titles) => titles.map(({ id }) => id))
  const kept = sampleOf(ids, 16)
  expect(kept.length).toBeGreaterThan(10)
  const left = await page.evaluate((sample) => {
    let isKept = true
    for (const element of Array.from(document.querySelector("main h3")?.parentElement?.children ?? [])) {
      if (element.matches("h1, h2")) isKept = true
      if (element.matches("h3")) isKept = sample.includes(element.id)
      if (!isKept) element.remove()
    }
    for (const link of document.querySelectorAll("#contents a[href^='#']")) {
      if (document.getElementById(decodeURIComponent(link.getAttribute("href")?.slice(1) ?? "")) === null)
        link.parentElement?.remove()
    }
    return document.querySelectorAll("main h3").length
  }, kept)
  expect(left).toBe(kept.length)
  await inspect(page, "docs")
})

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
  await page.waitForURL(`${server.url}/docs#chatbots.create`)
  await page.getByRole("heading", { name: "Create a chatbot" }).waitFor()
  await search.fill("xyzzy")
  await page.getByText("No results").waitFor()
  await search.fill("")
  await page.getByRole("navigation", { name: "Documentation" }).getByRole("link", { name: "Guide" }).waitFor()
})

visit("an example is copied", async ({ context, page }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"])
  await page.goto(`${server.url}/docs`)
  await page.getByRole("button", { name: "Copy" }).first().click()
  await page.getByRole("button", { name: "Copied" }).waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toStartWith('curl "$URL/api/external/chatbots"')
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
