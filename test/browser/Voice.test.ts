import { expect } from "bun:test"
import type { Locator, Page } from "playwright-core"
import { says } from "../lib/FakeAnthropic.ts"
import { fakeSpeech } from "../lib/FakeSpeech.ts"
import { sharedRun } from "../lib/Scoped.ts"
import { Dictation } from "./lib/Model.ts"
import { speak, withMicrophone } from "./lib/Microphone.ts"
import { becomes, expectAccessible, inspect, startSuite } from "./lib/Suite.ts"
import { photograph, until } from "./lib/Visit.ts"
import { Chat } from "./lib/Widget.ts"

/*
 * Voice calls in the widget on a page of another origin, with a microphone into which the tests speak, and with servers
 * that understand and speak as the tests say.
 */

const speech = await sharedRun()(fakeSpeech)
const { model, server, site, visit } = await startSuite({
  TRANSCRIPTION_BASE_URL: `${speech.url}/v1`,
  SPEECH_BASE_URL: `${speech.url}/v1`,
})

/** Many times the silence after which what was said is sent. */
const HEARING_MILLIS = 20_000

/** A sentence that takes half a minute to say. */
const long = `It sails at noon${", and then once more a little later".repeat(90)}.`

const newCallable = async (voice: unknown = {}, input = {}) => {
  const { id } = await server.api.newChatbot({ name: "Harbour", ...input })
  await server.api.patch(`/api/external/chatbot/${id}/voice-agent`, voice)
  return { id, address: site.page({ "data-key": id }) }
}

const open = async (page: Page, address: string, label = "Start a call") => {
  const chat = await Chat.open(page, address)
  await chat.button(label).click()
  const dialog = chat.within.getByRole("dialog")
  await dialog.waitFor()
  return { chat, dialog, start: () => dialog.getByRole("button", { name: label }).click() }
}

/**
 * Says something until the server has heard it, as the sound that a busy machine plays may have gaps. Whatever is heard
 * until more is said is understood as this.
 */
const say = async (document: Chat["document"], text = "When does the ferry sail?"): Promise<void> => {
  let isHeard = false
  speech.transcribe = () => {
    isHeard = true
    return Response.json({ text })
  }
  while (!isHeard) {
    await speak(document)
    await until(async () => isHeard, HEARING_MILLIS).catch(() => {})
  }
}

const has = (dialog: Locator, text: string) => dialog.getByText(text, { exact: true }).waitFor()

visit(
  "a visitor calls: it speaks and is answered, reads along, and finds the conversation in the chat",
  async (visited) => {
    const { context, page } = visited
    await withMicrophone(context)
    const loaded: Array<string> = []
    page.on("request", (request) => loaded.push(new URL(request.url()).pathname))
    const { address, id } = await newCallable()
    const dictation = new Dictation()
    model.answers(() => dictation.answer)
    const chat = await Chat.open(page, address)
    await photograph(page, "voice-button")
    expect(loaded.filter((path) => path.includes("voice"))).toEqual([])
    await chat.button("Start a call").click()
    const dialog = chat.within.getByRole("dialog", { name: "Harbour" })
    await dialog.getByRole("button", { name: "Start a call" }).waitFor()
    await has(dialog, "You are talking to an automated assistant.")
    await inspect(page, "voice-ready", chat.document)
    await dialog.getByRole("button", { name: "Start a call" }).click()
    await has(dialog, "Listening…")
    await say(chat.document)
    await has(dialog, "Thinking…")
    await has(dialog, "When does the ferry sail?")
    await inspect(page, "voice-thinking", chat.document)
    dictation.write(`The ferry sails at **noon**. ${long}`)
    dictation.end()
    await has(dialog, "Speaking…")
    await has(dialog, "The ferry sails at noon.")
    await inspect(page, "voice-speaking", chat.document)
    await dialog.getByRole("button", { name: "Stop" }).click()
    await has(dialog, "Listening…")
    await inspect(page, "voice-listening", chat.document)
    await until(async () =>
      (await dialog.locator("[aria-live=polite] > span").allInnerTexts()).includes("The ferry sails at noon. "),
    )
    await dialog.getByRole("button", { name: "End the call" }).click()
    await dialog.waitFor({ state: "detached" })
    await chat.within.getByText("When does the ferry sail?").waitFor()
    expect(await chat.reply()).toStartWith("The ferry sails at noon.")
    await becomes(() => chat.button("Start a call").evaluate((button) => button === document.activeElement), true)
    await photograph(page, "voice-afterwards")
    await becomes(async () => (await server.api.messages(id)).length, 2)
  },
)

visit("speech interrupts the chatbot, and the history keeps what was heard", async ({ context, page }) => {
  await withMicrophone(context)
  const { address, id } = await newCallable()
  model.answers(({ text }) => says(text.includes("come back") ? "At six." : long))
  const { chat, dialog, start } = await open(page, address)
  await start()
  await has(dialog, "Listening…")
  await say(chat.document)
  await has(dialog, "Speaking…")
  await say(chat.document, "And when does it come back?")
  await has(dialog, "And when does it come back?")
  await has(dialog, "At six.")
  await has(dialog, "Listening…")
  await becomes(async () => (await server.api.messages(id)).length, 4)
  const messages = await server.api.messages(id)
  expect(messages.map(({ content }) => content.slice(0, 16))).toEqual([
    "When does the fe",
    "It sails at noon",
    "And when does it",
    "At six.",
  ])
  expect(long.startsWith(messages[1]?.content ?? "?")).toBe(true)
  expect(messages[1]?.content.length).toBeWithin(1, long.length)
})

