import { describe, expect, test } from "bun:test"
import { Context, Schema } from "effect"
import { LookupMillis } from "../../../src/services/keys/RecentLookups.ts"
import { ApiKey } from "../../../src/domain/keys/ApiKey.ts"
import { VisitorSession } from "../../../src/domain/widget/Widget.ts"
import { problem, read, until } from "../../lib/Client.ts"
import { startServer } from "../../lib/TestServer.ts"

const publicUrl = "https://chat.example.net"
const { client } = await startServer(
  { PUBLIC_URL: publicUrl, WIDGET_ADDRESS_RATE_LIMIT: "off" },
  Context.make(LookupMillis, 100),
)
const visitor = client.withKey(undefined)

const Made = Schema.Struct({ api_key: ApiKey, key: Schema.String })
const publish = async (allowed_origins: ReadonlyArray<string>) => {
  const { id } = await client.newChatbot()
  const json = { name: "Website", kind: "publishable", chatbot_id: id, allowed_origins }
  return read(Made, await client.post("/api/admin/api-keys", { json }))
}

type Headers = Readonly<Record<string, string>>

/** The statuses of what a page does with a key, and with a token that it has from elsewhere. */
const statuses = async (key: string, headers: Headers): Promise<ReadonlyArray<number>> => {
  const { token } = read(VisitorSession, await visitor.post("/api/widget/sessions", { json: { key } }))
  const authorized = { ...headers, authorization: `Bearer ${token}` }
  const message = { id: crypto.randomUUID(), text: "Hello" }
  const replies = [
    await visitor.get(`/api/widget/config/${key}`, { headers }),
    await visitor.post("/api/widget/sessions", { json: { key }, headers }),
    await visitor.get("/api/widget/conversations", { headers: authorized }),
    await visitor.post("/api/widget/chat", { json: { message }, headers: authorized }),
  ]
  for (const reply of replies) if (reply.status === 403) problem(reply, 403, "forbidden")
  return replies.map(({ status }) => status)
}

const granted = [200, 201, 200, 200]
const refused = [403, 403, 403, 403]

describe("the endpoints of the widget", () => {
  test("are refused to pages of other origins than those of the key, also with a token", async () => {
    const { key } = await publish(["https://shop.example.com", "https://*.example.org"])
    const of = (origin: string, more: Headers = {}) => statuses(key, { origin, ...more })
    for (const origin of ["https://shop.example.com", "https://a.example.org", "https://a.b.example.org"]) {
      expect(await of(origin, { "sec-fetch-site": "cross-site" })).toEqual(granted)
    }
    for (const origin of [
      "https://evil.example",
      "http://shop.example.com",
      "https://shop.example.com:8443",
      "https://example.com",
      "https://example.org",
      "https://evilexample.org",
      "https://shop.example.com.evil.example",
      "null",
      "",
    ]) {
      expect([origin, await of(origin, { "sec-fetch-site": "cross-site" })]).toEqual([origin, refused])
      expect([origin, await of(origin)]).toEqual([origin, refused])
    }
    // A page on another host of the same site is another one.
    expect(await of("https://www.example.net", { "sec-fetch-site": "same-site" })).toEqual(refused)
  })

  test("serve the widget's own frame, whatever a proxy makes of the address", async () => {
    const { key } = await publish(["https://shop.example.com"])
    const { host } = new URL(client.url)
    // As browsers mark it, behind a proxy that changes the host.
    expect(await statuses(key, { origin: "https://unknown.example", "sec-fetch-site": "same-origin" })).toEqual(granted)
    // Without a mark, as on a plain http address: by the public address, and by the host.
    expect(await statuses(key, { origin: publicUrl })).toEqual(granted)
    expect(await statuses(key, { origin: `http://${host}` })).toEqual(granted)
    expect(await statuses(key, { origin: `http://${host}`, "sec-fetch-site": "cross-site" })).toEqual(refused)
    expect(await statuses(key, { origin: "http://192.168.1.7:3000", host: "192.168.1.7:3000" })).toEqual(granted)
  })

  test("serve programs, which name no origin, and every page where the key allows all", async () => {
    const shop = await publish(["https://shop.example.com"])
    expect(await statuses(shop.key, {})).toEqual(granted)
    const any = await publish(["*"])
    for (const origin of ["https://evil.example", "null"]) expect(await statuses(any.key, { origin })).toEqual(granted)
    const bot = await client.newChatbot({ is_public: true })
    expect(await statuses(bot.id, { origin: "https://evil.example" })).toEqual(granted)
  })

  test("are refused to a page whose origin is taken off the key, within a second", async () => {
    const { api_key, key } = await publish(["https://old.example.com"])
    const { token } = read(VisitorSession, await visitor.post("/api/widget/sessions", { json: { key } }))
    const headers = { origin: "https://old.example.com", authorization: `Bearer ${token}` }
    expect((await visitor.get("/api/widget/conversations", { headers })).status).toBe(200)
    await client.patch(`/api/admin/api-keys/${api_key.id}`, { json: { allowed_origins: ["https://new.example.com"] } })
    await until(() => visitor.get("/api/widget/conversations", { headers }), { status: 403 })
  })
})
