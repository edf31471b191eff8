import { Schema, DateTime, Option } from "effect"
import { boundedList } from "../schema/Bounded.ts"
import { PersonId } from "../Ids.ts"
import { PersonName } from "./PersonName.ts"
import { textBetween } from "../schema/Text.ts"
import { Timestamp } from "../schema/Timestamp.ts"
import { unexpressed } from "../schema/Unexpressed.ts"

/** Why a conversation went to people, or back to the bot. */
export const HandoverReason = Schema.Literals([
  "visitor",
  "tool",
  "not_found",
  "rated_down",
  "unanswered",
  "email",
  "taken",
  "api",
  "by_hand",
  "silence",
  "closed",
])
export type HandoverReason = typeof HandoverReason.Type

/** Who answers in a conversation that was handed over. */
export const Handover = Schema.Struct({
  owner: Schema.Literals(["bot", "people"]),
  since: Timestamp.annotate({ description: "When the owner last changed." }),
  assignee: Schema.NullOr(PersonName),
  waiting_since: Schema.NullOr(Timestamp).annotate({
    description: "Since when the visitor has waited for a person; null where nobody waits.",
  }),
}).annotate({ identifier: "Handover" })
export type Handover = typeof Handover.Type

/** What happened in a conversation beside its messages. */
export const ConversationEvent = Schema.Struct({
  id: Schema.String.annotate({ format: "uuid" }),
  type: Schema.Literals(["handover", "assigned", "returned", "closed", "note"]),
  person: Schema.NullOr(PersonName).annotate({
    description: "Who did it; null for the visitor, the bot and the server.",
  }),
  detail: Schema.Struct({
    reason: Schema.optionalKey(HandoverReason),
    assignee: Schema.optionalKey(Schema.NullOr(PersonName)),
    text: Schema.optionalKey(Schema.String).annotate({ description: "Of a note." }),
  }),
  created_at: Timestamp,
}).annotate({ identifier: "ConversationEvent" })
export type ConversationEvent = typeof ConversationEvent.Type

/** Somebody who looks at a conversation, or writes in it, at the moment. */
export const Presence = Schema.Struct({
  who: Schema.Union([Schema.Literal("visitor"), PersonId]),
  name: Schema.NullOr(Schema.String),
  state: Schema.Literals(["reading", "writing"]),
}).annotate({ identifier: "Presence" })
export type Presence = typeof Presence.Type

const Time = Schema.String.check(
  Schema.isPattern(/^(?:[01]\d|2[0-3]):[0-5]\d$|^24:00$/u, { message: "Expected a time such as 09:00" }),
)
const Day = Schema.String.check(
  Schema.isPattern(/^\d{4}-\d\d-\d\d$/u, { message: "Expected a day such as 2026-12-24" }),
)

/** When people are there. */
export const OpeningHours = Schema.Struct({
  timeZone: textBetween(1, 64)
    .check(
      Schema.makeFilter(
        (name: string) => Option.isSome(DateTime.zoneMakeNamed(name)) || "Expected a time zone such as Europe/Berlin",
        unexpressed,
      ),
    )
    .annotate({ examples: ["Europe/Berlin"] }),
  weekly: boundedList(
    Schema.Struct({
      days: boundedList(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 7 })), { minimum: 1, maximum: 7 }, {}),
      from: Time,
      to: Time,
    }),
    { maximum: 21 },
    { description: "Days from 1 (Monday) to 7, and the times from and to which people are there on them." },
  ),
  holidays: Schema.optionalKey(boundedList(Day, { maximum: 366 }, { description: "Days on which nobody is there." })),
})
export type OpeningHours = typeof OpeningHours.Type

/** How a chatbot hands conversations over to people; absent in its settings: not at all, except by a person who takes one. */
export const HandoverSettings = Schema.Struct({
  button: Schema.optionalKey(Schema.Boolean).annotate({
    description: "Whether the widget offers to talk to a person.",
  }),
  tool: Schema.optionalKey(Schema.Boolean).annotate({
    description:
      "Whether the model may ask for a person, by the tool `requestHuman`. `local/extractive` does where the user asks for one, or it has found nothing twice.",
  }),
  ratedDown: Schema.optionalKey(Schema.Boolean).annotate({
    description: "Whether a reply that is rated down hands over.",
  }),
  unanswered: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 20 }))).annotate({
    description: "Replies without an answer in a row that hand over.",
  }),
  email: Schema.optionalKey(Schema.Boolean).annotate({
    description: "Whether a visitor who gives an e-mail address is handed over.",
  }),
  hours: Schema.optionalKey(OpeningHours).annotate({ description: "Absent: people are always there." }),
  returnAfterMinutes: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 5, maximum: 43_200 }))).annotate({
    description:
      "Minutes without a message, a note or an assignment after which the bot answers again. Absent: only when somebody hands back, or closes.",
  }),
  assign: Schema.optionalKey(Schema.Literals(["by_hand", "in_turn"])).annotate({
    description: "`in_turn`: to the person who is there and has the fewest conversations. Default: `by_hand`.",
  }),
}).annotate({ identifier: "HandoverSettings" })
export type HandoverSettings = typeof HandoverSettings.Type
