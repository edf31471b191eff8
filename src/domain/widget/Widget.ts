import { Schema } from "effect"
import { Launcher, WidgetWords } from "../chatbot/ChatWidget.ts"
import { isHttpUrl, partial } from "../chatbot/FieldTypes.ts"
import { VoiceActivityDetection, VoiceAppearance, VoiceText } from "../chatbot/VoiceWidget.ts"
import { AttachmentIds, SentAttachment } from "../chat/Attachment.ts"
import { Feedback } from "../chat/Conversation.ts"
import { WrittenBy } from "../chat/WrittenBy.ts"
import { AnyUuid, ChatbotId, MessageId, SessionId } from "../Ids.ts"
import { textBetween, textUpTo } from "../schema/Text.ts"
import { ReceivedTimestamp, Timestamp } from "../schema/Timestamp.ts"
import { unexpressed } from "../schema/Unexpressed.ts"

/*
 * What the chat widget and the server tell each other. A visitor sees the conversations that it had itself, and of the
 * documents only the passages that replies quote.
 */

/** Longest message of a visitor, in UTF-16 code units. */
export const VISITOR_MESSAGE_MAX_LENGTH = 32_000

/** Name by which a page embeds a chatbot: a publishable key, or the id of a chatbot that is public. */
export const WidgetKey = textBetween(1, 64).annotate({
  description: "A publishable key (`pub_…`), or the id of a chatbot with `is_public`.",
  examples: ["pub_7Hq2mVxT9cKd4LrYw8Zs0B3fQe1d"],
})

const VoicePlace = Schema.Literals(["server", "browser"])

/** Voice agent of a chatbot, with every default filled in except for texts and colours. */
export const WidgetVoice = Schema.Struct({
  listening: VoicePlace.annotate({ description: "Where speech becomes text." }),
  speaking: VoicePlace.annotate({ description: "Where text becomes speech." }),
  voice: Schema.String,
  appearance: partial(VoiceAppearance).annotate({ description: "What is absent or empty is the widget's own." }),
  avatar: Schema.String.annotate({ description: "Address of an image; empty for none." }),
  text: partial(VoiceText).annotate({
    description: "The operator's texts. What is absent, the widget says in its language.",
  }),
  vad: VoiceActivityDetection.annotate({ description: "Voice activity detection." }),
}).annotate({ identifier: "WidgetVoice" })
export type WidgetVoice = typeof WidgetVoice.Type

/** Appearance and opening of a chatbot's widget, with every default filled in. */
export const WidgetConfig = Schema.Struct({
  key: WidgetKey,
  chatbot_id: ChatbotId,
  header: Schema.String.annotate({ description: "The title above the conversation." }),
  name: Schema.String.annotate({ description: "Name of the sender of the replies." }),
  slogan: Schema.String,
  logo: Schema.String.annotate({ description: "Address of an image; empty for none." }),
  avatar: Schema.String.annotate({ description: "Address of an image; empty for none." }),
  primary_color: Schema.String.annotate({ description: "`#rrggbb`; empty for the widget's own." }),
  secondary_color: Schema.String.annotate({ description: "`#rrggbb`; empty for the widget's own." }),
  language: Schema.String.annotate({ description: "`auto` for that of the browser, or a language tag such as `de`." }),
  greeting: Schema.String,
  disclosure: Schema.String.annotate({
    description: "Tells visitors that no person answers; empty for the widget's own words.",
  }),
  suggestions: Schema.Array(Schema.String).annotate({
    description: "Questions that are offered before the first message.",
  }),
  launcher: Launcher,
  translations: Schema.Record(Schema.String, WidgetWords).annotate({
    description: "The texts in other languages, by language tag; a text that is absent is the one above.",
  }),
  is_email_requested: Schema.Boolean.annotate({
    description: "Whether an e-mail address is asked for before the first reply.",
  }),
  is_active: Schema.Boolean.annotate({ description: "Whether the chatbot answers." }),
  handover: Schema.NullOr(
    Schema.Struct({
      button: Schema.Boolean.annotate({ description: "Whether the widget offers to talk to a person." }),
      is_open: Schema.Boolean.annotate({
        description: "Whether people are there now, by the opening hours. If not, a visitor leaves a message.",
      }),
    }),
  ).annotate({ description: "Null where the chatbot hands over nothing by itself." }),
  attachments: Schema.Boolean.annotate({ description: "Whether visitors may send images and PDFs." }),
  voice: Schema.NullOr(WidgetVoice).annotate({ description: "Null where the chatbot has no voice agent." }),
}).annotate({ identifier: "WidgetConfig" })
export type WidgetConfig = typeof WidgetConfig.Type

/** The look of the launcher, as the script has it that draws it. What is absent is the script's own. */
export interface LauncherLook {
  /** `#rrggbb`. */
  readonly color?: string
  /** A path of SVG, of 24 by 24 pixels. */
  readonly icon?: string
  /** In CSS pixels. */
  readonly size?: number
  readonly isLeft?: boolean
  readonly text?: string
  /** Name for screen readers. */
  readonly label?: string
  /** Whether the chat may ask for the microphone. */
  readonly hasVoice?: boolean
}

