import { expect } from "bun:test"
import { says } from "../lib/FakeAnthropic.ts"
import { becomes, inspect, startSuite } from "./lib/Suite.ts"
import { Chat } from "./lib/Widget.ts"

/*
 * Voice calls where the server neither understands nor speaks: the browser does both, by scripts in place of its own.
 */

const { model, server, site, visit } = await startSuite()

/** Recognizes what `hear` is called with, and speaks each utterance until `say` is called. */
const scripted = (places: ReadonlyArray<string>) => {
  class Recognition {
    static available = () => Promise.resolve(places.includes("device") ? "available" : "unavailable")
    onresult = (_: unknown) => {}
    onend = () => {}
    start() {
      Reflect.set(window, "hear", (transcript: string) => {
        this.onresult({ results: [[{ transcript }]] })
        this.onend()
      })
    }
    abort() {
      Reflect.deleteProperty(window, "hear")
      queueMicrotask(() => this.onend())
    }
  }
  const spoken: Array<SpeechSynthesisUtterance> = []
  Reflect.set(window, "spoken", spoken)
  Reflect.set(window, "SpeechRecognition", places.length > 0 ? Recognition : undefined)
  Reflect.set(window, "webkitSpeechRecognition", undefined)
  speechSynthesis.speak = (utterance) => void (utterance.text !== "" && spoken.push(utterance))
}

visit("the browser recognizes and speaks, says so, and how far it came is what the history keeps", async (visited) => {
  const { context, page } = visited
  await context.addInitScript(scripted, ["device", "maker"])
  model.answers(({ text }) => says(text.includes("back") ? "At six." : "It sails at noon. It waits for nobody."))
  const { id } = await server.api.newChatbot({ name: "Harbour" })
  await server.api.patch(`/api/external/chatbot/${id}/voice-agent`, {})
  const chat = await Chat.open(page, site.page({ "data-key": id }))
  await chat.button("Start a call").click()
  const dialog = chat.within.getByRole("dialog")
  await dialog.getByText("Your browser recognizes your speech.").waitFor()
  expect(await dialog.getByText("The maker of the browser may receive it.").count()).toBe(0)
  await inspect(page, "voice-browser", chat.document)
  await dialog.getByRole("button", { name: "Start a call" }).click()
  const within = chat.document
  const hears = async (text: string) => {
    await within.waitForFunction(() => Reflect.has(window, "hear"))
    await within.evaluate((said) => Reflect.get(window, "hear")(said), text)
  }
  await hears("When does the ferry sail?")
  await dialog.getByText("It waits for nobody.").waitFor()
  expect(await within.evaluate(() => Reflect.has(window, "hear"))).toBe(false)
  await within.evaluate(() => {
    const [first, second] = Reflect.get(window, "spoken")
    first.onend()
    second.onboundary({ charIndex: "It waits for ".length })
  })
  await page.keyboard.press("Escape")
  await hears("And back?")
  await dialog.getByText("At six.").waitFor()
  await becomes(
    async () => (await server.api.messages(id)).map(({ content }) => content),
    ["When does the ferry sail?", "It sails at noon. It waits for", "And back?", "At six."],
  )
})

visit(
  "a visitor is told that its browser cannot call, or that the browser's maker may listen",
  async ({ context, page }) => {
    const { id } = await server.api.newChatbot({ name: "Harbour" })
    await server.api.patch(`/api/external/chatbot/${id}/voice-agent`, {})
    const address = site.page({ "data-key": id })
    await context.addInitScript(scripted, [])
    const chat = await Chat.open(page, address)
    await chat.button("Start a call").click()
    const dialog = chat.within.getByRole("dialog")
    await dialog.getByText("The microphone cannot be used.").waitFor()
    expect(await dialog.getByRole("button", { name: "Start a call" }).count()).toBe(0)
    expect(await dialog.getByText("Your browser recognizes your speech.").count()).toBe(0)
    await inspect(page, "voice-unsupported", chat.document)
    await context.addInitScript(scripted, ["maker"])
    await Chat.open(page, address)
    await chat.button("Start a call").click()
    await dialog.getByText("The maker of the browser may receive it.").waitFor()
    await inspect(page, "voice-maker", chat.document)
  },
)
