import { expect } from "bun:test"
import type { Page } from "playwright-core"
import { fakeRealtimeKey, startRealtime } from "../lib/FakeRealtime.ts"
import { becomes, inspect, startSuite } from "./lib/Suite.ts"
import { until } from "./lib/Visit.ts"
import { Chat } from "./lib/Widget.ts"

/*
 * Calls with a realtime model, over WebRTC between two tabs: one is the visitor's, the other one is the provider.
 */

const fake = startRealtime()
const { server, site, visit } = await startSuite(
  { REALTIME_MODEL: "gpt-realtime", OPENAI_BASE_URL: `${fake.url}/v1`, OPENAI_API_KEY: fakeRealtimeKey },
  [
    "--use-fake-device-for-media-stream",
    "--use-fake-ui-for-media-stream",
    "--autoplay-policy=no-user-gesture-required",
    // A tab without a microphone would hide its address, and the other one would not find it.
    "--disable-features=WebRtcHideLocalIpsWithMdns",
  ],
)

/** The provider's end of a call: it answers an offer, and is silent until its volume is raised. */
class Provider {
  readonly #page: Page

  constructor(page: Page) {
    this.#page = page
    fake.answer = (offer) => this.#page.evaluate(answer, offer)
    // The test may be over by then, and the tab closed.
    fake.onHangUp = () =>
      this.#page.evaluate(() => (Reflect.get(window, "peer") as RTCPeerConnection).close()).catch(() => {})
  }

  speaks(volume: number): Promise<void> {
    return this.#page.evaluate((value) => void ((Reflect.get(window, "gain") as GainNode).gain.value = value), volume)
  }

  /** Packets of the visitor's voice. */
  heard(): Promise<number> {
    return this.#page.evaluate(async () => {
      const stats = await (Reflect.get(window, "peer") as RTCPeerConnection).getStats()
      return Math.max(0, ...Array.from(stats.values(), ({ packetsReceived = 0 }) => Number(packetsReceived)))
    })
  }
}

const answer = async (offer: string): Promise<string> => {
  const peer = new RTCPeerConnection()
  const context = new AudioContext()
  const gain = new GainNode(context, { gain: 0 })
  const voice = new OscillatorNode(context, { frequency: 220 })
  const { stream } = voice
    .connect(gain)
    .connect(new MediaStreamAudioDestinationNode(context)) as MediaStreamAudioDestinationNode
  voice.start()
  for (const track of stream.getTracks()) peer.addTrack(track, stream)
  Object.assign(window, { peer, gain })
  await peer.setRemoteDescription({ type: "offer", sdp: offer })
  await peer.setLocalDescription()
  while (peer.iceGatheringState !== "complete") await new Promise((resolve) => setTimeout(resolve, 10))
  return peer.localDescription?.sdp ?? ""
}

const called = async (page: Page) => {
  const provider = new Provider(await page.context().newPage())
  // A tab in the background paints nothing.
  await page.bringToFront()
  const { id } = await server.api.newChatbot({ name: "Harbour" })
  await server.api.patch(`/api/external/chatbot/${id}/voice-agent`, {})
  const chat = await Chat.open(page, site.page({ "data-key": id }))
  await chat.button("Start a call").click()
  const dialog = chat.within.getByRole("dialog")
  await dialog.getByRole("button", { name: "Start a call" }).click()
  await dialog.getByText("Listening…", { exact: true }).waitFor()
  const call = fake.calls.at(-1)
  if (call === undefined) throw new Error("The provider has no call.")
  return { call, chat, dialog, id, provider }
}

visit("a visitor and a realtime model hear each other, and both sides can be read", async ({ page }) => {
  const { call, chat, dialog, id, provider } = await called(page)
  await until(async () => (await provider.heard()) > 20)
  call.hears("When does the ferry sail?")
  await dialog.getByText("When does the ferry sail?").waitFor()
  await provider.speaks(0.5)
  await dialog.getByText("Speaking…", { exact: true }).waitFor()
  call.says("It sails at noon.")
  await dialog.getByText("It sails at noon.").waitFor()
  await inspect(page, "voice-realtime", chat.document)
  await provider.speaks(0)
  await dialog.getByText("Listening…", { exact: true }).waitFor()
  await dialog.getByRole("button", { name: "End the call" }).click()
  await dialog.waitFor({ state: "detached" })
  await until(async () => call.isHungUp)
  await chat.within.getByText("When does the ferry sail?").waitFor()
  expect(await chat.reply()).toBe("It sails at noon.")
  await becomes(
    async () => (await server.api.messages(id)).map(({ content }) => content),
    ["When does the ferry sail?", "It sails at noon."],
  )
})

visit("a call ends when the server is lost, which would neither store what is said nor end it", async ({ page }) => {
  const lost = Promise.withResolvers<void>()
  await page.route("**/api/widget/conversations/*/events", async (route) => {
    await lost.promise
    await route.fulfill({ contentType: "text/event-stream", body: "" })
  })
  const { call, dialog, provider } = await called(page)
  await until(async () => (await provider.heard()) > 0)
  lost.resolve()
  await dialog.waitFor({ state: "detached" })
  await until(async () => call.isHungUp)
})

visit("a call that the server ends is over for the visitor too", async (visited) => {
  const { page } = visited
  // The widget hangs up in any case: nobody has told it why it hears nothing.
  visited.expects(/status of 404/)
  const { call, dialog, id, provider } = await called(page)
  await until(async () => (await provider.heard()) > 0)
  await server.api.patch(`/api/external/chatbots?id=${id}`, { active: false })
  await until(async () => call.isHungUp)
  await dialog.waitFor({ state: "detached" })
})
