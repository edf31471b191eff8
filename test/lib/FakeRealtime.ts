import type { ServerWebSocket } from "bun"
import { afterAll } from "bun:test"

/*
 * A server that speaks OpenAI's Realtime API: it takes calls over HTTP, and tells and hears the events of their side
 * channels over WebSockets. Of WebRTC there is only the answer; what is said is what a test says.
 */

export const fakeRealtimeKey = "sk-fake-realtime-key"
export const fakeSdp = "v=0\r\no=- 1 1 IN IP4 192.0.2.1\r\ns=-\r\nt=0 0\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111\r\n"

/** The session of a call, as far as tests look at it. */
interface FakeSession {
  readonly instructions: string
  readonly model: string
  readonly audio: object
  readonly tools: ReadonlyArray<{ readonly name: string }>
}

interface SentItem {
  readonly type: string
  readonly call_id?: string
  readonly output?: string
  readonly role?: string
  readonly content?: ReadonlyArray<{ readonly type: string; readonly text: string }>
}

interface SentEvent {
  readonly type: string
  readonly item?: SentItem
}

type Event = Readonly<Record<string, unknown>>

/** A call at the provider. */
export class FakeCall {
  readonly id: string
  readonly offer: string
  readonly session: FakeSession
  /** What the server has sent through the side channel. */
  readonly received: Array<SentEvent> = []
  isHungUp = false
  /** How many times a side channel was opened. */
  attached = 0
  socket: ServerWebSocket<FakeCall> | undefined
  private items = 0
  private last: string | null = null

  constructor(id: string, offer: string, session: FakeSession) {
    this.id = id
    this.offer = offer
    this.session = session
  }

  /** Tells an event, or any text. */
  tell(event: Event | string): void {
    this.socket?.send(typeof event === "string" ? event : JSON.stringify({ event_id: crypto.randomUUID(), ...event }))
  }

  /** Adds an item to the conversation. Returns its id. */
  adds(role: "user" | "assistant"): string {
    const id = `item_${++this.items}`
    const content = role === "user" ? [{ type: "input_audio", transcript: null }] : []
    const item = { id, object: "realtime.item", type: "message", status: "in_progress", role, content }
    this.tell({ type: "conversation.item.added", previous_item_id: this.last, item })
    this.last = id
    return id
  }

  transcribes(item_id: string, transcript: string): void {
    const type = "conversation.item.input_audio_transcription.completed"
    this.tell({
      type,
      item_id,
      content_index: 0,
      transcript,
      usage: { type: "tokens", input_tokens: 9, output_tokens: 3 },
    })
  }

  /** Says something as the visitor. */
  hears(text: string): void {
    this.transcribes(this.adds("user"), text)
  }

  /** Ends a response with these items. */
  responds(output: ReadonlyArray<Event>, more: Event = {}): void {
    const usage = {
      total_tokens: 250,
      input_tokens: 200,
      output_tokens: 50,
      input_token_details: { cached_tokens: 80, text_tokens: 150, audio_tokens: 50 },
      output_token_details: { text_tokens: 10, audio_tokens: 40 },
    }
    const id = `resp_${crypto.randomUUID()}`
    this.tell({
      type: "response.done",
      response: { id, object: "realtime.response", status: "completed", output, usage, ...more },
    })
  }

  /** Says something as the model. Returns the id of the item. */
  says(text: string, more: Event = {}, item = this.adds("assistant")): string {
    this.tell({
      type: "response.output_audio_transcript.done",
      item_id: item,
      output_index: 0,
      content_index: 0,
      transcript: text,
    })
    this.responds([{ id: item, type: "message", status: "completed", role: "assistant", content: [] }], more)
    return item
  }

  /** Calls a tool. */
  calls(name: string, args: unknown, call_id = `call_${crypto.randomUUID()}`): void {
    const text = typeof args === "string" ? args : JSON.stringify(args)
    this.responds([{ id: `fc_${call_id}`, type: "function_call", status: "completed", name, call_id, arguments: text }])
  }

  /** The results of tools that were sent, by the ids of their calls. */
  get outputs(): ReadonlyArray<SentItem> {
    return this.received.flatMap(({ item }) => (item?.type === "function_call_output" ? [item] : []))
  }
}

export interface FakeRealtime {
  readonly url: string
  readonly calls: Array<FakeCall>
  /** Answers the offer of a call; unless a test answers, with what no browser can use. */
  answer: (offer: string) => Promise<string> | string
  /** Called when a call is hung up. */
  onHangUp: () => unknown
  /** The status of the next answers to offers. */
  status: number
  /** Whether side channels are refused. */
  refusesChannels: boolean
  /** Requests without the key. */
  strangers: number
}

/** Starts a provider, until the tests of the calling file have ended. */
export const startRealtime = (): FakeRealtime => {
  const fake: FakeRealtime = {
    url: "",
    calls: [],
    answer: () => fakeSdp,
    onHangUp: () => {},
    status: 201,
    refusesChannels: false,
    strangers: 0,
  }
  const server = Bun.serve<FakeCall>({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request, server) => {
      const { pathname, searchParams } = new URL(request.url)
      if (request.headers.get("authorization") !== `Bearer ${fakeRealtimeKey}`) {
        fake.strangers++
        return Response.json(
          { error: { message: `No such key: ${request.headers.get("authorization")}` } },
          { status: 401 },
        )
      }
      if (pathname === "/v1/realtime") {
        const call = fake.calls.find(({ id }) => id === searchParams.get("call_id"))
        if (call === undefined || call.isHungUp || fake.refusesChannels)
          return new Response("No such call", { status: 404 })
        return server.upgrade(request, { data: call })
          ? undefined
          : new Response("Expected a WebSocket", { status: 400 })
      }
      const [, id] = /^\/v1\/realtime\/calls\/(\w+)\/hangup$/.exec(pathname) ?? []
      const call = fake.calls.find((one) => one.id === id)
      if (call !== undefined) {
        call.isHungUp = true
        call.socket?.close()
        fake.onHangUp()
        return new Response()
      }
      if (pathname !== "/v1/realtime/calls") return new Response("Not found", { status: 404 })
      if (fake.status !== 201)
        return Response.json({ error: { message: "words of the provider" } }, { status: fake.status })
      const form = await request.formData()
      const opened = new FakeCall(
        `rtc_${crypto.randomUUID().replaceAll("-", "")}`,
        String(form.get("sdp")),
        JSON.parse(String(form.get("session"))),
      )
      fake.calls.push(opened)
      return new Response(await fake.answer(opened.offer), {
        status: 201,
        headers: { location: `/v1/realtime/calls/${opened.id}`, "content-type": "application/sdp" },
      })
    },
    websocket: {
      data: {} as FakeCall,
      open: (socket) => {
        socket.data.attached++
        socket.data.socket = socket
      },
      message: ({ data }, text) => void data.received.push(JSON.parse(String(text))),
    },
  })
  afterAll(() => server.stop(true))
  return Object.assign(fake, { url: `http://127.0.0.1:${server.port}` })
}
