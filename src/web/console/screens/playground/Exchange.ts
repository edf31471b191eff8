import { type ReadonlySignal, signal } from "@preact/signals"
import type { ChatTurn } from "../../../../domain/chat/Chat.ts"
import { type Block, blocksOf } from "../../../shared/markdown/Blocks.ts"
import { eventsOf } from "../../../shared/EventStream.ts"
import { open } from "../../server/Api.ts"
import { randomUuid } from "../../../shared/Random.ts"
import { type Explanation, toFailure } from "../../server/Failure.ts"
import { jsonIn } from "../../server/Unknown.ts"
import { advance, ended, isGoingOn, newTrace, type Trace } from "./Trace.ts"

/** A question and the reply to it, while it is being made and afterwards. */
export interface Exchange {
  readonly id: string
  readonly question: string
  readonly trace: ReadonlySignal<Trace>
  readonly blocks: ReadonlySignal<ReadonlyArray<Block>>
  /** Time until now, in milliseconds. */
  readonly elapsed: ReadonlySignal<number>
  readonly stop: () => void
}

const TICK_MILLIS = 80

const options = (signal: AbortSignal) =>
  ({ query: { stream: "true", steps: "true" }, headers: { accept: "text/event-stream" }, signal }) as const

/** Asks a chatbot. The exchange begins at once, and never fails: its trace tells what went wrong. */
export const ask = (chatbotId: string, sessionToken: string, question: string): Exchange =>
  begin(question, (signal) =>
    open("POST /api/external/chatbot/:chatbotId/chat", {
      ...options(signal),
      params: { chatbotId },
      body: { messages: [{ role: "user", content: question }], sessionToken, platform: "playground" },
    }),
  )

/** Asks a chatbot as it would be with other settings, after the turns of a history, and stores no conversation. */
export const askVariant = (
  chatbotId: string,
  question: string,
  variant: { readonly model?: string; readonly prompt?: string },
  history: ReadonlyArray<ChatTurn> = [],
): Exchange =>
  begin(question, (signal) =>
    open("POST /api/external/chatbot/:chatbotId/chat/try", {
      ...options(signal),
      params: { chatbotId },
      body: { messages: [...history, { role: "user", content: question }], ...variant },
    }),
  )

/** A turn of a call whose stream the call reads as well. */
export interface SpokenTurn {
  readonly exchange: Exchange
  readonly response: Promise<Response>
}

/** Sends a spoken turn. The stream is copied: one is the call's, the other tells the exchange. */
export const sendTurn = (chatbotId: string, body: FormData, signal: AbortSignal): SpokenTurn => {
  const response = open("POST /api/external/chatbot/:chatbotId/voice/turns", {
    params: { chatbotId },
    headers: { accept: "text/event-stream" },
    body,
    signal,
  })
  const exchange = begin("", () => response.then((whole) => whole.clone()))
  signal.addEventListener("abort", exchange.stop)
  return { exchange, response }
}

const begin = (question: string, send: (signal: AbortSignal) => Promise<Response>): Exchange => {
  const begun = performance.now()
  const since = () => performance.now() - begun
  const controller = new AbortController()
  const trace = signal<Trace>(newTrace)
  const blocks = signal<ReadonlyArray<Block>>([])
  const elapsed = signal(0)
  const show = (next: Trace): void => {
    trace.value = next
    blocks.value = blocksOf(next.text, isGoingOn(next) ? blocks.value : [])
  }
  const fail = (error: string, explanation?: Explanation): void => {
    if (isGoingOn(trace.value)) show({ ...ended(trace.value, "failed", since(), error), explanation })
  }
  const clock = setInterval(() => (elapsed.value = since()), TICK_MILLIS)
  const run = async (): Promise<void> => {
    try {
      const response = await send(controller.signal)
      for await (const events of eventsOf(response))
        for (const { data } of events) show(advance(trace.value, jsonIn(data), since()))
      fail("The connection was lost before the reply was complete.")
    } catch (error) {
      if (controller.signal.aborted) show(ended(trace.value, "stopped", since()))
      else {
        const { explanation, message } = toFailure(error)
        fail(message, explanation)
      }
    }
    clearInterval(clock)
    elapsed.value = since()
  }
  void run()
  return { id: randomUuid(), question, trace, blocks, elapsed, stop: () => controller.abort() }
}
