import { beforeAll, describe, expect, test } from "bun:test"
import { makeZip } from "client-zip"
import { Context, Duration, Effect } from "effect"
import type { Source } from "../../../src/domain/knowledge/Source.ts"
import { routes } from "../../../src/http/edge/Routes.ts"
import { CrawlPace } from "../../../src/sources/PoliteFetch.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { type Reply, type Sent, until } from "../../lib/Client.ts"
import { images } from "../../lib/Files.ts"
import { fixturePath } from "../../lib/Fixtures.ts"
import { startServer } from "../../lib/TestServer.ts"

/*
 * Every endpoint that changes anything, with the header `Idempotency-Key`.
 */

// The websites of its requests do not exist, and nobody needs to wait for them.
const pace = { ...CrawlPace.defaultValue(), pauseMin: Duration.zero, retryPause: Duration.zero }
const { client, query } = await startServer({}, Context.make(CrawlPace, pace))

const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3])
const formOf = (fields: Readonly<Record<string, string | File>>) => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  return form
}

const chatbot = await client.newChatbot({ name: "Main" })
const at = (rest: string) => `/api/external/chatbot/${chatbot.id}${rest}`
const [ready] = await client.learn(chatbot.id, { "tides.txt": "The tide turns at noon." })
const broken = await client.upload(chatbot.id, { "broken.json": "{" })
const failed = (await client.documents(chatbot.id)).find(({ status }) => status === "failed")
const { message_id: reply, session_id: session } = await (async () => {
  const said = await client.chat(chatbot.id, "Hello", { sessionToken: "rated-conversation" })
  const [, answer] = await client.messages(chatbot.id, said.session_id)
  return { session_id: said.session_id, message_id: answer?.id ?? "" }
})()
const { session_id: inInbox } = await client.chat(chatbot.id, "Is anybody there?")
/** Replies that a test can be made of, by the number of the request. */
const tested = await Promise.all(
  [1, 2, 3, 4].map(async (number) => {
    const { session_id } = await client.chat(chatbot.id, `What is ${number}?`)
    return (await client.messages(chatbot.id, session_id))[1]?.id ?? ""
  }),
)
const { test: stored } = Object(
  (await client.post(at("/tests"), { json: { question: "When?", expectations: {} } })).body,
)
const tool = (name: string) => ({
  name,
  description: "Finds an order.",
  input_schema: { type: "object", properties: {}, required: [] },
  url: "https://tools.example/",
})
const made = await client.post(at("/tools"), { json: tool("existing") })
const toolId: string = Object(made.body).tool.id
const organization: string = Object((await client.post("/api/admin/organizations", { json: { name: "Other" } })).body)
  .organization.id
const { id: apiKey } = await client.newKey()

