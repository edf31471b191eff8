import { afterAll, expect } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Exit, Scope } from "effect"
import { says } from "../lib/FakeAnthropic.ts"
import { fakeSpeech } from "../lib/FakeSpeech.ts"
import type { Page } from "playwright-core"
import { recording } from "./lib/Speech.ts"
import { becomes, inspect, startSuite } from "./lib/Suite.ts"
import { phone, type Visit } from "./lib/Visit.ts"

/*
 * The voice agent of a chatbot in the console.
 */

const scope = Scope.makeUnsafe()
const speech = await Effect.runPromise(Scope.provide(fakeSpeech, scope))
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
// Whatever it hears is the same question.
speech.transcribe = () => Response.json({ text: "When does the ferry sail?" })

const directory = mkdtempSync(join(tmpdir(), "parley-microphone-"))
afterAll(() => rmSync(directory, { recursive: true }))
const microphone = join(directory, "speech.wav")
// It is played again and again: a machine that is too busy to hear it hears it the next time.
await Bun.write(microphone, recording(2, 2, 16))

const { model, server, visit } = await startSuite({ TRANSCRIPTION_BASE_URL: speech.url, SPEECH_BASE_URL: speech.url }, [
  "--use-fake-ui-for-media-stream",
  "--use-fake-device-for-media-stream",
  `--use-file-for-fake-audio-capture=${microphone}`,
])

/** Opens the groups of fields. */
const openGroups = async (page: Page, ...titles: ReadonlyArray<string>) => {
  for (const title of titles) await page.getByRole("heading", { name: title, level: 3, exact: true }).click()
}

const newScreen = async ({ expects, page }: Visit) => {
  // The console asks who is signed in.
  expects(/status of 401/)
  const { id } = await server.api.newChatbot({ name: "Harbour" })
  await page.goto(`${server.url}/console`)
  await page.evaluate(
    (json) =>
      fetch("/api/console/session", { method: "POST", body: json, headers: { "content-type": "application/json" } }),
    JSON.stringify({ key: server.api.key }),
  )
  await page.goto(`${server.url}/console/chatbots/${id}/voice`)
  return { stored: async () => (await server.api.get(`/api/external/chatbot/${id}/voice-agent`)).voice_widget_config }
}

visit("a voice agent is turned on, set up as a whole, stored as it was filled in, and turned off", async (visited) => {
  const { page } = visited
  const { stored } = await newScreen(visited)
  await page.getByText("Speech is understood by the speech server of this Parley.").waitFor()
  await page.getByText("Audio is never stored.").waitFor()
  await inspect(page, "console-voice-off")
  expect(await stored()).toBeNull()
  await page.getByRole("button", { name: "Turn on" }).click()
  await page.getByRole("button", { name: "Start test call" }).waitFor()
  await becomes(() => stored(), {})
  await openGroups(page, "Replies", "Texts", "Appearance", "Turns")

  const texts = { Voice: "nova", "Avatar URL": "https://example.com/a.png" }
  const said = { "Call to action": "Ask aloud", "Start call": "Call us", "End call": "Bye" }
  const statuses = { "Listening status": "All ears", "Speaking status": "Talking" }
  const models = { Temperature: "0.2", "Maximum output tokens": "120" }
  const vad = { "Speech threshold": "0.6", "Silence that ends a turn (ms)": "900", "Kept before speech (ms)": "200" }
  const colors = { Background: "#102030", Border: "#405060", Text: "#ffffff", Button: "#ffcc00" }
  const others = { "Button text": "#000000", "Focus outline": "#00ff00", "Button radius": "4", "Card radius": "24" }
  for (const [label, value] of Object.entries({
    ...texts,
    ...said,
    ...statuses,
    ...models,
    ...vad,
    ...colors,
    ...others,
  }))
    await page.getByLabel(label, { exact: true }).fill(value)
  const preview = page.getByRole("complementary", { name: "Preview" })
  await preview.getByText("Ask aloud").waitFor()
  for (const [state, words] of [
    ["Listening", "All ears"],
    ["Speaking", "Talking"],
  ] as const) {
    await preview.getByRole("button", { name: state }).click()
    await preview.getByText(words, { exact: true }).waitFor()
  }
  // The chosen tab is seen in the dark, too.
  await page.emulateMedia({ colorScheme: "dark" })
  const [chosen = 0, around = 0] = await preview.locator(".tabs").evaluate((tabs) =>
    [tabs.querySelector("[aria-pressed=true]"), tabs].map((part) => {
      const [red = 0] = part === null ? [] : (getComputedStyle(part).backgroundColor.match(/\d+/g) ?? []).map(Number)
      return red
    }),
  )
  expect(chosen - around).toBeGreaterThan(20)
  await page.emulateMedia({ colorScheme: "light" })
  await preview.getByText("Bye").waitFor()
  const look = await preview.locator(".call").evaluate((card) => {
    const { backgroundColor, borderRadius, color } = getComputedStyle(card)
    return { backgroundColor, borderRadius, color }
  })
  expect(look).toEqual({ backgroundColor: "rgb(16, 32, 48)", borderRadius: "24px", color: "rgb(255, 255, 255)" })
  await page.evaluate(() => scrollTo(0, 0))
  await inspect(page, "console-voice-changed")
  await page.getByRole("button", { name: "Save" }).click()
  await page.getByText("Changes saved.").waitFor()
  expect(await stored()).toEqual({
    voice: "nova",
    avatar: { imageUrl: "https://example.com/a.png" },
    text: {
      callToAction: "Ask aloud",
      startCall: "Call us",
      endCall: "Bye",
      listeningStatus: "All ears",
      speakingStatus: "Talking",
    },
    model: { temperature: 0.2, max_output_tokens: 120 },
    vad: { threshold: 0.6, silence_duration_ms: 900, prefix_padding_ms: 200 },
    appearance: {
      backgroundColor: "#102030",
      borderColor: "#405060",
      textColor: "#ffffff",
      buttonColor: "#ffcc00",
      buttonTextColor: "#000000",
      focusOutlineColor: "#00ff00",
      buttonRadius: 4,
      cardRadius: 24,
    },
  })

  await page.reload()
  await openGroups(page, "Replies", "Texts", "Turns")
  for (const label of ["Voice", "End call", "Speech threshold"]) {
    await page.getByLabel(label, { exact: true }).fill("")
  }
  await page.getByRole("button", { name: "Save" }).click()
  await page.getByText("Changes saved.").waitFor()
  const left = await stored()
  expect([left.voice, left.text.endCall, left.vad.threshold, left.vad.silence_duration_ms]).toEqual([
    undefined,
    undefined,
    undefined,
    900,
  ])

  await page.getByRole("button", { name: "Turn off" }).click()
  await page.getByRole("dialog").getByRole("button", { name: "Turn off" }).click()
  await page.getByRole("heading", { name: "The voice agent is off" }).waitFor()
  await becomes(() => stored(), null)
})