/** The secret by which a browser proves again that it is the same visitor: 128 bits, base64url without padding. */
export const VisitorSecret = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9_-]{22}$/u, { message: "Expected 22 characters of base64url, 128 random bits" }),
).annotate({
  description: "128 random bits that the browser has made and that nobody else knows, in base64url.",
  examples: ["yLwDnJm3TzqV0k5bXhRr9A"],
})

/** Identity of a visitor, as far as the server knows it. */
export const VisitorProfile = Schema.Struct({
  id: Schema.String.annotate({ description: "The same for this visitor of this chatbot whenever it comes back." }),
  is_verified: Schema.Boolean.annotate({ description: "Whether the customer's own server has signed who it is." }),
  email: Schema.optionalKey(Schema.String),
  name: Schema.optionalKey(Schema.String),
}).annotate({ identifier: "VisitorProfile" })
export type VisitorProfile = typeof VisitorProfile.Type

/** A session of a visitor: the token that its requests carry, and who it is. */
export const VisitorSession = Schema.Struct({
  token: Schema.String.annotate({ description: "Sent as `Authorization: Bearer <token>`." }),
  expires_at: Timestamp,
  visitor: VisitorProfile,
}).annotate({ identifier: "VisitorSession" })
export type VisitorSession = typeof VisitorSession.Type

/** A passage that a reply rests on, as its visitor sees it below the reply. */
export const WidgetSource = Schema.Struct({
  index: Schema.Int.annotate({ description: "From 0; names the source in its address." }),
  title: Schema.String.annotate({ description: "Of the document." }),
  page: Schema.NullOr(Schema.Int),
  quote: Schema.String.annotate({ description: "The part of the passage on which the reply rests." }),
  url: Schema.optionalKey(Schema.String).annotate({ description: "The page; absent for an uploaded file." }),
}).annotate({ identifier: "WidgetSource" })
export type WidgetSource = typeof WidgetSource.Type

/** A person of the team as visitors see them. */
export const WidgetPerson = Schema.Struct({
  name: Schema.String,
  avatar: Schema.optionalKey(Schema.String).annotate({ description: "Address of a picture." }),
}).annotate({ identifier: "WidgetPerson" })
export type WidgetPerson = typeof WidgetPerson.Type

/** State of a conversation that was handed over to people, as its visitor sees it. */
export const WidgetHandover = Schema.Struct({
  owner: Schema.Literals(["bot", "people"]).annotate({ description: "Who answers." }),
  assignee: Schema.NullOr(WidgetPerson).annotate({ description: "Who looks after the conversation." }),
  read_at: Schema.NullOr(Timestamp).annotate({ description: "Up to when people have read what the visitor wrote." }),
  unread: Schema.Int.annotate({ description: "Messages of people that the visitor has not read." }),
  unanswered: Schema.NullOr(MessageId).annotate({
    description:
      "The visitor's last message, where nobody has answered it and the chatbot has the conversation again: sent again with this id as `regenerates`, it is answered.",
  }),
}).annotate({ identifier: "WidgetHandover" })
export type WidgetHandover = typeof WidgetHandover.Type

/** A message as its visitor sees it. */
export const WidgetMessage = Schema.Struct({
  id: MessageId,
  role: Schema.Literals(["user", "assistant", "agent"]).annotate({
    description: "`agent`: a person of the team, whom `sender` names.",
  }),
  sender: Schema.optionalKey(WidgetPerson),
  content: Schema.String,
  attachments: Schema.optionalKey(Schema.Array(SentAttachment)).annotate({ description: "Where it has any." }),
  written_by: Schema.optionalKey(WrittenBy).annotate({ description: "On replies." }),
  created_at: Timestamp,
  client_id: Schema.optionalKey(Schema.String).annotate({ description: "The id that the widget gave the message." }),
  is_complete: Schema.Boolean.annotate({ description: "False for a reply that failed or was stopped on its way." }),
  sources: Schema.Array(WidgetSource),
  unsupported: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({
      description: "The sentences of a reply that no passage supports, as they are in its text.",
    }),
  ),
  feedback: Schema.optionalKey(Feedback),
}).annotate({ identifier: "WidgetMessage" })
export type WidgetMessage = typeof WidgetMessage.Type

/** A conversation in the list of its visitor. */
export const WidgetConversation = Schema.Struct({
  id: SessionId,
  title: Schema.String.annotate({ description: "The beginning of the visitor's first message." }),
  message_count: Schema.Int,
  created_at: Timestamp,
  updated_at: Timestamp,
  handover: Schema.NullOr(WidgetHandover).annotate({ description: "Null where it was never handed over." }),
}).annotate({ identifier: "WidgetConversation" })
export type WidgetConversation = typeof WidgetConversation.Type