const topic = crypto.randomUUID()
await query(
  SystemSql.use(
    (sql) => sql`insert into topics (id, organization_id, chatbot_id, name, centre)
      select ${topic}::uuid, organization_id, id, 'Tides', '{"size": 1, "terms": []}' from chatbots where id = ${chatbot.id}`,
  ),
)
const site = (name: string) => ({ kind: "website", name, urls: ["https://docs.example/"] })
const newSource = async (json: object): Promise<{ readonly id: string; readonly run: string }> => {
  const { source } = Object((await client.post(at("/sources"), { json })).body)
  return { id: source.id, run: source.last_run?.id }
}
const { id: faq } = await newSource({ kind: "questions", name: "FAQ" })
const asking = (question: string) => ({ question, answer: "At noon." })
const { question: asked } = Object((await client.post(at(`/sources/${faq}/questions`), { json: asking("When?") })).body)
const { canned_answer: canned } = Object(
  (await client.post(at("/canned-answers"), { json: { shortcut: "hours", content: "Nine to five." } })).body,
)
const idp = {
  name: "Staff",
  issuer: "https://login.example.com",
  client_id: "parley",
  client_secret: "secret",
  roles_claim: "groups",
  role_mappings: [],
}
const { person } = Object(
  (await client.post("/api/admin/people", { json: { name: "Ada", roles: [{ role: "viewer", chatbot_id: null }] } }))
    .body,
)
const { provider: signIn } = Object((await client.post("/api/admin/sign-in-providers", { json: idp })).body)
const modelServer = { name: "models", api: "openai", base_url: "https://models.example.com", api_key: "key" }
const { connection } = Object((await client.post("/api/admin/model-connections", { json: modelServer })).body)
/** An archive of a knowledge base with one text. */
const archive = async (name: string) => {
  const head = { format: "parley-knowledge-base", version: 1 }
  const source = { type: "source", key: "1", source: { kind: "text", name, text: name } }
  const input = [head, source].map((line) => JSON.stringify(line)).join("\n")
  return new File([await new Response(makeZip([{ name: "knowledge-base.jsonl", input }])).arrayBuffer()], "a.zip")
}
const archives = await Promise.all([1, 2, 3, 4, 5].map((number) => archive(`Archive ${number}`)))
const [ended, underWay] = [await newSource(site("Ended")), await newSource(site("Under way"))]
// A worker would end the one and the other at a time of its own.
await query(
  SystemSql.use((sql) =>
    Effect.andThen(
      sql`delete from source_queue where source_id = ${ended.id}`,
      sql`insert into source_queue (source_id, organization_id, run_id, run_at, lease_id)
        select id, organization_id, ${underWay.run}, now() + interval '1 hour', gen_random_uuid() from sources
        where id = ${underWay.id}
        on conflict (source_id) do update set run_at = excluded.run_at, lease_id = excluded.lease_id`,
    ),
  ),
)
await query(
  SystemSql.use((sql) =>
    Effect.andThen(
      sql`update source_runs set status = 'stopped', ended_at = now() where id = ${ended.run}`,
      sql`update source_runs set status = 'running', ended_at = null where id = ${underWay.run}`,
    ),
  ),
)

/** A chatbot with a test, whose tests do not run by themselves. */
const newTested = async (name: string): Promise<string> => {
  const { id } = await client.newChatbot({ name })
  await client.patch(`/api/external/chatbot/${id}/test-plan`, { json: { on_change: false } })
  await client.post(`/api/external/chatbot/${id}/tests`, { json: { question: "When?", expectations: {} } })
  return id
}
const [idle, running] = [await newTested("Idle tests"), await newTested("Running tests")]
const testRun = Bun.randomUUIDv7()
await query(
  SystemSql.use((sql) =>
    Effect.andThen(
      sql`insert into test_runs (id, organization_id, chatbot_id, tier, trigger, status)
        select ${testRun}, organization_id, id, 'search', 'manual', 'running' from chatbots where id = ${running}`,
      sql`insert into test_queue (chatbot_id, organization_id, run_id, run_at, lease_id)
        select id, organization_id, ${testRun}, now() + interval '1 hour', gen_random_uuid() from chatbots
        where id = ${running}`,
    ),
  ),
)

const hook = await client.post("/api/external/webhooks", {
  json: { url: "https://hooks.example/", events: ["chatbot.updated"], chatbot_id: chatbot.id },
})
const webhookId: string = Object(hook.body).webhook.id
await client.patch(`/api/external/chatbots?id=${chatbot.id}`, { json: { description: "With a delivery" } })
const delivery: string = Object((await client.get(`/api/external/webhooks/${webhookId}/deliveries`)).body).deliveries[0]
  .id

/** Makes the request of a number, which differs from those of other numbers; anew each time. */
type Case = (number: number) => Sent

/** The requests of an endpoint that takes no body. */
const without: Case = (number) => (number === 1 ? {} : { headers: { accept: `application/json;q=0.${number}` } })

