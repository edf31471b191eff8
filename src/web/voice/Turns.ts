import type { SessionId } from "../../domain/Ids.ts"
import { eventsOf } from "../shared/EventStream.ts"

/** Part of the stream of a turn, as far as a call cares; the other parts have other types. */
export type TurnEvent =
  | { readonly type: "data-transcript"; readonly data: { readonly text: string } }
  | { readonly type: "start"; readonly messageId: string; readonly messageMetadata: { readonly session_id: SessionId } }
  | { readonly type: "data-clause"; readonly data: { readonly text: string } }
  | { readonly type: "data-audio"; readonly data: { readonly audio: string } }
  | { readonly type: "data-timings"; readonly data: Readonly<Record<string, number | null>> }
  | { readonly type: "data-notice"; readonly data: { readonly detail: string } }
  | { readonly type: "data-handover" }
  | { readonly type: "error"; readonly errorText: string }

/** Reads the events of a turn until its stream ends. Leaving earlier ends the request. */
export async function* turnEvents(response: Response): AsyncGenerator<TurnEvent> {
  for await (const events of eventsOf(response))
    for (const { data } of events) if (data !== "[DONE]") yield JSON.parse(data) as TurnEvent
}

/** Decodes base64 into 16-bit samples, the lowest byte first. */
export const samplesOf = (base64: string): Float32Array<ArrayBuffer> => {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  const view = new DataView(bytes.buffer)
  return Float32Array.from({ length: bytes.length >> 1 }, (_, at) => view.getInt16(at * 2, true) / 32_768)
}
