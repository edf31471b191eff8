import { afterAll, expect } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Locator } from "playwright-core"
import { chunks } from "../lib/OddServer.ts"
import { startServer } from "./lib/Process.ts"
import { becomes, inspect, startBrowser } from "./lib/Suite.ts"

const KEY = "sk-or-0123456789abcdef9f2a"

/** A server with one model, as Ollama has it, which is another provider's for whoever has the key. */
const models = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async (request) => {
    const key = request.headers.get("authorization")
    if (key !== null && key !== `Bearer ${KEY}`)
      return Response.json({ error: { message: "Invalid API key" } }, { status: 401 })
    if (request.method === "GET") return Response.json({ data: [{ id: "llama3.2:3b", context_length: 131_072 }] })
    const { messages, tools = [] } = JSON.parse(await request.text())
    const calls = [
      { index: 0, id: "c1", type: "function", function: { name: "searchKnowledgeBase", arguments: '{"query":"a"}' } },
    ]
    return tools.length > 0 && messages.at(-1).role !== "tool"
      ? chunks([{ tool_calls: calls }], { end: "tool_calls" })
      : chunks([{ content: "The ferry sails " }, { content: "at noon." }])
  },
})
const host = `127.0.0.1:${models.port}`
const server = await startServer(
  "",
  { BOOTSTRAP_API_KEY: "", ANTHROPIC_API_KEY: "", ANTHROPIC_BASE_URL: "" },
  { "parley/models/connections/NearServers": [{ name: "ollama", title: "Ollama", at: [host] }] },
)
afterAll(async () => {
  await server.stop()
  await models.stop(true)
})
const { visit } = await startBrowser([server.url])
const link = readFileSync(join(server.dataDirectory, "first-sign-in"), "utf8").trim()
Object.assign(server.api, { key: readFileSync(join(server.dataDirectory, "first-api-key"), "utf8").trim() })

/** Clicks from the link of the first start to an answer of the model that runs beside the server, and the fields. */
const CLICKS_MAX = 4
const FIELDS_MAX = 2

visit("a new user comes from the first start to an answer of Ollama in four clicks", async ({ page }) => {
  let clicks = 0
  let fields = 0
  const click = async (target: Locator) => {
    clicks += 1
    await target.click()
  }
  const fill = async (target: Locator, text: string) => {
    fields += 1
    await target.fill(text)
    await page.keyboard.press("Enter")
  }
  clicks += 1
  await page.goto(link)
  await click(page.getByRole("link", { name: "New chatbot" }))
  await fill(page.getByLabel("Name"), "Harbour")
  await page.getByRole("heading", { name: "Knowledge" }).waitFor()
  await click(page.getByRole("link", { name: "Playground" }))
  const offer = page.getByRole("note")
  await offer.getByRole("button", { name: "Use llama3.2:3b" }).waitFor()
  await inspect(page, "console-model-offered")
  await click(offer.getByRole("button", { name: "Use llama3.2:3b" }))
  await offer.waitFor({ state: "detached" })
  await fill(page.getByPlaceholder("Ask a question…"), "When does the ferry sail?")
  await page.getByText("The ferry sails at noon.").first().waitFor()
  expect(clicks).toBeLessThanOrEqual(CLICKS_MAX)
  expect(fields).toBeLessThanOrEqual(FIELDS_MAX)
})

