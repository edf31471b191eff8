import type { WidgetUpdate } from "../../domain/widget/Widget.ts"
import { eventsOf } from "../shared/EventStream.ts"

const LOOK_EVERY_MILLIS = 100
/** Level of a voice, from 0 to 1, above the noise of a codec, and the looks after which it counts as silent. */
const SPEECH_LEVEL = 0.01
const SILENT_LOOKS = 4

export interface RealtimeOptions {
  readonly microphone: MediaStream
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
  readonly on: {
    readonly state: (state: "listening" | "speaking") => void
    /** What either side has said, once it is stored, or another change of the conversation. */
    readonly update: (update: WidgetUpdate) => void
    /** Called once: after `stop`, when the other side has hung up, or when the connection is lost. */
    readonly ended: () => void
  }
}

export interface RealtimeCall {
  readonly conversation: string
  readonly stop: () => void
}

/**
 * Begins a realtime call: the microphone goes to the provider, and its voice comes back. There is no data channel, by
 * which a page could give the provider other instructions; captions come from the server. Fails where the call is refused.
 */
export const startRealtime = async ({
  hangUp,
  microphone,
  on,
  post,
  updates,
}: RealtimeOptions): Promise<RealtimeCall> => {
  const peer = new RTCPeerConnection()
  const voice = new Audio()
  const abort = new AbortController()
  let call: Awaited<ReturnType<typeof post>> | undefined
  let silence = SILENT_LOOKS
  let state: "listening" | "speaking" | undefined

  const look = setInterval(() => {
    const level = peer.getReceivers()[0]?.getSynchronizationSources()[0]?.audioLevel ?? 0
    silence = level > SPEECH_LEVEL ? 0 : silence + 1
    const now = silence < SILENT_LOOKS ? "speaking" : "listening"
    if (call !== undefined && now !== state) on.state((state = now))
  }, LOOK_EVERY_MILLIS)

  const end = () => {
    if (abort.signal.aborted) return
    abort.abort()
    clearInterval(look)
    peer.close()
    voice.srcObject = null
    if (call !== undefined) void hangUp(call.call_id).catch(() => undefined)
    on.ended()
  }

  peer.ontrack = ({ receiver: { transport }, streams: [stream] }) => {
    voice.srcObject = stream ?? null
    void voice.play().catch(end)
    if (transport !== null) transport.onstatechange = () => transport.state === "closed" && end()
  }
  peer.onconnectionstatechange = () => peer.connectionState === "failed" && end()

  const follow = async (conversation: string) => {
    for await (const events of eventsOf(await updates(conversation, abort.signal)))
      for (const { data } of events) if (!abort.signal.aborted) on.update(JSON.parse(data) as WidgetUpdate)
  }

  try {
    for (const track of microphone.getAudioTracks()) peer.addTrack(track, microphone)
    await peer.setLocalDescription()
    call = await post(peer.localDescription?.sdp ?? "")
    await peer.setRemoteDescription({ type: "answer", sdp: call.sdp })
    // Whoever followed the call on the server has gone with its events: nobody would store what is said, or end it.
    void follow(call.conversation_id)
      .catch(() => undefined)
      .then(end)
    return { conversation: call.conversation_id, stop: end }
  } catch (error) {
    end()
    throw error
  }
}
