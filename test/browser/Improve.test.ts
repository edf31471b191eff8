import { afterAll, expect } from "bun:test"
import { says } from "../lib/FakeAnthropic.ts"
import { becomes, goingOn, inspect, startSuite } from "./lib/Suite.ts"
import { until } from "./lib/Visit.ts"

const { model, open, server } = await startSuite()
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
  await page.getByLabel("API key").fill(server.api.key)
  await page.getByRole("button", { name: "Sign in" }).click()
  await page.getByRole("link", { name: "Improve this answer" }).click()
  await page.getByRole("heading", { level: 1, name: "Improve answer" }).waitFor()
  await page.getByRole("article", { name: "Old answer" }).getByText("Refunds take five days.").first().waitFor()
  await page.getByRole("button", { name: "Replace file…" }).waitFor()
  await inspect(page, "console-improve")

  await page
    .getByRole("list", { name: "Documents of the answer" })
    .getByRole("button", { name: "Refunds" })
    .first()
    .click()
  await page.getByRole("dialog", { name: "Refunds.md" }).getByText("Refunds take five days.").first().waitFor()
  await page.keyboard.press("Escape")

  const choosing = page.waitForEvent("filechooser")
  await page.getByRole("button", { name: "Replace file…" }).click()
  await (await choosing).setFiles(file("Refunds.md", rule("three")))
  const answer = page.getByRole("article", { name: "New answer" })
  await answer.getByText("Refunds take three days.").first().waitFor()
  await page.getByText("Only before: “five”. Only now: “three”.").first().waitFor()
  const cause = page.getByRole("list", { name: "Most probable cause" })
  await cause.getByText("The document “Refunds”, which the reply cites, has other content since.").waitFor()
  const ground = page.getByRole("region", { name: "Sources then and now" })
  await ground.getByText("The document “Refunds”, which the reply cites, has other content since.").waitFor()
  await ground.getByText("Then and now", { exact: true }).click()
  await ground.getByText("Only before: “five”. Only now: “three”.").waitFor()
  await ground.getByText(/^\d passages? for “How many days/).click()
  await ground.getByText("Document changed").first().waitFor()
  await becomes(() => page.getByLabel("The answer must say").inputValue(), "Refunds take three days.")
  await inspect(page, "console-improved")
  await page.getByRole("button", { name: "Keep as a test" }).click()
  await page.getByText("Test saved.").waitFor()
  const [test] = await testsOf(id)
  expect(test).toMatchObject({
    question: "How many days do refunds take?",
    expectations: { find: [{ title: "Refunds" }], say: [{ kind: "words", value: "Refunds take three days." }] },
  })

  // Once more is the same test.
  await page.getByRole("button", { name: "Ask again" }).click()
  await page.getByLabel("The answer must say").fill("three days")
  await page.getByRole("button", { name: "Save test" }).click()
  await until(async () => (await testsOf(id))[0].expectations.say[0].value === "three days")
  expect(await testsOf(id)).toHaveLength(1)
})

onScreen("a file that cannot be read is refused in words, and the old answer stays", async ({ expects, page }) => {
  expects(/status of 415/)
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
  await page.getByText("No document has anything about this question.").waitFor()
  // What mends the likeliest cause comes first.
  await page.getByText("Most probable cause: No document has the answer to this question.").waitFor()
  const titles = page.locator("main .section h2")
  await becomes(
    () => titles.allInnerTexts(),
    ["Answer", "Question and answer", "Document", "Instructions", "Sources then and now"],
  )
  await inspect(page, "console-improve-unanswered")
  await page.getByRole("button", { name: "Write the answer" }).click()
  const pair = page.getByRole("dialog", { name: "Write the answer" })
  await becomes(() => pair.getByLabel("Question", { exact: true }).inputValue(), "Who is the harbour master's deputy?")
  await becomes(() => pair.getByLabel("Answer").inputValue(), "")
  await pair.getByLabel("Answer").fill("Grace Hopper is the deputy.")
  await pair.getByRole("button", { name: "Save" }).click()
  const answer = page.getByRole("article", { name: "New answer" })
  await answer.getByText("Grace Hopper is the deputy.").first().waitFor()
  await page.getByRole("link", { name: "Open source" }).waitFor()
  const { sources } = await server.api.get(`/api/external/chatbot/${id}/sources`)
  expect(sources.map(({ kind }: { kind: string }) => kind)).toEqual(["questions"])

  // The test that was made with the answer is the one that is changed beside the new answer.
  await page.getByLabel("The answer must say").fill("Grace Hopper")
  await page.getByRole("button", { name: "Save test" }).click()
  await until(async () => (await testsOf(id))[0].expectations.say[0].value === "Grace Hopper")
  expect(await testsOf(id)).toHaveLength(1)
})

