import type { VoiceEvent } from "../../services/voice/VoiceEvent.ts"
import { dataEvent } from "../streams/EventStream.ts"
import { UiMessages } from "../streams/UiMessages.ts"

/** The encoder of a spoken turn: the stream of its chat, with data for what is heard and spoken, which no client keeps. */
export class VoiceMessages extends UiMessages {
  override event(event: VoiceEvent): string {
    switch (event.type) {
      case "transcript": {
        const { type: _, ...data } = event
        // Comes before the beginning of the message, which is sent with what follows.
        return dataOf("transcript", data)
      }
      case "clause":
        return this.begun(dataOf("clause", event.clause))
      case "audio":
        return this.begun(dataOf("audio", { audio: Buffer.from(event.pcm).toString("base64") }))
      case "muted":
        return this.begun(dataOf("notice", { code: "speech_failed", detail: event.detail }))
      case "timings":
        return this.begun(dataOf("timings", event.timings))
      default:
        return super.event(event)
    }
  }
}

const dataOf = (name: string, data: object): string => dataEvent({ type: `data-${name}`, data, transient: true })
