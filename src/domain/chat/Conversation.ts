import { Schema } from "effect"
import { SentAttachment } from "./Attachment.ts"
import { Citation } from "./Chat.ts"
import { Unsupported } from "./Grounding.ts"
import { WrittenBy } from "./WrittenBy.ts"
import { boundedList } from "../schema/Bounded.ts"
import { ChatbotId, MessageId, PersonId, SessionId } from "../Ids.ts"
import { Handover } from "../inbox/Handover.ts"
import { PersonName } from "../inbox/PersonName.ts"
import { Explanation } from "../Failure.ts"
import { textBetween, textUpTo } from "../schema/Text.ts"
import { Timestamp } from "../schema/Timestamp.ts"
import { unexpressed } from "../schema/Unexpressed.ts"

export const SenderType = Schema.Literals(["user", "bot", "agent"])
export type SenderType = typeof SenderType.Type

/** A user's opinion of a reply. */
export const Feedback = Schema.Struct({
  rating: Schema.Literals(["up", "down"]),
  comment: Schema.NullOr(Schema.String),
}).annotate({
  identifier: "Feedback",
  description: "What the user thinks of a reply. A message has it only where it was rated.",
  examples: [{ rating: "up", comment: "That helped." }],
})
export type Feedback = typeof Feedback.Type

/** Feedback as a client sends it. */
export const FeedbackInput = Schema.Struct({
  rating: Schema.NullOr(Schema.Literals(["up", "down"])).annotate({ description: "`null` takes it back." }),
  comment: Schema.optionalKey(Schema.NullOr(textUpTo(2_000)).annotate({ examples: ["That helped."] })),
}).check(
  Schema.makeFilter(({ comment = null, rating }) =>
    rating === null && comment !== null
      ? { path: ["comment"], issue: "Expected no comment where the rating is taken back" }
      : undefined,
  ),
)

export const Message = Schema.Struct({
  id: MessageId,
  session_id: SessionId,
  sender_type: SenderType,
  content: Schema.String,
  attachments: Schema.NullOr(Schema.Array(SentAttachment)),
  created_at: Timestamp,
  metadata: Schema.Struct({
    mid: Schema.optionalKey(Schema.String.annotate({ description: "The id that the client gave the message." })),
    /** On a reply that was broken off, or on the message to which there is none. */
    failure: Schema.optionalKey(Explanation),
  }),
  sender: Schema.optionalKey(PersonName),
  migrated_data: Schema.Boolean,
  model: Schema.NullOr(Schema.String),
  provider: Schema.NullOr(Schema.String).annotate({
    description: "Of the model. `local`: the server wrote the reply by rules, without a language model.",
  }),
  session_token: Schema.Null,
  tokens_used: Schema.Finite,
  tool_calls: Schema.NullOr(Schema.Array(Schema.Json)),
  tool_results: Schema.NullOr(Schema.Array(Schema.Json)),
  sources: Schema.optionalKey(
    Schema.Array(Citation).annotate({ description: "The passages that a reply rests on, where it rests on some." }),
  ),
  unsupported: Schema.optionalKey(
    Schema.Array(Unsupported).annotate({
      description: "Sentences of a reply that no passage supports, where the chatbot checks them and there are some.",
    }),
  ),
  feedback: Schema.optionalKey(Feedback),
  unanswered: Schema.optionalKey(
    Schema.Literal(true).annotate({
      description:
        "On a reply without an answer: it failed or is empty, its model says so, or its model searched the knowledge base and the reply rests on nothing that was found.",
    }),
  ),
}).annotate({
  identifier: "Message",
  examples: [
    {
      id: MessageId.make("01a1f949-b557-76c3-802f-bd8df25192ac"),
      session_id: SessionId.make("01a1f949-b533-72c9-a523-091829dc59a0"),
      sender_type: "bot",
      content: "Refunds take five days.",
      attachments: null,
      created_at: Timestamp.make("2026-11-20T14:08:39.770+00:00"),
      metadata: {},
      migrated_data: false,
      model: "claude-sonnet-5-5",
      provider: "anthropic",
      session_token: null,
      tokens_used: 2_106,
      tool_calls: [],
      tool_results: [],
    },
  ],
})
export type Message = typeof Message.Type

/** A message of a transcript, which says who wrote it; the specification of the list of messages has no such field. */
export const TranscriptMessage = Schema.Struct({
  ...Message.fields,
  written_by: Schema.optionalKey(WrittenBy).annotate({
    description: "On replies, except those that a client brought.",
  }),
}).annotate({ identifier: "TranscriptMessage" })
export type TranscriptMessage = typeof TranscriptMessage.Type

