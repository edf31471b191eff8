import type { VoiceEvent } from "../../services/voice/VoiceEvent.ts"
import { dataEvent } from "../streams/EventStream.ts"
import { UiMessages } from "../streams/UiMessages.ts"

/** The encoder of a spoken turn: the stream of its chat, with data for what is heard and spoken, which no client keeps. */
export class VoiceMessages extends UiMessages {
  override event(event: VoiceEvent): string {
    switch (event.type) {
      case "transcript": {
        const { type: _, ...data } = event
        return this.data("transcript", data)
      }
      case "clause":
        return this.data("clause", event.clause)
      case "audio":
        return this.data("audio", { audio: Buffer.from(event.pcm).toString("base64") })
      case "muted":
        return this.data("notice", { code: "speech_failed", detail: event.detail })
      case "timings":
        return this.data("timings", event.timings)
      default:
        return super.event(event)
    }
  }

  private data(name: string, data: object): string {
    return this.begun(dataEvent({ type: `data-${name}`, data, transient: true }))
  }
}
