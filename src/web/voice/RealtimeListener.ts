import type { SessionId } from "../../domain/Ids.ts"
import type { WidgetUpdate } from "../../domain/widget/Widget.ts"
import { eventsOf } from "../shared/EventStream.ts"
import type { Call, Listener } from "./Call.ts"

const LOOK_EVERY_MILLIS = 100
/** Level of a voice, from 0 to 1, above the noise of a codec, and the looks after which it counts as silent. */
const SPEECH_LEVEL = 0.01
const SILENT_LOOKS = 4

/** The ways by which a realtime call reaches the server. */
export interface RealtimeWays {
  /** Posts an offer to `/api/widget/voice/calls`. */
  readonly post: (sdp: string) => Promise<{
    readonly call_id: string
    readonly conversation_id: string
    readonly sdp: string
  }>
  /** Deletes the call. */
  readonly hangUp: (callId: string) => Promise<unknown>
  /** Opens the events of a conversation, `/api/widget/conversations/{id}/events`. */
  readonly updates: (conversation: string, signal: AbortSignal) => Promise<Response>
}

/**
 * Lets a model listen that speaks itself: the microphone goes to the provider, and its voice comes back. There is no data
 * channel, by which a page could give the provider other instructions; captions come from the server. The call ends when
 * the other side has hung up, or when the connection is lost.
 */
export const realtimeListener = ({ hangUp, post, updates }: RealtimeWays, call: Call): Listener => {
  const peer = new RTCPeerConnection()
  const voice = new Audio()
  const abort = new AbortController()
  let microphone: MediaStream | undefined
  let answer: Awaited<ReturnType<typeof post>> | undefined
  let silence = SILENT_LOOKS
  let phase: "listening" | "speaking" | undefined

  const look = setInterval(() => {
    const level = peer.getReceivers()[0]?.getSynchronizationSources()[0]?.audioLevel ?? 0
    silence = level > SPEECH_LEVEL ? 0 : silence + 1
    const now = silence < SILENT_LOOKS ? "speaking" : "listening"
    if (answer !== undefined && now !== phase) call.enter((phase = now))
  }, LOOK_EVERY_MILLIS)

  /** May be called again, for what has come since. */
  const stop = (): void => {
    abort.abort()
    clearInterval(look)
    peer.close()
    voice.srcObject = null
    microphone?.getTracks().forEach((track) => track.stop())
    if (answer !== undefined) void hangUp(answer.call_id).catch(() => undefined)
    answer = undefined
  }
  const end = (): void => {
    if (!abort.signal.aborted) call.end()
  }

  peer.ontrack = ({ receiver: { transport }, streams: [stream] }) => {
    voice.srcObject = stream ?? null
    void voice.play().catch(end)
    if (transport !== null) transport.onstatechange = () => transport.state === "closed" && end()
  }
  peer.onconnectionstatechange = () => peer.connectionState === "failed" && end()

  const follow = async (conversation: string): Promise<void> => {
    for await (const events of eventsOf(await updates(conversation, abort.signal)))
      for (const { data } of events) {
        const update = JSON.parse(data) as WidgetUpdate
        if (update.type === "message" && !abort.signal.aborted) call.onMessage(update.message)
      }
  }

  return {
    isInterrupting: true,
    start: async () => {
      microphone = await navigator.mediaDevices.getUserMedia({ audio: true })
      if (abort.signal.aborted) return stop()
      for (const track of microphone.getAudioTracks()) peer.addTrack(track, microphone)
      await peer.setLocalDescription()
      const { conversation_id: conversation, sdp } = (answer = await post(peer.localDescription?.sdp ?? ""))
      if (abort.signal.aborted) return stop()
      await peer.setRemoteDescription({ type: "answer", sdp })
      // Whoever followed the call on the server has gone with its events: nobody would store what is said, or end it.
      void follow(conversation)
        .catch(() => undefined)
        .then(end)
      call.options.onConversation(conversation as SessionId)
    },
    open: (isOpen) => microphone?.getAudioTracks().forEach((track) => (track.enabled = isOpen)),
    stop,
  }
}
