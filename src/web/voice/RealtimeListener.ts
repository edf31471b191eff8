import type { SessionId } from "../../domain/Ids.ts"
import type { Call, Listener } from "./Call.ts"
import { type RealtimeCall, type RealtimeOptions, startRealtime } from "./Realtime.ts"

/** The ways by which a realtime call reaches the server. */
export type RealtimeWays = Pick<RealtimeOptions, "hangUp" | "post" | "updates">

/** Lets a model listen that speaks itself; the call shows what it does. */
export const realtimeListener = (ways: RealtimeWays, call: Call): Listener => {
  let microphone: MediaStream | undefined
  let realtime: RealtimeCall | undefined
  return {
    isInterrupting: true,
    start: async () => {
      microphone = await navigator.mediaDevices.getUserMedia({ audio: true })
      realtime = await startRealtime({
        ...ways,
        microphone,
        on: {
          state: (phase) => call.enter(phase),
          update: (update) => update.type === "message" && call.onMessage(update.message),
          ended: () => realtime !== undefined && call.end(),
        },
      })
      call.options.onConversation(realtime.conversation as SessionId)
    },
    open: (isOpen) => microphone?.getAudioTracks().forEach((track) => (track.enabled = isOpen)),
    stop: () => {
      const ended = realtime
      realtime = undefined
      ended?.stop()
      microphone?.getTracks().forEach((track) => track.stop())
    },
  }
}
