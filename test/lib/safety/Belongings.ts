import { expect } from "bun:test"
import { Effect, Schema } from "effect"
import { allScopes } from "../../../src/domain/keys/ApiKey.ts"
import { TestRun } from "../../../src/domain/evaluation/TestRun.ts"
import { Source } from "../../../src/domain/knowledge/Source.ts"
import { Organization } from "../../../src/domain/organizations/Organization.ts"
import { ChatbotId } from "../../../src/domain/Ids.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { type Client, read, until } from "../Client.ts"
import { newPerson } from "../People.ts"
import { tablesWithOrganization } from "../FilledTenant.ts"
import type { TestServer } from "../TestServer.ts"

/*
 * Organizations that own something of every kind, made through the API, with words of their own in everything.
 */

const kinds = [
  "organization",
  "apiKey",
  "chatbot",
  "slug",
  "document",
  "failedDocument",
  "session",
  "sessionToken",
  "message",
  "tool",
  "test",
  "testRun",
  "source",
  "sourceRun",
  "questionSource",
  "question",
  "cannedAnswer",
  "signInProvider",
  "modelConnection",
  "person",
  "personSession",
  "identitySecret",
  "webhook",
  "delivery",
] as const
/** What a value in a request can name. */
export type Kind = (typeof kinds)[number]

/** The names of a chatbot and of all that belongs to it, by their kind. */
export type Belongings = Readonly<Record<Kind, string>>

/** An organization with a key that has every scope an organization can have, and what belongs to it. */
export interface Member {
  readonly client: Client
  readonly organization: string
  /** A word that stands in every text of the organization, and in nothing of any other. */
  readonly canary: string
  readonly own: Belongings
}

/** The scopes of an organization that is not the operator's. */
export const ordinaryScopes = allScopes.filter((scope) => String(scope) !== "operator")

/** Makes an organization without chatbots, and a client with a key of it. Only the operator's client may. */
export const makeOrganization = async (operator: Client, canary: string) => {
  const reply = await operator.post("/api/admin/organizations", { json: { name: canary } })
  const { organization } = read(Schema.Struct({ organization: Organization }), reply)
  const { client } = await operator.newKey({
    name: `${canary} main`,
    organization_id: organization.id,
    scopes: ordinaryScopes,
  })
  return { organization: organization.id, client }
}

/** Makes something with a request, and returns its id, which the answer has below this name. */
const made = async (client: Client, path: string, json: object | undefined, name: string): Promise<string> => {
  const Made = Schema.Struct({ [name]: Schema.Struct({ id: Schema.String }) })
  return read(Made, await client.post(path, json && { json }))[name]?.id ?? expect.unreachable()
}

const Deliveries = Schema.Struct({
  deliveries: Schema.Array(Schema.Struct({ id: Schema.String, state: Schema.String })),
})

/** Makes a webhook with a delivery. It is switched off, so that nothing of it changes by itself. */
const makeWebhook = async (client: Client, chatbot_id: string, canary: string) => {
  const events = ["chatbot.updated"]
  const json = { url: `https://${canary}.example/`, description: canary, events, chatbot_id }
  const webhook = await made(client, "/api/external/webhooks", json, "webhook")
  const path = `/api/external/webhooks/${webhook}`
  await client.patch(`/api/external/chatbots?id=${chatbot_id}`, { json: { description: canary } })
  await client.patch(path, { json: { active: false } })
  const { deliveries } = await until(
    async () => read(Deliveries, await client.get(`${path}/deliveries`)),
    (found) => found.deliveries.every(({ state }) => state === "failed"),
  )
  return { webhook, delivery: deliveries[0]?.id ?? expect.unreachable() }
}

const OneTestRun = Schema.Struct({ run: TestRun })

/** Makes a run of the tests that has ended. */
const makeTestRun = async (client: Client, chatbot: string) => {
  const path = `/api/external/chatbot/${chatbot}/test-runs`
  const { id } = read(OneTestRun, await client.post(path, { json: {} })).run
  await until(
    async () => read(OneTestRun, await client.get(`${path}/${id}`)).run,
    ({ ended_at }) => ended_at !== null,
  )
  return { testRun: id }
}

const OneSource = Schema.Struct({ source: Source })

/** Makes a source whose run has ended, so that nothing of it changes by itself. */
const makeSource = async (client: Client, chatbot: string, canary: string) => {
  const path = `/api/external/chatbot/${chatbot}/sources`
  const json = { kind: "website", name: canary, urls: [`https://${canary}.example/`] }
  const { id, last_run } = read(OneSource, await client.post(path, { json })).source
  await client.post(`${path}/${id}/runs/${last_run?.id}/stop`)
  await until(
    async () => read(OneSource, await client.get(`${path}/${id}`)).source.last_run,
    (run) => run !== null && run.ended_at !== null,
  )
  return { source: id, sourceRun: last_run?.id ?? expect.unreachable() }
}