/** A page of a website on which a visitor asked, as the visitor's browser says. */
export const VisitedPage = Schema.Struct({
  url: Schema.String.annotate({ description: "Origin and path, without the query and the fragment." }),
  title: Schema.optionalKey(Schema.String),
}).annotate({
  identifier: "VisitedPage",
  description: "What the visitor's browser says of a page: nothing vouches for it.",
  examples: [{ url: "https://example.com/pricing", title: "Pricing" }],
})
export type VisitedPage = typeof VisitedPage.Type

export const SessionState = Schema.Literals(["open", "closed"]).annotate({
  description: "Whether somebody still has to look after the conversation. A new message of the user opens it again.",
})
export type SessionState = typeof SessionState.Type

/** A conversation of one user with one chatbot. */
export const Session = Schema.Struct({
  id: SessionId,
  chatbot_id: ChatbotId,
  session_token: Schema.NullOr(Schema.String),
  platform: Schema.String,
  state: SessionState,
  title: Schema.optionalKey(
    Schema.String.annotate({ description: "The beginning of the user's first message, where there is one." }),
  ),
  last_message: Schema.NullOr(Schema.Struct({ id: MessageId, content: Schema.String, sender_type: SenderType })),
  user_info: Schema.Struct({
    email: Schema.optionalKey(Schema.String),
    name: Schema.optionalKey(Schema.String.annotate({ description: "As the identity token of the visitor says." })),
  }),
  message_count: Schema.Int,
  visitor_id: Schema.optionalKey(
    Schema.String.annotate({ description: "The visitor of the chat widget whose conversation it is." }),
  ),
  page: Schema.optionalKey(VisitedPage.annotate({ description: "The page on which the conversation began." })),
  language: Schema.optionalKey(
    Schema.String.annotate({
      description: "The language of the latest question that shows one, as ISO 639-1 has it.",
      examples: ["de"],
    }),
  ),
  handover: Schema.optionalKey(
    Handover.annotate({ description: "On a conversation that was handed over to people, be it with the bot again." }),
  ),
  tags: Schema.optionalKey(Schema.Array(Schema.String).annotate({ description: "Where it has any." })),
  created_at: Timestamp,
  updated_at: Timestamp,
  unanswered: Schema.optionalKey(
    Schema.Literal(true).annotate({ description: "On a conversation that holds a reply without an answer." }),
  ),
  ratings: Schema.optionalKey(
    Schema.Struct({ up: Schema.Int, down: Schema.Int }).annotate({
      description: "How many replies of the conversation are rated up and down; only where any is.",
    }),
  ),
}).annotate({
  identifier: "Session",
  examples: [
    {
      id: SessionId.make("01a1f949-b533-72c9-a523-091829dc59a0"),
      chatbot_id: ChatbotId.make("01a1f949-589d-74eb-b296-3f233cb51b4b"),
      session_token: "0b9f7c1e-52a4-4d86-9a3f-6a1f0c2b7d35",
      platform: "web",
      state: "open",
      title: "How long do refunds take?",
      last_message: {
        id: MessageId.make("01a1f949-b557-76c3-802f-bd8df25192ac"),
        content: "Refunds take five days.",
        sender_type: "bot",
      },
      user_info: { email: "ada@example.com", name: "Ada Lovelace" },
      message_count: 2,
      page: { url: "https://example.com/pricing", title: "Pricing" },
      language: "en",
      created_at: Timestamp.make("2026-11-20T14:08:39.735+00:00"),
      updated_at: Timestamp.make("2026-11-20T14:08:39.770+00:00"),
    },
  ],
})
export type Session = typeof Session.Type

/** A word by which conversations are found again. */
export const Tag = textBetween(1, 50)

const TAGS_MAX_COUNT = 20

/** The fields of a conversation that are changed; those that are absent stay. */
export const SessionPatch = Schema.Struct({
  state: Schema.optionalKey(SessionState),
  assignee: Schema.optionalKey(Schema.NullOr(PersonId)).annotate({
    description: "The person who looks after a conversation of people; null for nobody.",
  }),
  tags: Schema.optionalKey(boundedList(Tag, { maximum: TAGS_MAX_COUNT }, { description: "All of them." })),
}).check(
  Schema.makeFilter((patch) => (Object.keys(patch).length > 0 ? undefined : "Expected a field to change"), unexpressed),
)
export type SessionPatch = typeof SessionPatch.Type