const cases: Readonly<Record<string, Case>> = {
  "POST /api/external/chatbots": (number) => ({ json: { name: `Made ${number}` } }),
  "PATCH /api/external/chatbots": (number) => ({ json: { description: `Changed ${number}` } }),
  "POST /api/external/chatbot/:chatbotId/attachments": (number) => ({
    form: formOf({ file: new File([images.png, String(number)], "me.png") }),
  }),
  "PATCH /api/external/chatbot/:chatbotId/update-avatar": (number) => ({
    form: formOf({ avatar: new File([png, String(number)], "me.png") }),
  }),
  "PATCH /api/external/chatbot/:chatbotId/chat-widget": (number) => ({ json: { header: `Ask ${number}` } }),
  "PATCH /api/external/chatbot/:chatbotId/voice-agent": (number) => ({ json: { voice: `voice-${number}` } }),
  "POST /api/external/chatbot/:chatbotId/chat": (number) => ({
    json: { messages: [{ role: "user", content: `Question ${number}` }] },
  }),
  "POST /api/external/chatbot/:chatbotId/chat/try": (number) => ({
    json: { messages: [{ role: "user", content: `Question ${number}` }], prompt: "Be brief." },
  }),
  "POST /api/external/chatbot/:chatbotId/query-knowledge": (number) => ({
    json: { query: `When does the tide turn? ${number}` },
  }),
  "PATCH /api/external/chatbot/:chatbotId/knowledge-base": (number) => ({
    form: formOf({ documentId: ready?.id ?? "", file: new File([`The tide turns at ${number}.`], "tides.txt") }),
  }),
  "POST /api/external/chatbot/:chatbotId/knowledge-base/documents/:documentId/retry": without,
  "POST /api/embedfiles": (number) => ({
    form: formOf({ chatbotId: chatbot.id, files: new File([`Ships sail on day ${number}.`], "ships.txt") }),
  }),
  "PATCH /api/external/chatbot/:chatbotId/conversations/:sessionId": (number) => ({
    json: { state: number % 2 === 1 ? "closed" : "open" },
  }),
  "POST /api/external/chatbot/:chatbotId/conversations/:sessionId/messages/:messageId/feedback": (number) => ({
    json: { rating: "up", comment: `Good ${number}` },
  }),
  "POST /api/external/chatbot/:chatbotId/conversations/:sessionId/handover": (number) => ({
    json: number === 1 ? { assignee: null } : {},
  }),
  "POST /api/external/chatbot/:chatbotId/conversations/:sessionId/return": without,
  "POST /api/external/chatbot/:chatbotId/conversations/:sessionId/messages": (number) => ({
    json: { content: `Answer ${number}`, sender_name: "Ada" },
  }),
  "POST /api/external/chatbot/:chatbotId/conversations/:sessionId/draft": without,
  "POST /api/external/chatbot/:chatbotId/conversations/:sessionId/notes": (number) => ({
    json: { text: `Note ${number}` },
  }),
  "POST /api/external/erasures": (number) => ({ json: { session_token: `visitor-${number}` } }),
  "POST /api/external/chatbot/:chatbotId/tests": (number) => ({
    json: { question: `When on day ${number}?`, expectations: {} },
  }),
  "POST /api/external/chatbot/:chatbotId/tests/from-reply": (number) => ({ json: { message_id: tested[number - 1] } }),
  "POST /api/external/chatbot/:chatbotId/tests/import": (number) => ({
    form: formOf({ file: new File([`question\nHow ${number}?`], "tests.csv") }),
  }),
  "PATCH /api/external/chatbot/:chatbotId/tests/:testId": (number) => ({ json: { tags: [`day ${number}`] } }),
  "PATCH /api/external/chatbot/:chatbotId/test-plan": (number) => ({ json: { repeats: number } }),
  "POST /api/external/chatbot/:chatbotId/test-runs": (number) => ({ json: number === 1 ? {} : { tier: "search" } }),
  "POST /api/external/chatbot/:chatbotId/test-runs/:runId/stop": without,
  "POST /api/external/chatbot/:chatbotId/tools": (number) => ({ json: tool(`tool_${number}`) }),
  "PATCH /api/external/chatbot/:chatbotId/tools/:toolId": (number) => ({
    json: { description: `Finds order ${number}.` },
  }),
  "POST /api/external/chatbot/:chatbotId/tools/:toolId/try": (number) => ({ json: { input: { order: number } } }),
  "POST /api/external/chatbot/:chatbotId/tools/try": (number) => ({
    json: { tool: tool(`tried_${number}`), input: {} },
  }),
  "POST /api/external/chatbot/:chatbotId/sources": (number) => ({
    json: { kind: "text", name: `Text ${number}`, text: `The text of number ${number}.` },
  }),
  "PATCH /api/external/chatbot/:chatbotId/sources/:sourceId": (number) => ({ json: { name: `Site ${number}` } }),
  "POST /api/external/chatbot/:chatbotId/sources/preview": (number) => ({ json: site(`Site ${number}`) }),
  "POST /api/external/chatbot/:chatbotId/sources/:sourceId/runs": (number) => ({ json: { confirm: number === 1 } }),
  "POST /api/external/chatbot/:chatbotId/sources/:sourceId/runs/:runId/stop": without,
  "POST /api/external/chatbot/:chatbotId/sources/:sourceId/questions": (number) => ({
    json: asking(`When on day ${number}?`),
  }),
  "PATCH /api/external/chatbot/:chatbotId/sources/:sourceId/questions/:questionId": (number) => ({
    json: { answer: `At ${number}.` },
  }),
  "POST /api/external/chatbot/:chatbotId/sources/:sourceId/questions/import": (number) => ({
    form: formOf({ file: new File([`question,answer\nHow ${number}?,So.`], "faq.csv") }),
  }),
  "PATCH /api/external/chatbot/:chatbotId/topics/:topicId": (number) => ({ json: { name: `Tides ${number}` } }),
  "POST /api/admin/people": (number) => ({
    json: { name: `Ada ${number}`, roles: [{ role: "viewer", chatbot_id: null }] },
  }),
  "PATCH /api/admin/people/:personId": (number) => ({ json: { name: `Ada ${number}` } }),
  "POST /api/admin/people/:personId/invitation": without,
  "POST /api/admin/sign-in-providers": (number) => ({ json: { ...idp, name: `Staff ${number}` } }),
  "PATCH /api/admin/sign-in-providers/:providerId": (number) => ({ json: { name: `Staff ${number}` } }),
  "POST /api/admin/model-connections": (number) => ({ json: { ...modelServer, name: `server-${number}` } }),
  "PATCH /api/admin/model-connections/:connectionId": (number) => ({ json: { api_key: `key ${number}` } }),
  "POST /api/admin/models/test": (number) => ({ json: { model: number === 1 ? "local/extractive" : "local/other" } }),
  "POST /api/external/chatbot/:chatbotId/canned-answers": (number) => ({
    json: { shortcut: `tide-${number}`, content: "It comes twice a day." },
  }),
  "PATCH /api/external/chatbot/:chatbotId/canned-answers/:answerId": (number) => ({
    json: { content: `At ${number}.` },
  }),
  "POST /api/external/chatbot/:chatbotId/knowledge-base/import": (number) => ({
    form: formOf({ file: archives[number] ?? "" }),
  }),
  "POST /api/external/chatbot/:chatbotId/duplicate": (number) => ({ json: { name: `Copy ${number}` } }),
  "POST /api/external/chatbot/:chatbotId/identity-secrets": without,
  "POST /api/external/webhooks": (number) => ({
    json: { url: `https://hooks.example/${number}`, events: ["budget.spent"] },
  }),
  "PATCH /api/external/webhooks/:webhookId": (number) => ({ json: { description: `Number ${number}` } }),
  "POST /api/external/webhooks/:webhookId/rotate": without,
  "POST /api/external/webhooks/:webhookId/test": without,
  "POST /api/external/webhooks/:webhookId/deliveries/resend": (number) => ({
    json: { since: `2026-11-2${number}T00:00:00Z` },
  }),
  "POST /api/external/webhooks/:webhookId/deliveries/:deliveryId/resend": without,
  "POST /api/admin/organizations": (number) => ({ json: { name: `Organization ${number}` } }),
  "PATCH /api/admin/organizations/:organizationId": (number) => ({ json: { name: `Renamed ${number}` } }),
  "POST /api/admin/api-keys": (number) => ({ json: { name: `Key ${number}`, scopes: ["chat"] } }),
  "PATCH /api/admin/api-keys/:apiKeyId": (number) => ({ json: { budget: { tokens_per_day: number } } }),
  "POST /v1/chat/completions": (number) => ({
    json: { model: chatbot.slug, messages: [{ role: "user", content: `Question ${number}` }] },
  }),
}

