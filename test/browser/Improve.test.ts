import { afterAll, expect } from "bun:test"
import { operatorKey } from "../lib/Spawn.ts"
import { goingOn, inspect, startSuite } from "./lib/Suite.ts"
import { until } from "./lib/Visit.ts"

const { open, server } = await startSuite()
const signedIn = await open()
const onScreen = goingOn(signedIn)
afterAll(() => signedIn.context.close())

const extractive = { settings: { model: "local/extractive" } }
const file = (name: string, text: string) => ({ name, mimeType: "text/markdown", buffer: Buffer.from(text) })
const rule = (days: string) => `# Refunds\n\nRefunds take ${days} days.\n\n# Pick-up\n\nA courier picks up your parcel.`

/** Asks a chatbot and returns the id of its reply. */
const asked = async (chatbotId: string, content: string): Promise<string> => {
  const { session_id } = await server.api.post(`/api/external/chatbot/${chatbotId}/chat`, {
    messages: [{ role: "user", content }],
  })
  const { data } = await server.api.get(`/api/external/chatbot/${chatbotId}/conversations/${session_id}/messages`)
  return data.at(-1).id
}

const testsOf = async (chatbotId: string) => (await server.api.get(`/api/external/chatbot/${chatbotId}/tests`)).data

onScreen("a reply of a conversation is mended by its document, and kept as a test", async ({ expects, page }) => {
  expects(/status of 401/)
  const { id } = await server.api.newChatbot({ name: "Shop", ...extractive })
  await server.api.learn(id, { "Refunds.md": rule("five") })
  const { session_id } = await server.api.post(`/api/external/chatbot/${id}/chat`, {
    messages: [{ role: "user", content: "How many days do refunds take?" }],
  })
  await page.goto(`${server.url}/console/conversations/${id}/${session_id}`)
  await page.getByLabel("API key").fill(operatorKey)
  await page.getByRole("button", { name: "Sign in" }).click()
  await page.getByRole("link", { name: "Improve answer" }).click()
  await page.getByRole("heading", { level: 1, name: "Improve answer" }).waitFor()
  await page.getByRole("article", { name: "Old answer" }).getByText("Refunds take five days.").waitFor()
  await page.getByRole("button", { name: "Replace file…" }).waitFor()
  await inspect(page, "console-improve")

  await page.getByRole("button", { name: "Open passage" }).click()
  await page.getByRole("dialog", { name: "Refunds.md" }).getByText("Refunds take five days.").waitFor()
  await page.keyboard.press("Escape")

  const choosing = page.waitForEvent("filechooser")
  await page.getByRole("button", { name: "Replace file…" }).click()
  await (await choosing).setFiles(file("Refunds.md", rule("three")))
  const answer = page.getByRole("article", { name: "New answer" })
  await answer.getByText("Refunds take three days.").first().waitFor()
  await page.getByText("Only before: “five”. Only now: “three”.").waitFor()
  await page
    .getByRole("list", { name: "Differences" })
    .getByText(/^Refunds.*changed/)
    .first()
    .waitFor()
  expect(await page.getByLabel("Text", { exact: true }).inputValue()).toBe("Refunds take three days.")
  await inspect(page, "console-improved")
  await page.getByRole("button", { name: "Keep as a test" }).click()
  await page.getByText("Test saved.").waitFor()
  const [test] = await testsOf(id)
  expect(test).toMatchObject({
    question: "How many days do refunds take?",
    expectations: { find: [{ title: "Refunds.md" }], say: [{ kind: "words", value: "Refunds take three days." }] },
  })

  // Once more is the same test.
  await page.getByRole("button", { name: "Ask again" }).click()
  await page.getByRole("button", { name: "Keep as a test" }).waitFor()
  await page.getByLabel("Text", { exact: true }).fill("three days")
  await page.getByRole("button", { name: "Keep as a test" }).click()
  await until(async () => (await testsOf(id))[0].expectations.say[0].value === "three days")
  expect(await testsOf(id)).toHaveLength(1)
})

onScreen("a file that cannot be read is refused in words, and the old answer stays", async ({ page }) => {
  const { id } = await server.api.newChatbot({ name: "Museum", ...extractive })
  await server.api.learn(id, { "Hours.md": "# Hours\n\nThe museum opens at nine." })
  await page.goto(`${server.url}/console/chatbots/${id}/replies/${await asked(id, "When does the museum open?")}`)
  const choosing = page.waitForEvent("filechooser")
  await page.getByRole("button", { name: "Replace file…" }).click()
  await (await choosing).setFiles({ name: "Hours.pdf", mimeType: "application/pdf", buffer: Buffer.from("no PDF") })
  await page.locator(".toast.failed").getByText("Hours").waitFor()
  expect(await page.getByRole("article", { name: "New answer" }).innerText()).not.toContain("nine")
  await page.getByRole("button", { name: "Ask again" }).click()
  await page.getByText("Both say the same.").waitFor()
})

onScreen("a question without an answer is mended by one that a person approves", async ({ page }) => {
  const { id } = await server.api.newChatbot({ name: "Harbour", ...extractive })
  await server.api.learn(id, { "Ferry.md": "# Ferry\n\nThe ferry sails at noon." })
  await page.goto(
    `${server.url}/console/chatbots/${id}/replies/${await asked(id, "Who is the harbour master's deputy?")}`,
  )
  const pair = page.getByRole("region", { name: "Question and answer" })
  expect(await pair.getByLabel("Question").inputValue()).toBe("Who is the harbour master's deputy?")
  expect(await pair.getByLabel("Answer").inputValue()).toBe("")
  await inspect(page, "console-improve-unanswered")
  await pair.getByLabel("Answer").fill("Grace Hopper is the deputy.")
  await pair.getByRole("button", { name: "Approve and save" }).click()
  const answer = page.getByRole("article", { name: "New answer" })
  await answer.getByText("Grace Hopper is the deputy.").first().waitFor()
  // The question is changed from then on, and not refused as a second one.
  await pair.getByLabel("Answer").fill("Grace Hopper.")
  await pair.getByRole("button", { name: "Save changes" }).click()
  await answer.getByText("Grace Hopper.", { exact: true }).first().waitFor()
  const { sources } = await server.api.get(`/api/external/chatbot/${id}/sources`)
  expect(sources.map(({ kind }: { kind: string }) => kind)).toEqual(["questions"])
})
