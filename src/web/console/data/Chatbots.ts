import { type Answer, call, everyPage, request } from "../server/Api.ts"
import { resources } from "../server/Resource.ts"

export type Chatbot = Answer<"GET /api/external/chatbot/:chatbotId">["chatbot"]
export type ChatbotSummary = Answer<"GET /api/external/chatbots">["chatbots"][number]

/** A chatbot with the version of it, for changes that are refused when somebody else has changed it since. */
export type VersionedChatbot = Awaited<ReturnType<typeof fetchChatbot>>

export const fetchChatbot = async (chatbotId: string) => {
  const { body, etag } = await request("GET /api/external/chatbot/:chatbotId", { params: { chatbotId } })
  return { chatbot: body.chatbot, etag }
}

export const chatbotResource = resources(fetchChatbot)

export const allChatbots = resources(() =>
  everyPage(
    (cursor) => call("GET /api/external/chatbots", { query: { cursor } }),
    ({ chatbots }) => chatbots,
  ),
)

export type ChatbotTotals = Answer<"GET /api/external/chatbots/totals">["totals"][number]

/** What each chatbot has, and what somebody has to look after, by its id. */
export const chatbotTotals = resources(async () => {
  const { totals } = await call("GET /api/external/chatbots/totals")
  return new Map(totals.map((each) => [each.chatbot_id, each]))
})

/** The newest run of a chatbot's tests; null before the first one. */
export const lastRunOf = resources(async (chatbotId: string) => {
  const route = "GET /api/external/chatbot/:chatbotId/test-runs"
  const { data } = await call(route, { params: { chatbotId }, query: { limit: "1" } })
  return data[0] ?? null
})
