import { describe, expect, test } from "bun:test"
import { SessionId } from "../../src/domain/Ids.ts"
import type { WidgetVoice } from "../../src/domain/widget/Widget.ts"
import { Call, type Listener, type Speaker } from "../../src/web/voice/Call.ts"
import type { TurnEvent } from "../../src/web/voice/Turns.ts"

const session = SessionId.make("00000000-0000-7000-8000-000000000001")
const config: WidgetVoice = {
  listening: "server",
  speaking: "server",
  voice: "alloy",
  appearance: {},
  avatar: "",
  text: {},
  vad: { threshold: 0.5, prefix_padding_ms: 300, silence_duration_ms: 700 },
}
const said = new Blob(["utterance"])

/** More turns of the event loop than any step of a call takes from a piece of a stream to the last of its effects. */
const TURNS = 50

/** Waits until everything that can go on without the test has gone on: nothing in a call waits for time. */
const settled = async () => {
  for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** A turn that was sent, whose stream the test writes. */
class Sent {
  readonly fields: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal
  readonly #answer = Promise.withResolvers<Response>()
  #body: ReadableStreamDefaultController<string> | undefined

  constructor(form: FormData, signal: AbortSignal) {
    this.fields = Object.fromEntries(form)
    this.signal = signal
    signal.addEventListener("abort", () => this.#answer.reject(signal.reason))
  }

  get response(): Promise<Response> {
    return this.#answer.promise
  }

  fail(): void {
    this.#answer.reject(new TypeError("offline"))
  }

  async hears(...events: ReadonlyArray<TurnEvent>): Promise<void> {
    if (this.#body === undefined) {
      const body = new ReadableStream<string>({ start: (controller) => void (this.#body = controller) })
      this.#answer.resolve(new Response(body.pipeThrough(new TextEncoderStream())))
    }
    for (const event of events) this.#body?.enqueue(`data: ${JSON.stringify(event)}\n\n`)
    await settled()
  }

  async ends(): Promise<void> {
    this.#body?.close()
    await settled()
  }
}

const transcript = (text: string): TurnEvent => ({ type: "data-transcript", data: { text } })
const start = (messageId: string): TurnEvent => ({ type: "start", messageId, messageMetadata: { session_id: session } })
const clause = (text: string): TurnEvent => ({ type: "data-clause", data: { text } })
const audio = (text: string): TurnEvent => ({ type: "data-audio", data: { audio: text } })

/** A call with a listener that the test speaks to, and a speaker that notes what it is told. */
const begin = async ({
  changes = {},
  isInterrupting = true,
}: { changes?: Partial<WidgetVoice>; isInterrupting?: boolean } = {}) => {
  const sent: Array<Sent> = []
  const conversations: Array<SessionId> = []
  const notes: Array<string> = []
  let isOpen = false
  let isClosed = false
  let drained = Promise.withResolvers<void>()
  const speaker: Speaker = {
    start: () => notes.push("start"),
    add: (piece) => notes.push(piece),
    finished: () => drained.promise,
    duck: (isDucked) => notes.push(isDucked ? "softer" : "louder"),
    stop: () => {
      drained.resolve()
      drained = Promise.withResolvers()
      return { heard_ms: 420 }
    },
    close: () => void (isClosed = true),
  }
  const listener: Listener = {
    isInterrupting,
    start: () => Promise.resolve(),
    open: (is) => void (isOpen = is),
    stop: () => notes.push("stopped listening"),
  }
  const call = new Call(
    {
      config: { ...config, ...changes },
      language: "en",
      endpoint: (form, signal) => {
        const turn = new Sent(form, signal)
        sent.push(turn)
        return turn.response
      },
      onConversation: (id) => conversations.push(id),
    },
    speaker,
  )
  await call.start(listener)
  return {
    call,
    conversations,
    notes,
    sent,
    isOpen: () => isOpen,
    isClosed: () => isClosed,
    drain: async () => {
      drained.resolve()
      await settled()
      drained = Promise.withResolvers()
    },
    /** Says something and is silent until it is over. */
    says: async () => {
      call.onPause(said, 500)
      call.onEnd()
      await settled()
      const turn = sent.at(-1)
      if (turn === undefined) throw new Error("No turn was sent")
      return turn
    },
  }
}

describe("a call", () => {
  test("sends what is said at the first pause, and says the reply", async () => {
    const { call, conversations, drain, notes, sent } = await begin()
    expect(call.phase.value).toBe("listening")
    call.onPause(said, 500)
    await settled()
    expect(call.phase.value).toBe("listening")
    expect(sent[0]?.fields).toMatchObject({ audio: expect.any(File), hold_ms: "500", language: "en" })
    call.onEnd()
    expect(call.phase.value).toBe("thinking")
    await sent[0]?.hears(transcript("When?"), start("reply"), clause("At noon."), audio("one"), audio("two"))
    expect(call.phase.value).toBe("speaking")
    expect(notes).toEqual(["start", "one", "two"])
    expect(call.exchanges.value).toEqual([
      { key: sent[0]?.fields["id"] as string, question: "When?", clauses: ["At noon."] },
    ])
    expect(conversations).toEqual([session])
    await sent[0]?.ends()
    expect(call.phase.value).toBe("speaking")
    await drain()
    expect(call.phase.value).toBe("listening")
  })

  test("withdraws a turn whose speaker goes on after a pause", async () => {
    const { call, sent } = await begin()
    call.onPause(said, 500)
    await sent[0]?.hears(transcript("When"))
    expect(call.exchanges.value).toHaveLength(1)
    call.onResumed()
    expect(sent[0]?.signal.aborted).toBe(true)
    expect(call.exchanges.value).toEqual([])
    call.onPause(said, 500)
    call.onEnd()
    await settled()
    expect(sent).toHaveLength(2)
    expect(sent[1]?.signal.aborted).toBe(false)
    expect(call.failure.value).toBeUndefined()
  })

  test("is interrupted by speech, and says with the next turn what of the reply was heard", async () => {
    const { call, notes, says, sent } = await begin()
    const first = await says()
    await first.hears(transcript("When?"), start("reply"), clause("At noon."), audio("one"))
    call.onSpeech(120)
    expect(notes).not.toContain("softer")
    call.onSpeech(180)
    expect(notes.at(-1)).toBe("softer")
    expect(call.phase.value).toBe("speaking")
    call.onSpeech(500)
    expect(call.phase.value).toBe("listening")
    expect(first.signal.aborted).toBe(true)
    const second = await says()
    expect(second.fields).toMatchObject({ heard_message_id: "reply", heard_ms: "420" })
    // Until the server has it: this turn is withdrawn.
    call.interrupt()
    const third = await says()
    expect(third.fields).toMatchObject({ heard_message_id: "reply", heard_ms: "420" })
    await third.hears(transcript("And back?"), start("next"), audio("two"))
    await third.ends()
    expect(sent).toHaveLength(3)
    call.interrupt()
    expect((await says()).fields).toMatchObject({ heard_message_id: "next" })
  })

  test("goes on speaking over a short sound, which is no turn", async () => {
    const { call, notes, says, sent } = await begin()
    await (await says()).hears(transcript("When?"), start("reply"), audio("one"))
    call.onSpeech(240)
    call.onPause(said, 500)
    call.onEnd()
    await settled()
    expect(notes.slice(-2)).toEqual(["softer", "louder"])
    expect(call.phase.value).toBe("speaking")
    expect(sent).toHaveLength(1)
  })

  test("hears nothing while the chatbot speaks where it would hear the chatbot, and nothing while it is muted", async () => {
    const { call, drain, isOpen, says } = await begin({ isInterrupting: false })
    expect(isOpen()).toBe(true)
    const turn = await says()
    expect(isOpen()).toBe(false)
    await turn.hears(transcript("When?"), start("reply"), audio("one"))
    await turn.ends()
    expect(isOpen()).toBe(false)
    await drain()
    expect(isOpen()).toBe(true)
    call.mute(true)
    expect(isOpen()).toBe(false)
    call.mute(false)
    expect(isOpen()).toBe(true)
  })

  test("listens again where nothing was understood, and where a turn fails", async () => {
    const { call, drain, says } = await begin()
    const silent = await says()
    await silent.hears(transcript(""))
    await silent.ends()
    await drain()
    expect(call.phase.value).toBe("listening")
    expect(call.exchanges.value).toEqual([])
    ;(await says()).fail()
    await settled()
    await drain()
    expect(call.phase.value).toBe("listening")
    expect(call.failure.value).toBeInstanceOf(TypeError)
    await (await says()).hears(transcript("When?"), { type: "error", errorText: "No model" })
    await drain()
    expect(call.failure.value).toEqual(new Error("No model"))
  })

  test("sends what the browser has recognized, and has the browser say the clauses", async () => {
    const { call, notes, sent } = await begin({ changes: { listening: "browser", speaking: "browser" } })
    call.onText("When?")
    expect(call.phase.value).toBe("thinking")
    expect(sent[0]?.fields).toMatchObject({ text: "When?" })
    expect(sent[0]?.fields).not.toHaveProperty("hold_ms")
    await sent[0]?.hears(transcript("When?"), start("reply"), clause("At noon."))
    expect(notes).toEqual(["start", "At noon."])
    expect(call.phase.value).toBe("speaking")
  })

  test("is over when people take the conversation, and sends nothing once it has ended", async () => {
    const { call, isClosed, notes, says, sent } = await begin()
    await (await says()).hears(transcript("A person, please"), { type: "data-handover" })
    expect(call.phase.value).toBe("over")
    expect(isClosed()).toBe(true)
    expect(notes.at(-1)).toBe("stopped listening")
    expect(sent[0]?.signal.aborted).toBe(true)
  })

  test("says that there is no microphone, and can begin again", async () => {
    const { call, isClosed } = await begin()
    call.end("ready")
    expect(isClosed()).toBe(false)
    const denied = new DOMException("denied", "NotAllowedError")
    await call.start({ isInterrupting: true, start: () => Promise.reject(denied), open: () => {}, stop: () => {} })
    expect(call.phase.value).toBe("ready")
    expect(call.failure.value).toBe(denied)
    await call.start({ isInterrupting: true, start: () => Promise.resolve(), open: () => {}, stop: () => {} })
    expect(call.phase.value).toBe("listening")
    expect(call.failure.value).toBeUndefined()
  })
})
