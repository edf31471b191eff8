import { afterAll, beforeAll, expect } from "bun:test"
import { readFileSync } from "node:fs"
import { becomes, goingOn, inspect, startSuite } from "./lib/Suite.ts"

const { open, server } = await startSuite()
const signedIn = await open()
const onScreen = goingOn(signedIn)
const { id } = await server.api.newChatbot({ name: "Returns", settings: { model: "local/extractive" } })
const tests = `${server.url}/console/chatbots/${id}/tests`
const question = "How many days do refunds take?"
await server.api.learn(id, { "refunds.md": "# Refunds\n\nRefunds take five days." })

beforeAll(async () => {
  signedIn.expects(/status of 401/)
  await signedIn.page.goto(tests)
  await signedIn.page.getByLabel("API key").fill(server.api.key)
  await signedIn.page.getByRole("button", { name: "Sign in" }).click()
})
afterAll(() => signedIn.context.close())

onScreen("a test is written, and runs", async ({ page }) => {
  await page.getByText("No tests yet").waitFor()
  await inspect(page, "console-no-tests")
  await page.getByRole("button", { name: "Add test" }).click()
  const dialog = page.getByRole("dialog", { name: "Add test" })
  await dialog.getByLabel("Question", { exact: true }).fill(question)
  await dialog.getByRole("combobox", { name: "Document" }).fill("refunds.md")
  await dialog.getByLabel("Contains").fill("five days")
  await dialog.getByLabel("The answer must say").fill("five days")
  await dialog.getByLabel("Tags").fill("refunds, money")
  await dialog.getByText("More", { exact: true }).click()
  await inspect(page, "console-add-test")
  await dialog.getByRole("button", { name: "Save" }).click()
  await page.getByText("Not run yet").waitFor()
  const [test] = (await server.api.get(`/api/external/chatbot/${id}/tests`)).data
  expect(test.expectations.find).toEqual([
    { document_id: expect.any(String), title: "refunds.md", contains: "five days" },
  ])

  await page.getByRole("button", { name: "Run", exact: true }).click()
  await page.getByRole("button", { name: "Search only, free" }).click()
  await page.getByRole("heading", { level: 1, name: "Test run" }).waitFor()
  await page.getByText("1 passed").waitFor()
})

onScreen("a run shows what got worse, with both answers and what was found", async ({ page }) => {
  const [{ id: documentId }] = (await server.api.get(`/api/external/chatbot/${id}/knowledge-base/documents`)).data
  await server.api.delete(`/api/external/chatbot/${id}/knowledge-base/documents/${documentId}`)
  await server.api.learn(id, { "refunds.md": "# Refunds\n\nRefunds take ten days." })
  const { run } = await server.api.post(`/api/external/chatbot/${id}/test-runs`, {})
  await page.goto(tests)
  await page.getByRole("link", { name: "Tests 1 worse" }).waitFor()
  await page
    .getByRole("row", { name: new RegExp(question.replace("?", "\\?")) })
    .getByText("Worse")
    .waitFor()
  await inspect(page, "console-tests")
  await page.getByRole("button", { name: "Runs" }).click()
  await inspect(page, "console-test-runs")
  await page.getByRole("rowheader").first().getByRole("link").click()
  expect(page.url()).toEndWith(run.id)
  await page.getByText("The answer does not say “five days”.").waitFor()
  await page.getByText("Only before: “five”. Only now: “ten”.").waitFor()
  await page.getByText(/^\d passages? for/).click()
  await page.getByText("Not found any more").first().waitFor()
  await inspect(page, "console-test-run")
})

onScreen("a test is edited, exported, imported and deleted", async ({ page }) => {
  await page
    .getByRole("navigation")
    .getByRole("link", { name: /^Tests/ })
    .click()
  await page.getByRole("button", { name: question, exact: true }).click()
  const dialog = page.getByRole("dialog", { name: "Edit test" })
  await becomes(() => dialog.getByRole("combobox", { name: "Document" }).inputValue(), "refunds.md")
  await dialog.getByLabel("Question", { exact: true }).fill("How long do refunds take?")
  await dialog.getByRole("button", { name: "Save" }).click()
  await page.getByRole("button", { name: "How long do refunds take?", exact: true }).waitFor()

  await page.getByRole("button", { name: "More actions" }).click()
  const saving = page.waitForEvent("download")
  await page.getByRole("button", { name: "Export as JSONL" }).click()
  const path = await (await saving).path()
  expect(readFileSync(path, "utf8")).toContain("How long do refunds take?")
  await page.getByRole("button", { name: "Actions for How long" }).click()
  await page.getByRole("button", { name: "Delete…" }).click()
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
  await page.getByText("No tests yet").waitFor()
  await page.getByRole("button", { name: "More actions" }).click()
  const choosing = page.waitForEvent("filechooser")
  await page.getByRole("button", { name: "Import…" }).click()
  await (await choosing).setFiles({ name: "tests.jsonl", mimeType: "application/jsonl", buffer: readFileSync(path) })
  await page.getByText("1 added, 0 updated, 0 unchanged, 0 refused.").waitFor()
  await page.keyboard.press("Escape")
  await page.getByRole("button", { name: "How long do refunds take?", exact: true }).waitFor()
})

onScreen("a run with the model says what it costs, within the plan", async ({ page }) => {
  await page.getByRole("button", { name: "More actions" }).click()
  await page.getByRole("button", { name: "Plan…" }).click()
  const plan = page.getByRole("dialog", { name: "Plan of the tests" })
  await plan.getByLabel("Answers per test").fill("3")
  await plan.getByLabel("Schedule").selectOption("daily")
  await inspect(page, "console-test-plan")
  await plan.getByRole("button", { name: "Save" }).click()
  await plan.waitFor({ state: "detached" })
  await page.getByRole("button", { name: "Run", exact: true }).click()
  await page.getByRole("button", { name: "With the model…" }).click()
  await page.getByText("3 answers of local/extractive to 1 test, paid with tokens").waitFor()
  await inspect(page, "console-run-with-model")
  await page.getByRole("dialog").getByRole("button", { name: "Run" }).click()
  await page.getByText("1 failed").waitFor()
  await page.locator(".badge.bad").getByText("Finished").waitFor()
  await page.getByRole("button", { name: "Better", exact: true }).click()
  await page.getByText("No such results.").waitFor()
  await page.getByRole("button", { name: "Failed", exact: true }).click()
  await page.getByText("How long do refunds take?").click()
  await page.getByText("0 of 3 answers passed").waitFor()
})
