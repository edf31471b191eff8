import { expect } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Locator, Page } from "playwright-core"
import { manyPages } from "../lib/files/PdfFile.ts"
import { inspect, painted, startSuite } from "./lib/Suite.ts"
import { photograph } from "./lib/Visit.ts"
import { Chat } from "./lib/Widget.ts"

const { server, site, visit } = await startSuite({ BOOTSTRAP_API_KEY: "", ANTHROPIC_API_KEY: "" })
const link = readFileSync(join(server.dataDirectory, "first-sign-in"), "utf8").trim()

Object.assign(server.api, { key: readFileSync(join(server.dataDirectory, "first-api-key"), "utf8").trim() })

/** The clicks from the link of the first start to an answer on a page of another origin. */
const CLICKS_MAX = 12

visit("a new user comes from the first start to an answer on a website in a dozen clicks", async ({ newTab, page }) => {
  let clicks = 0
  const click = async (target: Locator) => {
    clicks += 1
    await target.click()
  }
  clicks += 1
  await page.goto(link)
  const stepsOn = (tab: Page) => tab.getByRole("region", { name: "Getting started" })
  await stepsOn(page).getByText("Put it on a website").waitFor()
  await inspect(page, "console-first-step")
  await click(page.getByRole("link", { name: "New chatbot" }))
  await page.getByLabel("Name").fill("Harbour")
  await page.keyboard.press("Enter")
  await page.getByRole("heading", { name: "Knowledge" }).waitFor()
  const pdf = Buffer.from(
    manyPages(1, "The ferry to the islands sails at noon. A crossing costs four crowns."),
  ).toString("base64")
  // Dropped anywhere on the page.
  await page.evaluate((content) => {
    const bytes = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0))
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File([bytes], "Ferry.pdf", { type: "application/pdf" }))
    for (const type of ["dragenter", "dragover", "drop"]) {
      document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }))
    }
  }, pdf)
  await page.getByText("Ready").waitFor()
  // Another tab shows the steps meanwhile, and nobody touches it.
  const watching = await newTab()
  await watching.goto(`${server.url}/console`)
  await stepsOn(watching).getByText("Add knowledge (done)").waitFor()
  expect(await stepsOn(watching).getByText("Ask a question (done)").count()).toBe(0)
  await click(page.getByRole("link", { name: "Playground" }))
  await page.getByPlaceholder("Ask a question…").fill("When does the ferry sail?")
  await page.keyboard.press("Enter")
  await page
    .getByText(/sails at noon/)
    .first()
    .waitFor()
  await photograph(page, "new-user-playground")
  await stepsOn(watching).getByText("Ask a question (done)").waitFor()
  const publish = (is_public: boolean) => server.api.patch(`/api/external/chatbots?id=${chatbotId}`, { is_public })
  const {
    chatbots: [{ id: chatbotId }],
  } = await server.api.get("/api/external/chatbots")
  await publish(true)
  await stepsOn(watching).getByText("Put it on a website (done)").waitFor()
  await publish(false)
  await stepsOn(watching).getByText("Put it on a website (done)").waitFor({ state: "detached" })
  await click(page.getByRole("link", { name: "Home" }))
  const steps = stepsOn(page)
  await steps.getByText("Ask a question (done)").waitFor()
  expect(await steps.getByText("Add knowledge (done)").count()).toBe(1)
  expect(await steps.getByText("Put it on a website (done)").count()).toBe(0)
  await steps.getByText(/This chatbot only quotes its documents/).waitFor()
  await steps.getByRole("button", { name: "Test the model" }).click()
  await steps.getByText(/^local\/extractive answered in/).waitFor()
  await inspect(page, "console-getting-started")
  await click(steps.getByRole("link", { name: "Put it on a website" }))
  await click(page.getByRole("button", { name: "Add website" }).first())
  const dialog = page.getByRole("dialog")
  await dialog.getByLabel("Address of your website").fill(site.url)
  await dialog.getByLabel("Name").fill("The harbour's site")
  await click(dialog.getByRole("button", { name: "Create key" }))
  await dialog.waitFor({ state: "detached" })
  await click(page.getByRole("button", { name: "Copy snippet" }))
  const snippet = await page.locator("pre.code-box").innerText()
  const tab = await newTab()
  clicks += 1
  const chat = await Chat.open(tab, site.page(undefined, `<main><h1>The harbour</h1></main>${snippet}`))
  expect(await chat.exchange("When does the ferry sail?")).toContain("sails at noon")
  await stepsOn(watching).waitFor({ state: "detached" })
  await photograph(tab, `new-user-${clicks}-clicks`)
  // What the console asks to know which steps are done.
  const asked = ["/chatbots/totals", "/conversations?limit=1", "platform=widget", "/api-keys?"].map((part) =>
    page.waitForResponse((response) => response.url().includes(part)),
  )
  await page.goto(`${server.url}/console`)
  await page.getByText("No visitor, question, document or test needs your attention.").waitFor()
  for (const response of await Promise.all(asked)) await response.finished()
  await painted(page)
  expect(await steps.count()).toBe(0)
  expect(clicks).toBeLessThanOrEqual(CLICKS_MAX)
})

visit("the server's own address leads a person on", async ({ expects, page }) => {
  expects(/status of 401/)
  await page.goto(server.url)
  await page.getByRole("heading", { name: "Parley" }).waitFor()
  await inspect(page, "home")
  await page.getByRole("link", { name: /^Console/ }).click()
  await page.getByLabel("API key").waitFor()
})
