import { call } from "../../Api.ts"
import { resources } from "../../Resource.ts"

/** How many documents and conversations each chatbot has, by its id. */
export const totalsResource = resources(async () => {
  const { totals } = await call("GET /api/external/chatbots/totals")
  return new Map(totals.map((each) => [each.chatbot_id, each]))
})