visit("what the server refuses is said at its field, and nothing is stored", async (visited) => {
  const { expects, page } = visited
  expects(/status of 400/)
  const { stored } = await newScreen(visited)
  await page.getByRole("button", { name: "Turn on" }).click()
  await openGroups(page, "Replies", "Appearance")
  await page.getByLabel("Temperature").fill("7")
  await page.getByLabel("Button", { exact: true }).fill("yellow")
  await page.getByRole("button", { name: "Save" }).click()
  await page.getByText("Nothing was saved.").waitFor()
  for (const label of ["Temperature", "Button"])
    await becomes(() => page.getByLabel(label, { exact: true }).getAttribute("aria-invalid"), "true")
  await becomes(() => stored(), {})
  await page.setViewportSize(phone.viewport)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(phone.viewport.width)
})

visit("a test call is loaded by a click, and the times of each stage stand beside it", async (visited) => {
  const { page } = visited
  model.answers(() => says("The ferry sails at noon. It comes back at six."))
  await newScreen(visited)
  await page.getByRole("button", { name: "Turn on" }).click()
  const loaded = () =>
    page.evaluate(
      () => performance.getEntriesByType("resource").filter(({ name }) => name.endsWith("/voice.js")).length,
    )
  await page.getByRole("button", { name: "Start test call" }).waitFor()
  expect(await loaded()).toBe(0)
  await page.getByRole("button", { name: "Start test call" }).click()
  const dialog = page.getByRole("dialog", { name: "Harbour" })
  await dialog.getByRole("button", { name: "Start a call" }).click()
  expect(await loaded()).toBe(1)
  await dialog.getByText("The ferry sails at noon.").first().waitFor()
  const steps = page.getByRole("article", { name: "Steps of the reply", includeHidden: true })
  for (const stage of ["Heard", "Transcription", "First text", "First audio", "Spoken"])
    await steps.getByText(stage, { exact: true }).first().waitFor()
  await inspect(page, "console-voice-call")
  await dialog.getByRole("button", { name: "End the call" }).click()
  await inspect(page, "console-voice-called")

  await page.goto(`${server.url}/console/usage`)
  for (const used of [/\d m?s spoken$/, /\d m?s heard$/]) await page.getByText(used).first().waitFor()
  await page.getByRole("button", { name: "Enter prices" }).click()
  await page.getByText("A second that was heard counts as 10 input tokens").waitFor()
  await inspect(page, "console-voice-usage")
})
