import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import { ApiKey } from "../../../src/domain/ApiKey.ts"
import { VisitorSession, WidgetConfig } from "../../../src/domain/widget/Widget.ts"
import { read, type Reply } from "../../lib/Client.ts"
import { startServer } from "../../lib/TestServer.ts"

const { client } = await startServer({ RATE_LIMIT: "off" })
const visitor = client.withKey(undefined)

const keys = "/api/admin/api-keys"
const Made = Schema.Struct({ api_key: ApiKey, key: Schema.String })

const publish = async (chatbot: string, more: object = {}) =>
  read(
    Made,
    await client.post(keys, {
      json: {
        name: "Website",
        kind: "publishable",
        chatbot_id: chatbot,
        allowed_origins: ["https://example.com"],
        ...more,
      },
    }),
  )

const open = (key: string, more: object = {}) => visitor.post("/api/widget/sessions", { json: { key, ...more } })
const session = (reply: Reply) => read(VisitorSession, reply)
const configOf = (reply: Reply) => read(Schema.Struct({ config: WidgetConfig }), reply).config

describe("a publishable key", () => {
  test("opens a session of its chatbot", async () => {
    const bot = await client.newChatbot({ name: "Support" })
    const { key } = await publish(bot.id)
    expect(configOf(await visitor.get(`/api/widget/config/${key}`))).toMatchObject({ key, chatbot_id: bot.id })
    const opened = session(await open(key))
    expect(opened.visitor.is_verified).toBe(false)
  })
})