/** What the addresses name, by the names of their parameters. */
const named: Readonly<Record<string, string>> = {
  answerId: canned.id,
  apiKeyId: apiKey,
  chatbotId: chatbot.id,
  connectionId: connection.id,
  deliveryId: delivery,
  documentId: failed?.id ?? "",
  messageId: reply,
  organizationId: organization,
  personId: person.id,
  providerId: signIn.id,
  questionId: asked.id,
  runId: testRun,
  sessionId: session,
  sourceId: faq,
  testId: stored.id,
  toolId,
  topicId: topic,
  webhookId,
}
/** What some addresses name instead. */
const others: ReadonlyArray<readonly [RegExp, Readonly<Record<string, string>>]> = [
  [/\/(?:messages|draft|notes)$/, { sessionId: inInbox }],
  [/\/test-runs$/, { chatbotId: idle }],
  [/\/test-runs\/.*\/stop$/, { chatbotId: running }],
  [/\/sources\/:sourceId(?:\/runs)?$/, { sourceId: ended.id }],
  [/\/sources\/.*\/stop$/, { sourceId: underWay.id, runId: underWay.run }],
]
const pathOf = (name: string) => {
  const values = Object.assign({}, named, ...others.flatMap(([words, other]) => (words.test(name) ? [other] : [])))
  const path = name.replace(/^\w+ /, "").replaceAll(/:(\w+)/g, (_, parameter: string) => values[parameter])
  return name === "PATCH /api/external/chatbots" ? `${path}?id=${chatbot.id}` : path
}
/** Sends the request of a number with an idempotency key. */
const sendKeyed = (name: string, sent: Case, number: number, key: string) => {
  const { headers, ...content } = sent(number)
  const [method = ""] = name.split(" ")
  return client.send(method, pathOf(name), { ...content, headers: { ...headers, "idempotency-key": key } })
}