/** Makes a source with a question. */
const makeQuestion = async (client: Client, chatbot: string, canary: string) => {
  const path = `/api/external/chatbot/${chatbot}/sources`
  const questionSource = await made(client, path, { kind: "questions", name: canary }, "source")
  const asked = { question: canary, answer: canary }
  return { questionSource, question: await made(client, `${path}/${questionSource}/questions`, asked, "question") }
}

const makeCannedAnswer = async (client: Client, chatbot: string, canary: string) => {
  const json = { shortcut: canary, content: canary }
  return { cannedAnswer: await made(client, `/api/external/chatbot/${chatbot}/canned-answers`, json, "canned_answer") }
}

const AllProviders = Schema.Struct({
  providers: Schema.Array(Schema.Struct({ id: Schema.String, name: Schema.String })),
})

const makeSignInProvider = async (client: Client, canary: string) => {
  // An organization has few of them, and those of earlier things to delete are in the way.
  const { providers } = read(AllProviders, await client.get("/api/admin/sign-in-providers"))
  for (const { id, name } of providers) {
    if (name.startsWith("doomed")) await client.delete(`/api/admin/sign-in-providers/${id}`)
  }
  const json = {
    name: canary,
    issuer: "https://login.example.com",
    client_id: canary,
    client_secret: canary,
    roles_claim: "groups",
    role_mappings: [],
  }
  return { signInProvider: await made(client, "/api/admin/sign-in-providers", json, "provider") }
}

const makeModelConnection = async (client: Client, canary: string) => {
  const json = {
    name: canary.slice(0, 20) + crypto.randomUUID().slice(0, 8),
    api: "openai",
    base_url: "https://models.example.com",
    api_key: canary,
  }
  return { modelConnection: await made(client, "/api/admin/model-connections", json, "connection") }
}

const Sessions = Schema.Struct({ sessions: Schema.Array(Schema.Struct({ id: Schema.String })) })

/** Makes a person with a role for a chatbot, who is signed in. */
const makePerson = async (client: Client, chatbot: string, canary: string) => {
  const { id } = await newPerson(client, [{ role: "viewer", chatbot_id: ChatbotId.make(chatbot) }], canary)
  const { sessions } = read(Sessions, await client.get(`/api/admin/people/${id}/sessions`))
  return { person: id, personSession: sessions[0]?.id ?? expect.unreachable() }
}

/** Makes a document that is ready and one that has failed. */
const makeDocuments = async (client: Client, chatbot: string, canary: string) => {
  const { status, text } = await client.upload(chatbot, {
    [`${canary}.md`]: `# ${canary}\n\n${canary} drains.`,
    [`${canary}.pdf`]: "%PDF-1.7 no",
  })
  if (status > 202) throw new Error(`${status} ${text}`)
  // A busy machine may take longer than an upload waits.
  const documents = await until(
    () => client.documents(chatbot),
    (all) => all.every(({ status }) => status === "ready" || status === "failed"),
  )
  const named = (status: string) => documents.find((document) => document.status === status)?.id ?? expect.unreachable()
  return { document: named("ready"), failedDocument: named("failed") }
}

/** Makes a conversation with a question and its reply. */
const makeSession = async (client: Client, chatbot: string, canary: string, sessionToken: string) => {
  const { headers, status, text } = await client.say(chatbot, `${canary}: what drains?`, { sessionToken })
  if (status > 202) throw new Error(`${status} ${text}`)
  return { session: headers.get("x-session-id") ?? "", sessionToken, message: headers.get("x-message-id") ?? "" }
}

const makeTool = async (client: Client, chatbot: string, canary: string) => {
  const json = {
    name: `t-${canary}`,
    description: canary,
    input_schema: { type: "object" },
    method: "GET",
    url: `https://${canary}.example/`,
    headers: { authorization: canary },
  }
  return { tool: await made(client, `/api/external/chatbot/${chatbot}/tools`, json, "tool") }
}

/** Makes a test of a chatbot, and a run of it that has ended. */
const makeTest = async (client: Client, chatbot: string, canary: string) => {
  // Its tests run only when they are told to, so that rows do not change by themselves.
  await client.patch(`/api/external/chatbot/${chatbot}/test-plan`, { json: { on_change: false } })
  const json = { question: canary, expectations: { say: [{ kind: "words", value: canary }] }, tags: [canary] }
  const test = await made(client, `/api/external/chatbot/${chatbot}/tests`, json, "test")
  return { test, ...(await makeTestRun(client, chatbot)) }
}

