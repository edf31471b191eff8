import { Context, Duration } from "effect"

/**
 * Most work that one organization may have under way in one process. It is far more than an organization needs whose
 * visitors come by themselves, and little enough that some such organizations fit into a server together.
 */
export const ShareBounds = Context.Reference("parley/admission/ShareBounds", {
  defaultValue: () => ({
    organization: {
      /** Uploads while their bodies arrive, each of which has a file of its own. */
      uploads: 8,
      /** Searches in knowledge bases, which are computed. */
      searches: 16,
      /** Chats that are answered at once as a whole, except streams. */
      chats: 64,
      /** Streamed chats, which mostly wait for a model. */
      streams: 256,
      /** Lists of chatbots, from the first read until the client has received the list. */
      lists: 4,
      /** Streams of events, such as open consoles. */
      events: 64,
    },
    /** Time that a request beyond a share waits for its turn; a client that waits longer would rather try again. */
    wait: Duration.seconds(2) as Duration.Input,
    /** Requests of one organization that wait for a place of one kind; others are refused at once. */
    queue: 500,
  }),
})
