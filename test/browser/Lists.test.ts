import { afterAll, beforeAll, expect } from "bun:test"
import type { Page } from "playwright-core"
import { operatorKey } from "../lib/Spawn.ts"
import { becomes, goingOn, inspect, painted, startSuite } from "./lib/Suite.ts"
import { desktop, phone, photograph } from "./lib/Visit.ts"

/*
 * Lists that are long, and names that are.
 */

const { open, server } = await startSuite({})
const LONG = "Harbourmaster".repeat(10).slice(0, 120)
const { id } = await server.api.newChatbot({ name: LONG, description: LONG, settings: { model: "local/extractive" } })
await server.api.learn(id, {
  [`${LONG}.md`]: "# The ferry\n\nThe ferry to the islands sails at noon.",
  "broken.json": "{",
})
for (let first = 1; first <= 58; first += 10) {
  const files = Array.from({ length: Math.min(10, 59 - first) }, (_, at) => first + at)
  await server.api.learn(id, Object.fromEntries(files.map((n) => [`tide-${n}.md`, `# Tide ${n}\n\nIt turns at ${n}.`])))
}
await server.api.post(`/api/external/chatbot/${id}/sources`, { kind: "text", name: LONG, text: LONG })
await server.api.post(`/api/external/chatbot/${id}/tests`, {
  question: LONG,
  tags: [LONG.slice(0, 50)],
  expectations: {},
})
await server.api.post("/api/admin/api-keys", { name: LONG, scopes: ["chat"], chatbot_id: id })
await server.api.post("/api/admin/people", { name: LONG, roles: [{ role: "editor", chatbot_id: id }] })
await server.api.post("/api/admin/organizations", { name: LONG })
await server.api.post("/api/external/webhooks", { url: `https://example.com/${LONG}`, events: ["chatbot.updated"] })
for (let n = 1; n <= 59; n++)
  await server.api.newChatbot({ name: `Quay ${n}`, settings: { model: "local/extractive" } })

const signedIn = await open()
const onScreen = goingOn(signedIn)
beforeAll(async () => {
  signedIn.expects(/status of 401/)
  await signedIn.page.goto(`${server.url}/console`)
  await signedIn.page.getByLabel("API key").fill(operatorKey)
  await signedIn.page.getByRole("button", { name: "Sign in" }).click()
  await signedIn.page.getByRole("heading", { name: "Home" }).waitFor()
})
afterAll(() => signedIn.context.close())

const show = async (page: Page, path: string): Promise<void> => {
  await page.goto(`${server.url}/console${path}`)
  await page.locator("main h1").first().waitFor()
  await page.waitForFunction(() => document.querySelector("[aria-busy=true], .skeleton, progress") === null)
  await painted(page)
}

const names = (page: Page) => page.getByRole("rowheader")

onScreen("a long table shows fifty rows at a time, in the order of all and for a search in all", async ({ page }) => {
  await show(page, "/chatbots")
  await becomes(() => names(page).count(), 50)
  await page.getByText("1–50 of 60").waitFor()
  const heights = await page.locator("tbody tr").evaluateAll((rows) => rows.map((row) => row.clientHeight))
  expect(Math.max(...heights.slice(1))).toBe(40)
  await page.getByRole("button", { name: "Next page" }).click()
  await page.getByText("51–60 of 60").waitFor()
  await becomes(() => names(page).count(), 10)
  await page.getByRole("columnheader", { name: "Chatbot" }).getByRole("button").click()
  await becomes(() => names(page).nth(1).getByRole("link").innerText(), "Quay 1")
  await becomes(() => names(page).nth(49).getByRole("link").innerText(), "Quay 49")
  await inspect(page, "console-many-chatbots")
  await page.getByRole("searchbox", { name: "Search chatbots" }).fill("quay 59")
  await becomes(() => names(page).count(), 1)
})