visit("models are connected, tested, given to a chatbot and listed in its settings", async ({ expects, page }) => {
  expects(/status of 401/)
  const { api } = server
  const { chatbots } = await api.get("/api/external/chatbots")
  const [{ id }] = chatbots
  await api.patch(`/api/external/chatbots?id=${id}`, { settings: { model: "local/extractive" } })
  const { connections } = await api.get("/api/admin/model-connections")
  for (const { id } of connections) await api.delete(`/api/admin/model-connections/${id}`)
  await page.goto(`${server.url}/console`)
  await page.getByLabel("API key").fill(String(api.key))
  await page.keyboard.press("Enter")
  await page.getByRole("link", { name: "Models" }).click()
  await page.getByText("Ollama is on this machine").waitFor()
  await inspect(page, "console-models-empty")
  await page.getByRole("button", { name: "Connect a model" }).click()
  const dialog = page.getByRole("dialog")
  await dialog.getByLabel("Provider").selectOption({ label: "Another address" })
  await dialog.getByLabel("Address").fill(`http://${host}`)
  await dialog.getByLabel("Name").fill("router")
  await dialog.getByLabel("API key").fill("wrong")
  await inspect(page, "console-models-connect")
  await page.keyboard.press("Enter")
  await dialog.getByRole("heading", { name: "Test router" }).waitFor()
  await dialog.getByText(/401/).waitFor()
  await inspect(page, "console-models-refused")
  await dialog.getByRole("button", { name: "Replace key…" }).click()
  const replacing = page.getByRole("dialog", { name: "Replace the key of router" })
  await replacing.getByLabel("API key").fill(KEY)
  await page.keyboard.press("Enter")
  await replacing.waitFor({ state: "detached" })
  await page.keyboard.press("Escape")
  await page.getByText("sk-…9f2a").waitFor()
  await page.getByRole("button", { name: "Actions for router" }).click()
  await page.getByRole("button", { name: "Test…" }).click()
  // A server with a few models is tested at once.
  await dialog.getByText(/Answered in/).waitFor()
  await dialog.getByText(/Has a context of 131,072 tokens/).waitFor()
  await inspect(page, "console-models-tested")
  await dialog.getByRole("button", { name: "Use this model" }).click()
  await page.getByText("Harbour answers by router/llama3.2:3b.").waitFor()
  await inspect(page, "console-models")
  await page.goto(`${server.url}/console/chatbots/${id}`)
  const field = page.getByLabel("Model", { exact: true })
  await field.waitFor()
  await becomes(() => field.inputValue(), "router/llama3.2:3b")
  const list = await field.getAttribute("list")
  await page.locator(`#${list} option`, { hasText: "router/llama3.2:3b" }).waitFor({ state: "attached" })
})

visit(
  "a chatbot that quotes is offered a model beside its conversations, by those who may change it",
  async ({ expects, page }) => {
    expects(/status of 401/)
    const { api } = server
    const { chatbots } = await api.get("/api/external/chatbots")
    const [{ id }] = chatbots
    await api.patch(`/api/external/chatbots?id=${id}`, { settings: { model: "local/extractive" } })
    await api.post(`/api/external/chatbot/${id}/chat`, {
      sessionToken: "quoted",
      messages: [{ role: "user", content: "When does the ferry sail?" }],
    })
    const conversation = `${server.url}/console/conversations/${id}/quoted`
    const openAs = async (key: string) => {
      await page.goto(`${server.url}/console`)
      await page.evaluate(() => fetch("/api/console/session", { method: "DELETE" }))
      await page.goto(conversation)
      await page.getByLabel("API key").fill(key)
      await page.keyboard.press("Enter")
      await page.locator(".thread .bot").waitFor()
    }
    const input = { name: "Reader", scopes: ["chatbots:read", "conversations:read"], chatbot_id: id }
    const { key } = await api.post("/api/admin/api-keys", input)
    const offer = page.getByRole("note")
    await openAs(key)
    await page.waitForLoadState("networkidle")
    expect(await offer.count()).toBe(0)
    await openAs(String(api.key))
    await offer.getByRole("button", { name: "Use router/llama3.2:3b" }).waitFor()
    await inspect(page, "console-conversation-offered")
    await offer.getByRole("button", { name: "Use router/llama3.2:3b" }).click()
    await page.getByText("Harbour answers by router/llama3.2:3b.").waitFor()
    await offer.waitFor({ state: "detached" })
  },
)
