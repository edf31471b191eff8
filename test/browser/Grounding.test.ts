import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "bun:test"
import { says } from "../lib/FakeAnthropic.ts"
import { becomes, inspect, startSuite } from "./lib/Suite.ts"
import { until } from "./lib/Visit.ts"
import { Chat } from "./lib/Widget.ts"

const { model, server, site, visit } = await startSuite({ BOOTSTRAP_API_KEY: "" })
const link = readFileSync(join(server.dataDirectory, "first-sign-in"), "utf8").trim()
Object.assign(server.api, { key: readFileSync(join(server.dataDirectory, "first-api-key"), "utf8").trim() })
const { id } = await server.api.newChatbot({
  name: "Harbour",
  is_public: true,
  settings: { isToolEnabled: false, grounding: "mark" },
})
await server.api.learn(id, { "ferry.md": "# The ferry\n\nThe ferry to the islands sails at noon." })
const wrong = "It comes back at 9:45."
model.answers(() => says(`The ferry sails at **noon**. ${wrong}`))

/** The texts that are underlined in a frame or a page, each up to its last letter. */
const underlined = () => Array.from(CSS.highlights.get("unsupported") ?? [], (range) => String(range))

describe("a sentence that no document supports", () => {
  visit(
    "is underlined in the widget, and named for those who do not see that, also after a reload",
    async ({ page }) => {
      const chat = await Chat.open(page, site.page({ "data-key": id }))
      await chat.exchange("When does the ferry sail?")
      const note = chat.within.getByText("Not found in the documents: 1")
      await note.waitFor()
      await note.click()
      await chat.within.getByRole("listitem").getByText(wrong).waitFor()
      await becomes(() => chat.document.locator("body").evaluate(underlined), [wrong.slice(0, -1)])
      await inspect(page, "widget-unsupported", chat.document)
      await page.reload()
      await chat.within.getByText("Not found in the documents: 1").waitFor()
    },
  )

  visit("is underlined in the playground and in a conversation, and the setting is there", async ({ page }) => {
    await page.goto(link)
    await page.getByRole("heading", { name: "Home" }).waitFor()
    await page.goto(`${server.url}/console/chatbots/${id}/playground`)
    await page.getByLabel("Message").fill("When does the ferry sail?")
    await page.keyboard.press("Enter")
    await page.getByText("Not found in the documents: 1 sentence").waitFor()
    await until(async () => (await page.evaluate(underlined)).join("|") === wrong.slice(0, -1))
    await inspect(page, "console-unsupported")
    const { data } = await server.api.get(`/api/external/chatbot/${id}/conversations`)
    await page.goto(`${server.url}/console/conversations/${id}/${data[0].id}`)
    await page.getByText("Not found in the documents: 1 sentence").waitFor()
    await page.goto(`${server.url}/console/chatbots/${id}`)
    await page.getByText("Documents", { exact: true }).click()
    const select = page.getByLabel("Check against the documents")
    await select.selectOption({ label: "Strict" })
    await page.getByLabel("Judge model").fill("local/extractive")
    await inspect(page, "console-grounding")
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByText("Saved.").waitFor()
    const { chatbot } = await server.api.get(`/api/external/chatbot/${id}`)
    expect(chatbot.settings).toMatchObject({ grounding: "strict", judgeModel: "local/extractive" })
  })
})