onScreen("documents are searched and put in order on the server, a page at a time", async ({ page }) => {
  await show(page, `/chatbots/${id}/knowledge`)
  await becomes(() => names(page).count(), 50)
  await page.getByText("1–50 of 61").waitFor()
  await page.getByRole("button", { name: "Next page" }).click()
  await page.getByText("51–61 of 61").waitFor()
  await becomes(() => names(page).count(), 11)
  await page.getByRole("columnheader", { name: "Document" }).getByRole("button").click()
  await becomes(async () => (await names(page).first().innerText()).trim(), "broken.json")
  await page.getByRole("button", { name: "Failed (1)" }).click()
  await becomes(() => names(page).count(), 1)
  await page.getByRole("button", { name: "All" }).click()
  await becomes(() => names(page).count(), 50)
  await inspect(page, "console-many-documents")
  await page.getByRole("searchbox", { name: "Search documents" }).fill("TIDE-58")
  await becomes(() => names(page).allInnerTexts(), ["tide-58.md"])
  await page.getByText("1 document", { exact: true }).waitFor()
  // What is added shows, and what is deleted goes, without a look at the list anew.
  await page.getByRole("searchbox", { name: "Search documents" }).fill("")
  await becomes(() => names(page).count(), 50)
  await server.api.learn(id, { "another.md": "# Another\n\nAnother document." })
  await page.getByText("1–50 of 62").waitFor()
})

onScreen("one of many chatbots is found by a part of its name, by the keyboard alone", async ({ page }) => {
  await show(page, "/conversations?chatbot=")
  await page.getByRole("button", { name: "Filters", exact: true }).click()
  const field = page.getByRole("combobox", { name: "Chatbot" })
  expect(await field.inputValue()).toBe("All chatbots")
  await field.focus()
  await inspect(page, "console-choice")
  await page.keyboard.type("Quay 5")
  await page.keyboard.press("Tab")
  await page.waitForURL(/chatbot=[\da-f-]{36}/)
  await becomes(() => field.inputValue(), "Quay 5")
  // What names no chatbot changes nothing.
  await field.focus()
  await page.keyboard.type("Quay 599")
  expect(await field.evaluate((input) => Reflect.get(input, "validity").valid)).toBeFalse()
  await page.keyboard.press("Tab")
  await becomes(() => field.inputValue(), "Quay 59")
})

/** What of a page is cut, or stands over its neighbour: cells, tables and the page itself. */
const overflows = (page: Page) =>
  page.evaluate(() => {
    const isWider = (element: Element) => element.scrollWidth > element.clientWidth + 1
    const cells = Array.from(document.querySelectorAll(".data :is(th, td), .scroller, .rows > li, main, .page-head"))
    const wide = cells.filter(isWider).map((element) => element.outerHTML.slice(0, 200))
    // Numbers and badges that stand beside each other are some pixels apart.
    const glued = Array.from(document.querySelectorAll(".data .badge")).flatMap((badge) => {
      const before = badge.previousSibling
      if (before?.nodeType !== Node.TEXT_NODE || before.textContent?.trim() === "") return []
      const range = document.createRange()
      range.selectNode(before)
      const [text, own] = [range.getBoundingClientRect(), badge.getBoundingClientRect()]
      return text.bottom > own.top && own.left - text.right < 4 ? [badge.outerHTML] : []
    })
    const { scrollWidth } = document.documentElement
    return [...wide, ...glued, ...(scrollWidth > innerWidth ? [`a page of ${scrollWidth} pixels`] : [])]
  })

onScreen("long names without spaces stay in their cells, on a desktop and on a phone", async ({ page }) => {
  const of = `/chatbots/${id}`
  const screens = [
    "/",
    "/chatbots",
    "/keys",
    "/people",
    "/organizations",
    "/webhooks",
    "/models",
    "/audit-log",
    "/usage",
    "/system",
  ]
  const own = ["/overview", "/knowledge", "/knowledge?view=sources", "/tests", "/tools", "/topics"].map(
    (path) => of + path,
  )
  for (const viewport of [{ width: 1440, height: 900 }, phone.viewport]) {
    await page.setViewportSize(viewport)
    for (const path of [...screens, ...own]) {
      await show(page, path)
      await photograph(page, `console-long-${viewport.width}-${path}`)
      expect({ path, width: viewport.width, overflows: await overflows(page) }).toEqual({
        path,
        width: viewport.width,
        overflows: [],
      })
    }
  }
  await page.setViewportSize(desktop.viewport)
})