visit(
  "a muted microphone says nothing, and the keyboard mutes, interrupts and ends the call",
  async ({ context, page }) => {
    await withMicrophone(context)
    const { address } = await newCallable()
    model.answers(() => says(long))
    const { chat, dialog, start } = await open(page, address)
    await start()
    await has(dialog, "Listening…")
    await page.keyboard.press("m")
    const mute = dialog.getByRole("button", { name: "Microphone off" })
    await until(async () => (await mute.getAttribute("aria-pressed")) === "true")
    let heard = 0
    speech.transcribe = () => ((heard += 1), Response.json({ text: "Nobody was to hear this." }))
    await speak(chat.document)
    await inspect(page, "voice-muted", chat.document)
    await page.keyboard.press("Escape")
    await dialog.waitFor({ state: "detached" })

    await chat.button("Start a call").click()
    await start()
    await has(dialog, "Listening…")
    await say(chat.document)
    await has(dialog, "Speaking…")
    // What was said before would have come first.
    expect(heard).toBe(0)
    await page.keyboard.press("Escape")
    await has(dialog, "Listening…")
    // The focus goes through the dialog and the page around the chat, and to nothing behind the dialog.
    for (let press = 0; press < 8; press++) {
      await page.keyboard.press("Tab")
      const isBehind = () => document.activeElement !== document.body && !document.activeElement?.closest("dialog")
      expect(await chat.document.evaluate(isBehind)).toBe(false)
    }
    await page.keyboard.press("Escape")
    await dialog.waitFor({ state: "detached" })
    await becomes(() => chat.button("Start a call").evaluate((button) => button === document.activeElement), true)
  },
)

visit("a microphone that is lost is replaced by the default one, whose name is said", async ({ context, page }) => {
  await withMicrophone(context)
  await context.addInitScript(() => {
    const devices = navigator.mediaDevices
    if (devices === undefined) return
    const ask = devices.getUserMedia.bind(devices)
    let count = 0
    devices.getUserMedia = async (constraints) => {
      count += 1
      if (count > 2) throw new DOMException("None is left.", "NotFoundError")
      const stream = await ask(constraints)
      for (const track of stream.getTracks()) {
        if (count > 1) Object.defineProperty(track, "label", { value: "Headset" })
        addEventListener("lost", () => track.dispatchEvent(new Event("ended")), { once: true })
      }
      return stream
    }
  })
  const { address } = await newCallable()
  model.answers(() => says("At noon."))
  const { chat, dialog, start } = await open(page, address)
  await start()
  await has(dialog, "Listening…")
  await chat.document.evaluate(() => dispatchEvent(new Event("lost")))
  await has(dialog, "Headset")
  await photograph(page, "voice-replaced")
  await say(chat.document)
  await has(dialog, "At noon.")
  await chat.document.evaluate(() => dispatchEvent(new Event("lost")))
  await dialog.getByText("The microphone cannot be used.").waitFor()
})

visit("a visitor who denies the microphone is told, and can begin again", async ({ context, page }) => {
  await context.addInitScript(() => {
    let asked = 0
    if (navigator.mediaDevices !== undefined)
      navigator.mediaDevices.getUserMedia = () => {
        document.documentElement.dataset["asked"] = String(++asked)
        return Promise.reject(new DOMException("No.", "NotAllowedError"))
      }
  })
  const { address } = await newCallable()
  const { chat, dialog, start } = await open(page, address)
  await start()
  await dialog.getByText("The microphone cannot be used.").waitFor()
  await inspect(page, "voice-denied", chat.document)
  await start()
  // The text goes and comes, and moves the buttons.
  await until(() => chat.document.evaluate(() => document.documentElement.dataset["asked"] === "2"))
  await dialog.getByText("The microphone cannot be used.").waitFor()
  await dialog.getByRole("button", { name: "Close" }).click()
  await dialog.waitFor({ state: "detached" })
})

visit("a call looks and speaks as its operator wants, from right to left as well", async ({ context, page }) => {
  await withMicrophone(context)
  const colors = {
    backgroundColor: "#102030",
    borderColor: "#405060",
    textColor: "#ffffff",
    focusOutlineColor: "#00ff00",
  }
  const { address } = await newCallable(
    {
      appearance: { ...colors, buttonColor: "#ffcc00", buttonTextColor: "#000000", buttonRadius: 4, cardRadius: 24 },
      text: { callToAction: "Ask aloud", startCall: "Call us", endCall: "Bye", listeningStatus: "All ears" },
    },
    { name: "الميناء" },
  )
  const arabic = `${address}?`
  const { chat, dialog } = await open(page, arabic, "Call us")
  await has(dialog, "Ask aloud")
  const look = () =>
    dialog.evaluate((element) => {
      const { backgroundColor, borderRadius, color } = getComputedStyle(element)
      return { backgroundColor, borderRadius, color }
    })
  expect(await look()).toEqual({
    backgroundColor: "rgb(16, 32, 48)",
    borderRadius: "24px",
    color: "rgb(255, 255, 255)",
  })
  await chat.document.evaluate(() => (document.documentElement.dir = "rtl"))
  await dialog.getByRole("button", { name: "Call us" }).click()
  await has(dialog, "All ears")
  await inspect(page, "voice-appearance", chat.document)
  await dialog.getByRole("button", { name: "Bye" }).click()
  await expectAccessible(chat.document, "afterwards")
})
