import type { SessionId } from "../../domain/Ids.ts"
import type { Call, Listener } from "./Call.ts"
import { type RealtimeCall, type RealtimeOptions, startRealtime } from "./Realtime.ts"

/** The ways by which a realtime call reaches the server. */
export type RealtimeWays = Pick<RealtimeOptions, "hangUp" | "post" | "updates">

/** Lets a model listen that speaks itself; the call shows what it does. */
export class RealtimeListener implements Listener {
  readonly isInterrupting = true
  readonly #ways: RealtimeWays
  readonly #call: Call
  #microphone: MediaStream | undefined
  #realtime: RealtimeCall | undefined

  constructor(ways: RealtimeWays, call: Call) {
    this.#ways = ways
    this.#call = call
  }

  async start(): Promise<void> {
    this.#microphone = await navigator.mediaDevices.getUserMedia({ audio: true })
    this.#realtime = await startRealtime({
      ...this.#ways,
      microphone: this.#microphone,
      on: {
        state: (state) => this.#call.onState(state),
        update: (update) => update.type === "message" && this.#call.onMessage(update.message),
        ended: () => this.#realtime !== undefined && this.#call.end(),
      },
    })
    this.#call.onConversation(this.#realtime.conversation as SessionId)
  }

  open(isOpen: boolean): void {
    for (const track of this.#microphone?.getAudioTracks() ?? []) track.enabled = isOpen
  }

  stop(): void {
    const realtime = this.#realtime
    this.#realtime = undefined
    realtime?.stop()
    for (const track of this.#microphone?.getTracks() ?? []) track.stop()
  }
}