/** Longest address and title of a page, in UTF-16 code units. */
export const PAGE_URL_MAX_LENGTH = 2_000
export const PAGE_TITLE_MAX_LENGTH = 200

const conversation_id = Schema.optionalKey(SessionId).annotate({ description: "Absent: a new conversation." })

const VisitedPageInput = Schema.Struct({
  url: textUpTo(PAGE_URL_MAX_LENGTH)
    .check(Schema.makeFilter((text: string) => isHttpUrl(text) || "Expected an http(s) URL", unexpressed))
    .annotate({ description: "Origin and path are stored, and nothing else of it." }),
  title: Schema.optionalKey(textUpTo(PAGE_TITLE_MAX_LENGTH)),
})

const page = Schema.optionalKey(VisitedPageInput).annotate({
  description: "The page on which the visitor asks. Of a conversation, the first one is stored.",
  examples: [{ url: "https://example.com/pricing", title: "Pricing" }],
})

/** Request of a visitor for a reply to a message. */
export const WidgetChatRequest = Schema.Struct({
  conversation_id,
  message: Schema.Struct({
    id: AnyUuid.annotate({
      description:
        "Made by the widget. A message that is sent again with the same id is stored and answered once: the answer is the stream of the reply that is being made, or that was made.",
    }),
    text: textUpTo(VISITOR_MESSAGE_MAX_LENGTH),
    attachments: Schema.optionalKey(AttachmentIds),
  }),
  regenerates: Schema.optionalKey(MessageId).annotate({
    description:
      "The reply to make again, or the message that `handover` calls `unanswered`. `message` then repeats the visitor's message.",
  }),
  email: Schema.optionalKey(Schema.String).annotate({
    description: "The visitor's e-mail address, where the chatbot asks for one; an empty text declines.",
  }),
  page,
})
export type WidgetChatRequest = typeof WidgetChatRequest.Type

/** Request of a visitor to talk to a person. */
export const WidgetHandoverRequest = Schema.Struct({
  conversation_id,
  message: Schema.optionalKey(
    Schema.Struct({
      id: AnyUuid.annotate({
        description: "Made by the widget. A message that is sent again with the same id is stored once.",
      }),
      text: textBetween(1, VISITOR_MESSAGE_MAX_LENGTH),
    }),
  ).annotate({ description: "What the visitor wants; a new conversation begins with it." }),
  email: Schema.optionalKey(Schema.String).annotate({
    description: "Where the visitor is answered when nobody is there.",
  }),
  page,
})
export type WidgetHandoverRequest = typeof WidgetHandoverRequest.Type

/** What a visitor does in a conversation of people. */
export const WidgetPresence = Schema.Struct({
  state: Schema.Literals(["reading", "writing", "away"]),
  read_to: Schema.optionalKey(ReceivedTimestamp).annotate({
    description: "`created_at` of the latest message that was seen.",
  }),
})
export type WidgetPresence = typeof WidgetPresence.Type

/** Change of a conversation while its visitor has it open, the data of one server-sent event. */
export const WidgetUpdate = Schema.Union([
  Schema.Struct({ type: Schema.Literal("resync") }).annotate({
    description:
      "Read the messages anew: the first event of every stream, and sent again when more has changed than was told.",
  }),
  Schema.Struct({ type: Schema.Literal("message"), message: WidgetMessage }).annotate({
    description: "A message was stored: one of a person, a reply, or one of the visitor.",
  }),
  Schema.Struct({ type: Schema.Literal("handover"), handover: Schema.NullOr(WidgetHandover) }).annotate({
    description: "Who answers, who looks after the conversation, or how far it was read has changed.",
  }),
  Schema.Struct({ type: Schema.Literal("presence"), writing: Schema.NullOr(WidgetPerson) }).annotate({
    description: "A person writes, or has stopped writing.",
  }),
]).annotate({ identifier: "WidgetUpdate" })
export type WidgetUpdate = typeof WidgetUpdate.Type

/**
 * An event of a reply, the data of one server-sent event, whose `id` counts the reply's events from 1. The texts of all
 * `text` events, one after the other, are the text of the stored reply. The last event is `finish`, `error` or `stopped`.
 */
export type WidgetEvent =
  | { readonly type: "start"; readonly conversation_id: SessionId; readonly message_id: MessageId }
  /** A tool is at work: `query` is what the documents are searched for. */
  | { readonly type: "tool"; readonly tool: "search" | "documents" | "other"; readonly query?: string }
  | { readonly type: "text"; readonly text: string }
  /** People answer in the conversation, and no reply is made. */
  | { readonly type: "handover" }
  | ({ readonly type: "source" } & WidgetSource)
  /** The sentences of the text that no passage supports. */
  | { readonly type: "unsupported"; readonly sentences: ReadonlyArray<string> }
  | { readonly type: "finish"; readonly finish_reason: string; readonly written_by?: WrittenBy }
  | { readonly type: "error"; readonly code: string; readonly detail: string }
  | { readonly type: "stopped" }