const makeIdentitySecret = async (client: Client, chatbot: string) => {
  const path = `/api/external/chatbot/${chatbot}/identity-secrets`
  return { identitySecret: await made(client, path, undefined, "identity_secret") }
}

/**
 * Makes a chatbot of an organization, with a document, a conversation, a tool, a key and all that a request can name, or
 * with these kinds of them alone. What it does not make is named by a name of nothing.
 */
export const makeBelongings = async (
  client: Client,
  organization: string,
  canary: string,
  wanted?: ReadonlySet<Kind>,
): Promise<Belongings> => {
  const number = crypto.randomUUID().slice(0, 8)
  const slug = `${canary}-${number}`
  const { id: chatbot } = await client.newChatbot({
    name: `${canary} ${number}`,
    slug,
    settings: { prompt: `Say ${canary}.` },
  })
  await client.patch(`/api/external/chatbot/${chatbot}/voice-agent`, { json: { voice: "alloy" } })
  /** Makes something where one of its kinds is asked for. */
  const where = async (make: () => Promise<Partial<Belongings>>, ...its: ReadonlyArray<Kind>) =>
    wanted === undefined || its.some((kind) => wanted.has(kind)) ? make() : {}
  const sessionToken = `${canary}-${number}-token`
  const parts = await Promise.all([
    where(() => makeDocuments(client, chatbot, canary), "document", "failedDocument"),
    where(() => makeSession(client, chatbot, canary, sessionToken), "session", "sessionToken", "message"),
    where(() => makeTool(client, chatbot, canary), "tool"),
    where(() => makeTest(client, chatbot, canary), "test", "testRun"),
    where(() => makeIdentitySecret(client, chatbot), "identitySecret"),
    where(
      async () => ({ apiKey: (await client.newKey({ name: canary, scopes: ["chat"], chatbot_id: chatbot })).id }),
      "apiKey",
    ),
    where(() => makeSource(client, chatbot, canary), "source", "sourceRun"),
    where(() => makeQuestion(client, chatbot, canary), "questionSource", "question"),
    where(() => makeCannedAnswer(client, chatbot, canary), "cannedAnswer"),
    where(() => makeSignInProvider(client, canary), "signInProvider"),
    where(() => makePerson(client, chatbot, canary), "person", "personSession"),
    where(() => makeModelConnection(client, canary), "modelConnection"),
  ])
  // Its delivery tells of a change of the chatbot.
  const webhook = await where(() => makeWebhook(client, chatbot, canary), "webhook", "delivery")
  return [...parts, webhook].reduce<Belongings>((all, part) => ({ ...all, ...part }), {
    ...nothing(),
    organization,
    chatbot,
    slug,
  })
}

/** Makes an organization with something of every kind, or of these kinds. */
export const makeMember = async (operator: Client, kinds?: ReadonlySet<Kind>): Promise<Member> => {
  const canary = `canary${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`
  const { client, organization } = await makeOrganization(operator, canary)
  return { client, organization, canary, own: await makeBelongings(client, organization, canary, kinds) }
}

/** Names of every kind that name nothing. */
export const nothing = (): Belongings =>
  Object.fromEntries(
    kinds.map((kind) => [kind, (kind === "slug" || kind === "sessionToken" ? "no-" : "") + Bun.randomUUIDv7()]),
  ) as Record<Kind, string>

/** Tables whose rows the server changes by itself: usage is folded, questions are grouped, and requests are remembered. */
const restless = /^usage_|^topic|audit|idempoten|rate|limit|share/

/** What the server writes by itself: the last use of a key, and failed attempts of a webhook that is tried again. */
const byItself = ["last_used_at", "last_seen_at", "failures", "failing_since", "topic_id"]

/** Checksums of all rows of an organization by table, without what the server writes by itself. */
export const checksums = (
  server: TestServer,
  organization: string,
): Promise<ReadonlyArray<{ readonly name: string; readonly count: number; readonly sum: string | null }>> =>
  server.query(
    Effect.gen(function* () {
      const sql = yield* SystemSql
      const tables = (yield* tablesWithOrganization).filter((table) => !restless.test(table))
      const sums = tables.map(
        (table) => sql`
          select ${table}::text as name, count(*)::int as count, md5(string_agg(row, '' order by row)) as sum
          from (select (to_jsonb(t) - ${byItself}::text[])::text as row from ${sql(table)} t
            where organization_id = ${organization}) rows`,
      )
      return yield* sql<{
        name: string
        count: number
        sum: string | null
      }>`${sql.join(" union all ", false)(sums)} union all
        select 'organizations', count(*)::int, md5(string_agg(to_jsonb(t)::text, '')) from organizations t
        where id = ${organization} order by name`
    }),
  )
