import { call, everyPage } from "./Api.ts"
import type { Answer } from "./Endpoints.ts"
import { resources } from "./Resource.ts"

export type ApiKey = Answer<"GET /api/admin/api-keys">["api_keys"][number]

/** A key that stands in the pages of a website. */
export interface PublishableKey extends ApiKey {
  readonly public_key: string
  readonly allowed_origins: ReadonlyArray<string>
}

const isPublishable = (key: ApiKey): key is PublishableKey => key.public_key !== null && key.allowed_origins !== null

/** Whether a key is good for anything still. */
export const isLive = ({ expires_at, revoked_at }: ApiKey, now = Date.now()): boolean =>
  revoked_at === null && (expires_at === null || Date.parse(expires_at) > now)

/** The publishable keys of a chatbot, newest first, those that are revoked too. */
export const publishableKeys = resources(async (chatbotId: string): Promise<ReadonlyArray<PublishableKey>> => {
  const keys = await everyPage(
    (cursor) => call("GET /api/admin/api-keys", { query: cursor === undefined ? {} : { cursor } }),
    ({ api_keys }) => api_keys,
  )
  return keys.filter(isPublishable).filter(({ chatbot_id }) => chatbot_id === chatbotId)
})