onScreen(
  "an unanswered reply is mended where it is read, with a test, by three clicks and one field",
  async ({ page }) => {
    const { id } = await server.api.newChatbot({ name: "Lighthouse", ...extractive })
    await server.api.learn(id, { "Lamp.md": "# Lamp\n\nThe lamp is lit at dusk." })
    const content = "Who is the keeper of the lighthouse?"
    const chat = await server.api.post(`/api/external/chatbot/${id}/chat`, { messages: [{ role: "user", content }] })
    await page.goto(`${server.url}/console/conversations?chatbot=${id}`)
    await page.evaluate(() => {
      let clicks = 0
      document.addEventListener("click", () => (document.body.dataset["clicks"] = String((clicks += 1))), true)
    })
    await page.getByRole("list", { name: "Conversations" }).getByRole("link", { name: content }).click()
    await page.getByRole("button", { name: "Write the answer" }).click()
    const dialog = page.getByRole("dialog", { name: "Write the answer" })
    await becomes(() => dialog.getByLabel("Question", { exact: true }).inputValue(), content)
    await becomes(() => dialog.getByLabel("Keep as a test").isChecked(), true)
    await inspect(page, "console-write-answer")
    await becomes(() => dialog.getByLabel("Answer").evaluate((field) => field === document.activeElement), true)
    await page.keyboard.type("Ada Lovelace keeps it.")
    await dialog.getByRole("button", { name: "Save" }).click()
    await page.getByText("Answer saved.").waitFor()
    await dialog.waitFor({ state: "detached" })
    expect(await page.evaluate(() => document.body.dataset["clicks"])).toBe("3")
    const { data } = await server.api.get(`/api/external/chatbot/${id}/conversations/${chat.session_id}/messages`)
    expect(await testsOf(id)).toMatchObject([
      {
        question: content,
        message_id: data.at(-1).id,
        expectations: { find: [{ title: content }], say: [{ kind: "judge", value: "Ada Lovelace keeps it." }] },
      },
    ])
    const again = await server.api.post(`/api/external/chatbot/${id}/chat`, { messages: [{ role: "user", content }] })
    expect(JSON.stringify(again)).toContain("Ada Lovelace keeps it.")
  },
)

onScreen("a prompt is tried with the turns before the question, and saved", async ({ page }) => {
  const { id } = await server.api.newChatbot({ name: "Station" })
  model.answers(({ body }) =>
    says(JSON.stringify(body).includes("in one word") ? "Noon." : "It leaves at noon, daily."),
  )
  const path = `/api/external/chatbot/${id}`
  const { session_id } = await server.api.post(`${path}/chat`, {
    messages: [{ role: "user", content: "Is there a train to the coast?" }],
  })
  const { data: conversations } = await server.api.get(`${path}/conversations`)
  await server.api.post(`${path}/chat`, {
    messages: [{ role: "user", content: "And when does it leave?" }],
    sessionToken: conversations[0].session_token ?? session_id,
  })
  const { data } = await server.api.get(`${path}/conversations/${session_id}/messages`)
  const sent: Array<string> = []
  model.answers(({ body }) => {
    sent.push(JSON.stringify(body))
    return says(JSON.stringify(body).includes("in one word") ? "Noon." : "It leaves at noon, daily.")
  })
  await page.goto(`${server.url}/console/chatbots/${id}/replies/${data.at(-1).id}`)
  await page.getByText("2 messages before the question").click()
  await page.getByRole("textbox", { name: "Instructions" }).fill("Answer in one word.")
  await page.getByRole("button", { name: "Try without saving" }).click()
  const answer = page.getByRole("article", { name: "New answer" })
  await answer.getByText("Noon.", { exact: true }).first().waitFor()
  await answer.getByText("Instructions not saved").waitFor()
  expect(sent.at(-1)).toContain("Is there a train to the coast?")
  await inspect(page, "console-improve-prompt")
  await page.getByRole("button", { name: "Save to chatbot" }).click()
  await answer.getByText("Instructions not saved").waitFor({ state: "detached" })
  await answer.getByText("Noon.", { exact: true }).first().waitFor()
  expect((await server.api.get(path)).chatbot.settings.prompt).toBe("Answer in one word.")
})

onScreen("a reply of the playground is improved as well, and a page's source is at hand", async ({ page }) => {
  const { id } = await server.api.newChatbot({ name: "Library", ...extractive })
  const text = "# Loans\n\nA book is lent for four weeks."
  await server.api.post(`/api/external/chatbot/${id}/sources`, { kind: "text", name: "Loans", text })
  const documents = async () => (await server.api.get(`/api/external/chatbot/${id}/knowledge-base/documents`)).data
  await until(async () => (await documents())[0]?.status === "ready")
  await page.goto(`${server.url}/console/chatbots/${id}/playground`)
  await page.getByPlaceholder("Ask a question…").fill("For how long is a book lent?")
  await page.keyboard.press("Enter")
  await page.getByRole("link", { name: "Improve this answer" }).click()
  await page.getByRole("article", { name: "Old answer" }).getByText("four weeks").first().waitFor()
  await page.getByRole("link", { name: "Open source" }).click()
  await page.getByRole("heading", { level: 1, name: "Loans" }).waitFor()
})

onScreen("who may not write knowledge is not offered to write an answer", async ({ context, expects, page }) => {
  expects(/status of 401/)
  const { id } = await server.api.newChatbot({ name: "Windmill", ...extractive })
  const content = "Who is the miller?"
  const chat = await server.api.post(`/api/external/chatbot/${id}/chat`, { messages: [{ role: "user", content }] })
  const scopes = ["conversations:read", "knowledge:read"]
  const { key } = await server.api.post("/api/admin/api-keys", { name: "Reader", scopes })
  await context.clearCookies()
  await page.goto(`${server.url}/console/conversations/${id}/${chat.session_id}`)
  await page.getByLabel("API key").fill(key)
  await page.getByRole("button", { name: "Sign in" }).click()
  await page.getByRole("link", { name: "Improve this answer" }).waitFor()
  expect(await page.getByRole("button", { name: "Write the answer" }).count()).toBe(0)
})
