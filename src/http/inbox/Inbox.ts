import { Effect, Layer } from "effect"
import { Inbox } from "../../services/inbox/Inbox.ts"
import { group } from "../Group.ts"

const ofChatbot = group("inbox", function* (handlers) {
  const inbox = yield* Inbox

  return handlers.handleAll({
    handOver: ({ params, payload }) =>
      Effect.bindTo(inbox.handOver(params.chatbotId, params.sessionId, payload.assignee), "session"),

    giveBack: ({ params }) => Effect.bindTo(inbox.giveBack(params.chatbotId, params.sessionId), "session"),

    say: ({ params, payload }) =>
      Effect.map(inbox.say(params.chatbotId, params.sessionId, payload), ({ message, session }) => ({
        message,
        session,
      })),

    note: ({ params, payload }) => Effect.bindTo(inbox.note(params.chatbotId, params.sessionId, payload.text), "event"),

    events: ({ params }) => Effect.bindTo(inbox.events(params.chatbotId, params.sessionId), "events"),

    draft: ({ params }) => Effect.bindTo(inbox.draft(params.chatbotId, params.sessionId), "draft"),

    presence: ({ params, payload: { read_to, state } }) => {
      const readTo = read_to === undefined ? undefined : new Date(read_to)
      return Effect.map(
        inbox.presence(params.chatbotId, params.sessionId, state, readTo),
        ({ presence, visitor_read_at }) => ({ presence, visitor_read_at }),
      )
    },
  })
})

const ofAllChatbots = group("inboxCounts", function* (handlers) {
  const inbox = yield* Inbox
  return handlers.handleAll({ counts: () => inbox.counts })
})

/** Handles the endpoints of people in conversations. */
export const layer = Layer.merge(ofChatbot, ofAllChatbots)