/** All that the requests may change, but for the time at which a key was used. */
const everything = async () => {
  // What is being read changes by itself.
  await until(
    () => client.documents(chatbot.id),
    (documents) => documents.every(({ status }) => status === "ready" || status === "failed"),
  )
  const paths = [
    "/api/external/chatbots",
    at(""),
    at("/chat-widget"),
    at("/voice-agent"),
    at("/knowledge-base/documents?limit=100"),
    at("/conversations?limit=100"),
    at(`/conversations/${session}/messages`),
    at("/tools"),
    at("/tests"),
    at("/test-plan"),
    "/api/admin/organizations",
    "/api/admin/api-keys",
    "/api/external/usage",
  ]
  const replies = await Promise.all(paths.map((path) => client.get(path)))
  const { sources } = Object((await client.get(at("/sources"))).body)
  const { data: runs } = Object((await client.get(`/api/external/chatbot/${idle}/test-runs`)).body)
  return [
    ...replies.map(({ headers, text }) => [headers.get("etag"), text.replaceAll(/"last_used_at":"[^"]+"/g, "")]),
    sources.map(({ last_run, updated_at }: Source) => [updated_at, last_run?.id]),
    runs.map(({ id }: { readonly id: string }) => id),
  ]
}

const answerOf = ({ headers, status, text }: Reply) => ({
  status,
  text,
  headers: ["content-type", "etag", "x-session-id", "x-message-id"].map((name) => headers.get(name)),
})

const isReplayed = ({ headers }: Reply) => headers.get("idempotency-replayed") === "true"
const codeOf = ({ body }: Reply): string => Object(body).code ?? Object(body).error?.code

test("the examples are of every endpoint that changes anything", () => {
  // The chat widget has no idempotency keys, since a visitor's message has an id of its own; to sign in twice is harmless,
  // and a backup that is made again is refused.
  const others = new Set([
    "/api/console/session",
    "/api/console/passkeys",
    "/api/console/passkeys/options",
    "/api/console/invitations",
    "/api/console/invitations/options",
    "/api/admin/backups",
  ])
  // Saying again who is there changes nothing more, and the audio of a spoken turn is stored nowhere.
  const isWithout = (path: string) => /^\/api\/widget\/|\/presence$|\/voice\/turns$/.test(path) || others.has(path)
  const changing = routes.filter(
    ({ isDocumented, method, path }) => isDocumented && ["PATCH", "POST"].includes(method) && !isWithout(path),
  )
  expect(Object.keys(cases).toSorted()).toEqual(changing.map(({ method, path }) => `${method} ${path}`).toSorted())
  expect([broken.status, failed?.name]).toEqual([200, "broken.json"])
})

describe("a request that is sent again with its key changes nothing more, and is answered as at first", () => {
  test.each(Object.entries(cases))("%s", async (name, sent) => {
    const send = (number: number, key: string) => sendKeyed(name, sent, number, key)
    const first = await send(1, name.replaceAll(" ", "-"))
    expect(first.status).toBeWithin(200, 203)
    expect(isReplayed(first)).toBe(false)
    const before = await everything()
    const again = await send(1, `"${name.replaceAll(" ", "-")}"`)
    expect(answerOf(again)).toEqual(answerOf(first))
    expect(isReplayed(again)).toBe(true)
    expect(again.headers.get("x-request-id")).not.toBe(first.headers.get("x-request-id"))
    const other = await send(2, name.replaceAll(" ", "-"))
    expect([other.status, codeOf(other)]).toEqual([422, "idempotency_key_reused"])
    expect(await everything()).toEqual(before)
  })
})

describe("of the same request sent many times at once, one is run", () => {
  test.each(Object.entries(cases).filter(([name]) => !/\/(?:retry|runs)$/.test(name)))("%s", async (name, sent) => {
    const send = () => sendKeyed(name, sent, 3, `"at once ${name}"`)
    const replies = await Promise.all(Array.from({ length: 8 }, send))
    const [run, ...others] = replies.filter((one) => one.status < 300 && !isReplayed(one))
    expect(run?.status).toBeWithin(200, 203)
    expect(others).toEqual([])
    for (const one of replies) {
      if (one === run) continue
      if (isReplayed(one)) expect(one.text).toBe(run?.text ?? "")
      else
        expect([one.status, codeOf(one), one.headers.get("retry-after")]).toEqual([409, "idempotency_in_progress", "1"])
    }
  })
})

describe("a request whose server ends before it has kept the answer has one effect when it is sent again", () => {
  /** While it is in force, no answer can be kept, as if the server died at that moment. */
  const setDeath = (isInForce: boolean) =>
    query(
      SystemSql.use((sql) =>
        isInForce
          ? sql`create trigger death before update of status on idempotency_keys for each row
              when (new.status is not null) execute function death()`
          : Effect.andThen(
              sql`drop trigger death on idempotency_keys`,
              sql`update idempotency_keys set lease_until = now() where status is null`,
            ),
      ),
    )

  /** Makes room for another secret, of which there are two at most. */
  const forgetSecrets = () =>
    query(SystemSql.use((sql) => sql`delete from identity_secrets where chatbot_id = ${chatbot.id}`))

  /** All but what counts what was done, such as calls of models, and when. */
  const state = async () =>
    JSON.stringify(await everything())
      .replaceAll(/\d{4}-\d\d-\d\dT[^"\\]+/g, "")
      .replaceAll(/_tokens[^,}\]]*|"?replies[^,}\]]*/g, "")

  beforeAll(() =>
    query(
      SystemSql.use(
        (sql) => sql`create function death() returns trigger language plpgsql as
          $$ begin raise exception 'the server dies' using errcode = '53000'; end $$`,
      ),
    ),
  )

  test.each(Object.entries(cases))("%s", async (name, sent) => {
    const send = () => sendKeyed(name, sent, 4, `"dies ${name}"`)
    await forgetSecrets()
    const before = await state()
    await setDeath(true)
    const cutOff = await send()
    const then = await state()
    await setDeath(false)
    const again = await send()
    expect(again.status).toBeWithin(200, 203)
    expect(isReplayed(again)).toBe(false)
    const after = await state()
    // Either nothing had happened, or it has not happened again.
    expect(then).toEqual(cutOff.status < 300 ? after : before)
    expect(answerOf(await send())).toEqual(answerOf(again))
    expect(await state()).toEqual(after)
  })
})

test("a file is uploaded once, whatever the boundaries of the form, and under another name it is another request", async () => {
  const page = await Bun.file(fixturePath("handbook.html")).bytes()
  const upload = (name: string) =>
    client.post("/api/embedfiles", {
      form: formOf({ chatbotId: chatbot.id, files: new File([page], name) }),
      headers: { "idempotency-key": "handbook" },
    })
  const first = await upload("handbook.html")
  const again = await upload("handbook.html")
  expect([again.text, isReplayed(again)]).toEqual([first.text, true])
  expect((await upload("other.html")).status).toBe(422)
})
