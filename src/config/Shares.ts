import { fraction, integer, limit, positiveDuration, size, sizeOrOff } from "./Kinds.ts"
import type { Group } from "./Setting.ts"

const shares = {
  organization: {
    uploads: limit.or("SHARE_UPLOADS", "8", "Uploads of one organization at once while their bodies arrive."),
    searches: limit.or("SHARE_SEARCHES", "16", "Searches of one organization in its knowledge bases at once."),
    chats: limit.or("SHARE_CHATS", "64", "Chats of one organization at once, except streams."),
    streams: limit.or("SHARE_STREAMS", "256", "Streamed chats of one organization at once."),
    lists: limit.or(
      "SHARE_LISTS",
      "4",
      "Lists of chatbots of one organization at once, from the first read until the client has received the list.",
    ),
    events: limit.or("SHARE_EVENTS", "64", "Streams of events of one organization at once, such as open consoles."),
  },
  keyPart: fraction.or(
    "SHARE_OF_KEY",
    "0.75",
    "Part of each share of its organization that one API key may take, so that the organization's other keys are served.",
  ),
  wait: positiveDuration.or(
    "SHARE_WAIT",
    "2s",
    "How long a request beyond a share waits for its turn before it is refused with 429.",
  ),
  queue: integer(0, 100_000).or(
    "SHARE_QUEUE",
    "500",
    "Requests of one organization that wait for a place of one kind, at most; others are refused at once.",
  ),
}

const lists = {
  bytes: size.or(
    "LIST_BYTES",
    "4MiB",
    "Size from which on a list of chatbots ends early and names the next page. Lower it where many long prompts are listed by slow clients.",
  ),
}

const quotas = {
  chatbots: limit.or("QUOTA_CHATBOTS", "10000", "Chatbots of an organization, unless its own quota says otherwise."),
  documents: limit.or(
    "QUOTA_DOCUMENTS",
    "100000",
    "Documents of an organization, unless its own quota says otherwise.",
  ),
  bytes: sizeOrOff.or(
    "QUOTA_BYTES",
    "50GiB",
    "Size of all documents of an organization, unless its own quota says otherwise.",
  ),
  chunks: limit.or(
    "QUOTA_CHUNKS",
    "5000000",
    "Passages in the knowledge bases of an organization, unless its own quota says otherwise.",
  ),
  conversations: limit.or(
    "QUOTA_CONVERSATIONS",
    "10000000",
    "Conversations of an organization, unless its own quota says otherwise.",
  ),
  tools: limit.or("QUOTA_TOOLS", "10000", "HTTP tools of an organization, unless its own quota says otherwise."),
}

export const sharesAndQuotas = {
  title: "Shares and quotas",
  introduction:
    "What one organization may occupy, so that it cannot take the server from the others. Shares limit what runs at the same time in one process; quotas limit what is stored, in all processes together. `off` is no limit.",
  sections: { shares, lists, quotas },
} satisfies Group
