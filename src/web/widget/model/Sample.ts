import type { MessageId } from "../../../domain/Ids.ts"
import type { Timestamp } from "../../../domain/schema/Timestamp.ts"
import { Question, Reply } from "./Entries.ts"
import type { Widget } from "./Widget.ts"

const quote = "Refunds are paid within five business days."

/** Shows a short conversation that never happened, as an example of how one looks. */
export const showSample = (widget: Widget): Widget => {
  const reply = new Reply()
  reply.restore({
    id: "sample" as MessageId,
    role: "assistant",
    content:
      "Refunds take **five business days**. You get an [e-mail](mailto:help@example.com) as soon as yours is on its way.",
    created_at: "2026-01-01T00:00:00.000+00:00" as Timestamp,
    is_complete: true,
    sources: [{ index: 0, title: "Terms.pdf", page: 3, quote }],
  })
  widget.chat.entries.value = [new Question("How long does a refund take?"), reply]
  return widget
}
