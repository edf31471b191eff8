import { afterAll, expect } from "bun:test"
import { becomes, goingOn, inspect, startSuite } from "./lib/Suite.ts"
import { until } from "./lib/Visit.ts"

const { open, server } = await startSuite()
const signedIn = await open()
const onScreen = goingOn(signedIn)
afterAll(() => signedIn.context.close())

const { id } = await server.api.newChatbot({ name: "Ferries", settings: { model: "local/extractive" } })
const route = `/api/external/chatbot/${id}`
const ask = (content: string) => server.api.post(`${route}/chat`, { messages: [{ role: "user", content }] })
const body = { kind: "questions", name: "Questions and answers" }
const { source } = await server.api.post(`${route}/sources`, body)
const answered = { question: "When does the ferry sail?", answer: "At noon." }
await server.api.post(`${route}/sources/${source.id}/questions`, answered)
await until(async () => (await server.api.get(`${route}/suggested-questions`)).questions.length > 0)

onScreen("starter questions are suggested, and offered once they are saved", async ({ expects, page }) => {
  expects(/status of 401/)
  await page.goto(`${server.url}/console/chatbots/${id}/widget`)
  await page.getByLabel("API key").fill(server.api.key)
  await page.getByRole("button", { name: "Sign in" }).click()
  // The conversation of the preview is about what the chatbot could be asked.
  const preview = page.getByRole("complementary", { name: "Preview" }).frameLocator("iframe")
  await preview.locator(".question").getByText("When does the ferry sail?").waitFor()
  await page.getByRole("button", { name: "Suggest questions" }).click()
  await page.getByRole("button", { name: "When does the ferry sail?" }).click()
  await inspect(page, "console-suggested-questions")
  await page.getByRole("button", { name: "Save" }).click()
  await page.getByText("Changes saved.").waitFor()
  const { chat_widget_config: look } = await server.api.get(`${route}/chat-widget`)
  expect(look.suggestions).toEqual(["When does the ferry sail?"])
})

onScreen("a gap is closed by an answer", async ({ page }) => {
  await page.goto(`${server.url}/console/chatbots/${id}/topics`)
  await page.getByText("No gaps").waitFor()
  await inspect(page, "console-no-gaps")
  await ask("Is my bicycle insured on board?")
  await ask("Is a bicycle insured?")
  await until(async () => (await server.api.get(`${route}/topics?gaps=true`)).data.length > 0)
  await page.reload()
  const topic = page.getByRole("list", { name: "Topics" }).locator("> li")
  await topic.getByText("New", { exact: true }).waitFor()
  await topic.getByText("Questions with gaps").click()
  await topic.getByRole("link", { name: "Improve answer" }).first().waitFor()
  await inspect(page, "console-gaps")
  // A question of the topic is answered with the other ways in which it was asked.
  const dialog = page.getByRole("dialog", { name: "Write the answer" })
  const row = topic.getByRole("listitem").filter({ hasText: "Is a bicycle insured?" })
  await row.getByRole("button", { name: "Write the answer" }).click()
  await becomes(() => dialog.getByLabel("Question", { exact: true }).inputValue(), "Is a bicycle insured?")
  await becomes(() => dialog.getByLabel("Other ways to ask").inputValue(), "Is my bicycle insured on board?")
  await dialog.getByRole("button", { name: "Cancel" }).click()
  await topic.getByRole("button", { name: "Write the answer" }).first().click()
  await until(async () => (await dialog.getByLabel("Question", { exact: true }).inputValue()).includes("bicycle"))
  await dialog.getByLabel("Answer", { exact: true }).fill("Bicycles are insured up to 500 euros.")
  await inspect(page, "console-write-answer")
  await dialog.getByRole("button", { name: "Save" }).click()
  await page.getByText("No gaps").waitFor()
  expect(JSON.stringify(await ask("Is my bicycle insured on board?"))).toContain("500 euros")
})

onScreen("a topic is renamed, ignored and opened again", async ({ page }) => {
  await page.getByRole("button", { name: "All topics" }).click()
  const actions = page.getByRole("button", { name: /^Actions for/ }).first()
  await actions.click()
  await page.getByRole("button", { name: "Rename…" }).click()
  await page.getByRole("dialog").getByLabel("Name").fill("Insurance")
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click()
  await page.getByRole("heading", { name: "Insurance" }).waitFor()
  for (const [action, state] of [
    ["Ignore", "ignored"],
    ["Open again", "open"],
  ] as const) {
    await actions.click()
    await page.getByRole("button", { name: action, exact: true }).click()
    await page.getByText(`“Insurance” is ${state}.`).waitFor()
  }
  await inspect(page, "console-topics")
})
