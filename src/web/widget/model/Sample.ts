import type { MessageId } from "../../../domain/Ids.ts"
import type { Timestamp } from "../../../domain/schema/Timestamp.ts"
import { Question, Reply } from "./Entries.ts"
import type { Widget } from "./Widget.ts"

/** Shows a short conversation that never happened, as an example of how one looks. */
export const showSample = (widget: Widget): Widget => {
  const reply = new Reply()
  reply.restore({
    id: "sample" as MessageId,
    role: "assistant",
    content: "It takes **five days**, see the [terms](https://example.com).",
    created_at: "" as Timestamp,
    is_complete: true,
    sources: [{ index: 0, title: "Terms.pdf", page: 3, quote: "Five days" }],
  })
  widget.chat.entries.value = [new Question("How long does a refund take?"), reply]
  return widget
}
