import { Schema } from "effect"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { type Client, read, type Reply, until } from "../Client.ts"
import type { Operation } from "./ApiDocument.ts"
import {
  type Belongings,
  checksums,
  type Kind,
  makeBelongings,
  makeMember,
  type Member,
  nothing,
} from "./Belongings.ts"
import { callTool } from "./McpCalls.ts"
import { type Place, placesOf } from "./Places.ts"
import { type ValidRequest, validRequest, type Values } from "./ValidRequests.ts"
import type { TestServer } from "../TestServer.ts"
import type { World } from "./World.ts"

/*
 * The matrix of isolation: every operation of the API, with every kind of key that must not perform it, and with the
 * names of another organization's things at every place of a request. An operation that is declared is in it without
 * any change here; where it needs a decision, its row says so.
 */

/** Operations that only the operator may perform, beside those that need the scope `operator`. */
export const operatorOnly: ReadonlySet<string> = new Set([
  "POST /api/admin/organizations",
  "PATCH /api/admin/organizations/{organizationId}",
  "DELETE /api/admin/organizations/{organizationId}",
  "GET /metrics",
])

/** Operations that no API key may perform, not even the operator's: only commands on the machine of the server. */
const ofThisMachine: ReadonlySet<string> = new Set(["POST /api/admin/backups"])

/**
 * Operations without a chatbot that answer keys which are bound to one, with what belongs to that chatbot alone. All
 * others refuse such keys.
 */
export const answersBoundKeys: ReadonlySet<string> = new Set([
  "GET /api/external/chatbots",
  "GET /v1/models",
  "GET /api/external/usage",
  "GET /api/external/usage/conversations",
  "GET /api/external/chatbots/totals",
  "GET /api/external/conversations",
  "GET /api/external/events",
  "GET /api/external/webhooks",
  "GET /api/console/session",
  "GET /api/console/sessions",
  "GET /api/external/people",
  // Names of the organization's connections, of which whoever sets a model chooses.
  "GET /api/external/models",
  "GET /api/external/inbox",
])

/** Operations that need no scope: those that say who asks, one that says who asks, and one that sends what the scopes of its key allow. */
const needsNoScope: ReadonlySet<string> = new Set([
  "GET /api/console/session",
  "GET /api/console/sessions",
  "DELETE /api/console/sessions/{sessionId}",
  "GET /api/external/events",
])

/** They are refused while the webhook is switched off, as those of the matrix are. */
const resend = "POST /api/external/webhooks/{webhookId}/deliveries/{deliveryId}/resend"
const resendFailed = "POST /api/external/webhooks/{webhookId}/deliveries/resend"
/** The run of the matrix has ended. */
const stop = "POST /api/external/chatbot/{chatbotId}/sources/{sourceId}/runs/{runId}/stop"
const stopTests = "POST /api/external/chatbot/{chatbotId}/test-runs/{runId}/stop"
/** Operations on topics, which only the server makes: the right key finds none of a name that it never had. */
const ofTopics = new Set([
  "GET /api/external/chatbot/{chatbotId}/topics/{topicId}/questions",
  "PATCH /api/external/chatbot/{chatbotId}/topics/{topicId}",
])

/** Another row of the matrix may have taken the conversation over. */
const takeOver = "POST /api/external/chatbot/{chatbotId}/conversations/{sessionId}/handover"
/** The operation on a session of one's own, which a key has none of. */
const ofPersons = "DELETE /api/console/sessions/{sessionId}"

/** Places at which the name of something foreign is refused otherwise than with 404. */
const otherRefusals: Readonly<Record<string, number>> = {
  // They narrow a list, which is empty then.
  "GET /api/admin/audit-log api_key_id": 200,
  "GET /api/admin/audit-log target_id": 200,
  // The query has to repeat what the form says.
  "PATCH /api/external/chatbot/{chatbotId}/knowledge-base id": 400,
  // The address already names a chatbot.
  "POST /mcp/{chatbotId} search_knowledge chatbot_id": 403,
  "POST /mcp/{chatbotId} chat chatbot_id": 403,
  // The webhook is switched off, whatever deliveries it has.
  [`${resend} deliveryId`]: 409,
}

/** Operations that need no key. */
export const openOperations: ReadonlySet<string> = new Set([
  "GET /healthz",
  "GET /readyz",
  "GET /avatars/{name}",
  "GET /api/attachments/{attachmentId}/{secret}/{name}",
  "GET /api/widget/config/{key}",
  "POST /api/widget/sessions",
  "POST /api/console/session",
  "DELETE /api/console/session",
  "GET /api/console/providers/{providerId}/sign-in",
  "GET /api/console/providers/{providerId}/callback",
  "GET /api/console/sign-in",
  "POST /api/console/passkeys/options",
  "POST /api/console/passkeys",
  "POST /api/console/invitations/options",
  "POST /api/console/invitations",
])

/** What was found about one organization's things and the requests of others. */
export interface MatrixReport {
  readonly cells: number
  /** What is wrong, one line each. */
  readonly failures: ReadonlyArray<string>
}

/** Headers that differ between equal answers. */
const volatile = new Set(["date", "x-request-id", "ratelimit", "ratelimit-policy"])

/** An answer without what differs between equal answers. */
const comparable = (reply: Reply): string =>
  JSON.stringify([
    reply.status,
    Array.from(reply.headers).filter(([name]) => !volatile.has(name)),
    reply.text.replaceAll(reply.headers.get("x-request-id") ?? " ", "<id>"),
  ])

/** All names and words of an organization, which no answer to others may hold. */
const secretsOf = ({ canary, own }: Member): ReadonlyArray<string> => [canary, ...Object.values(own)]

type Checksums = Awaited<ReturnType<typeof checksums>>

/**
 * Rows of the matrix switch on the attacker's webhook, whose deliveries are then tried again, run its source, and say who
 * is in a conversation, which holds for seconds.
 */
const changesLater = /^(?:webhook_deliveries$|conversation_presence$|source_)/

/** The names of the tables whose checksums differ; empty where none does. The victim's come first. */
export const changedTables = (before: ReadonlyArray<Checksums>, after: ReadonlyArray<Checksums>): string =>
  before
    .flatMap((tables, index) =>
      tables
        .filter(({ name }) => !changesLater.test(name) || index === 0)
        .filter(
          (table) =>
            !Bun.deepEquals(
              table,
              after[index]?.find(({ name }) => name === table.name),
            ),
        )
        .map(({ name }) => name),
    )
    .join(", ")

/** Sends a valid request of an operation. */
type Perform = (client: Client, request: ValidRequest) => Promise<Reply>

const AllChatbots = Schema.Struct({
  chatbots: Schema.Array(Schema.Struct({ id: Schema.String, name: Schema.String })),
})

/**
 * Waits until no job of the row before can change rows any more. Runs of tests that have not begun are forgotten: they
 * wait half a minute for further changes.
 */
export const untilIdle = async ({ query }: TestServer): Promise<void> => {
  await query(SystemSql.use((sql) => sql`delete from test_queue where run_id is null and lease_id is null`))
  await until(
    () => query(SystemSql.use((sql) => sql`select from ingestions union all select from test_queue`)),
    (jobs) => jobs.length === 0,
  )
}

/** One row of the matrix: an operation with its places. */
const makeRow = (
  { attacker, document, keys, server, sibling, victim }: World,
  operation: Operation,
  perform: Perform,
) => {
  const places = placesOf(document, operation)
  const named = places.flatMap((place) => (place.kinds === "chosen" ? [] : [{ ...place, kinds: place.kinds }]))
  const chosen = places.filter(({ kinds }) => kinds === "chosen")
  const failures: Array<string> = []
  let cells = 0

  const fail = (cell: string, what: string) => failures.push(`${operation.name}, ${cell}: ${what}`)

  const send = (client: Client, values: Values) => perform(client, validRequest(document, operation, values))

  /** The values at all places, as the first of their kinds in these belongings. */
  const valuesFrom = (
    belongings: Belongings,
    of: ReadonlyArray<Pick<Place, "name"> & { kinds: ReadonlyArray<Kind> }>,
  ) => Object.fromEntries(of.map(({ kinds: [kind], name }) => [name, kind === undefined ? "" : belongings[kind]]))

  const own = valuesFrom(attacker.own, named)

  /** Sends a request, expects one of these statuses, and finds nothing of the victim in the answer. */
  const expectStatus = async (cell: string, client: Client, values: Values, ...statuses: ReadonlyArray<number>) => {
    cells++
    const reply = await send(client, values)
    if (!statuses.includes(reply.status))
      fail(cell, `${reply.status} and not ${statuses.join(" or ")}: ${reply.text.slice(0, 200)}`)
    const text = `${JSON.stringify(Array.from(reply.headers))}${reply.text}`
    for (const secret of secretsOf(victim)) if (text.includes(secret)) fail(cell, `the answer holds ${secret}`)
    return reply
  }

  /** Expects that the name of something foreign is answered exactly as one of nothing is. */
  const expectNoDifference = async (
    cell: string,
    client: Client,
    [foreign, missing]: readonly [Values, Values],
    ...statuses: ReadonlyArray<number>
  ) => {
    const one = comparable(await expectStatus(cell, client, foreign, ...statuses))
    const other = comparable(await expectStatus(`${cell} (of nothing)`, client, missing, ...statuses))
    if (one !== other) fail(cell, `what exists is answered otherwise than what does not:\n${one}\n${other}`)
  }

  const isOperatorOnly = String(operation.scope) === "operator" || operatorOnly.has(operation.name)
  const ofChatbot = named.filter(({ kinds }) => kinds.includes("chatbot"))

  const refusedKeys = async () => {
    for (const [name, client] of Object.entries(keys.refused)) await expectStatus(`key ${name}`, client, own, 401)
    const lacking = operation.scope === undefined ? undefined : keys.lacking.get(operation.scope)
    if (lacking !== undefined) await expectStatus(`key without ${operation.scope}`, lacking, own, 403)
    else if (!isOperatorOnly && !needsNoScope.has(operation.name)) fail("scope", "the endpoint declares none")
  }

  const boundKeys = async () => {
    if (operation.path.includes("{webhookId}")) {
      // A bound key has the webhooks of its chatbot, and others do not exist for it.
      await expectStatus("key bound to another chatbot", keys.boundElsewhere, own, 404)
    } else if (ofChatbot.length > 0) {
      for (const values of [
        own,
        { ...own, ...valuesFrom(victim.own, ofChatbot) },
        { ...own, ...valuesFrom(nothing(), ofChatbot) },
      ]) {
        await expectStatus("key bound to another chatbot", keys.boundElsewhere, values, 403)
      }
    } else if (answersBoundKeys.has(operation.name)) {
      const { text } = await expectStatus("key bound to a chatbot", keys.boundHere, own, 200)
      for (const secret of Object.values({ ...sibling, organization: sibling.chatbot })) {
        if (text.includes(secret)) fail("key bound to a chatbot", `the answer holds ${secret} of another`)
      }
    } else await expectStatus("key bound to a chatbot", keys.boundHere, own, operation.name === ofPersons ? 404 : 403)
  }

  const foreignNames = async () => {
    const missing = nothing()
    for (const place of named) {
      // Aliases have to agree, so that only one of them is sent.
      const others = named.filter(
        (other) => other !== place && (other.required || !other.kinds.some((kind) => place.kinds.includes(kind))),
      )
      const expected = isOperatorOnly ? 403 : (otherRefusals[`${operation.name} ${place.name}`] ?? 404)
      for (const kind of place.kinds) {
        const pair = [victim.own, missing].map((from) => ({
          ...valuesFrom(attacker.own, others),
          [place.name]: from[kind],
        }))
        const [foreign = {}, absent = {}] = pair
        await expectNoDifference(
          `${kind} of another in ${place.in} ${place.name}`,
          attacker.client,
          [foreign, absent],
          expected,
        )
        if (
          kind === "chatbot" ||
          kind === "slug" ||
          kind === "organization" ||
          kind === "apiKey" ||
          ofChatbot.length === 0
        )
          continue
        const beside = { ...foreign, [place.name]: sibling[kind] }
        await expectNoDifference(
          `${kind} of another chatbot in ${place.in} ${place.name}`,
          attacker.client,
          [beside, absent],
          expected,
        )
      }
    }
    if (named.length > 1) {
      const values = [valuesFrom(victim.own, named), valuesFrom(missing, named)] as const
      await expectNoDifference("all of another", attacker.client, values, isOperatorOnly ? 403 : 404)
    }
    // In a chatbot that is used for nothing else, since it has a conversation of that name afterwards.
    const begun = chosen.length === 0 ? own : valuesFrom(await makeTarget(), named)
    for (const { name } of chosen) {
      for (const kind of ["session", "sessionToken"] as const) {
        const cell = `${kind} of another in ${name}`
        const { headers } = await expectStatus(cell, attacker.client, { ...begun, [name]: victim.own[kind] }, 200)
        if (headers.get("x-session-id") === victim.own.session) fail(cell, "the conversation goes on")
      }
    }
  }

  /** Shows that the requests are refused for the key and the names alone: with the right ones, the same is done. */
  const control = async () => {
    const client = isOperatorOnly ? server.client : attacker.client
    const isDeletion = operation.method === "DELETE"
    const target = isDeletion ? await makeTarget() : attacker.own
    const statuses = ofThisMachine.has(operation.name)
      ? [403]
      : [resend, resendFailed, stop, stopTests].includes(operation.name)
        ? [409]
        : operation.name === takeOver
          ? [200, 409]
          : ofTopics.has(operation.name) || operation.name === ofPersons
            ? [404]
            : [200, 201, 202]
    await expectStatus("right key and names", client, valuesFrom(target, named), ...statuses)
    if (isOperatorOnly) await expectStatus("key of an organization", attacker.client, own, 403)
    if (ofChatbot.length > 0 && !isDeletion && !named.some(({ kinds }) => kinds.includes("organization"))) {
      const again = operation.method === "GET" ? own : undefined
      if (again !== undefined && !ofTopics.has(operation.name)) {
        await expectStatus("key bound to this chatbot", keys.boundHere, again, 200)
      }
    }
  }

  /** Something to delete. */
  const makeTarget = async (): Promise<Belongings> => {
    const kinds = new Set(named.flatMap((place) => place.kinds))
    if (kinds.has("organization")) return (await makeMember(server.client, kinds)).own
    // An organization has few webhooks, and those of the chatbots of earlier rows are in the way.
    const { chatbots } = read(AllChatbots, await attacker.client.get("/api/external/chatbots"))
    for (const { id, name } of chatbots) {
      if (name.startsWith("doomed")) await attacker.client.delete(`/api/external/chatbot/${id}`)
    }
    return makeBelongings(attacker.client, attacker.organization, `doomed${crypto.randomUUID().slice(0, 8)}`, kinds)
  }

  const run = async () => {
    await untilIdle(server)
    const victims = await checksums(server, victim.organization)
    const attackers = await checksums(server, attacker.organization)
    await refusedKeys()
    await boundKeys()
    const touched = changedTables([[], attackers], [[], await checksums(server, attacker.organization)])
    if (touched !== "") fail("refused keys", `rows changed: ${touched}`)
    await foreignNames()
    const changed = changedTables([victims], [await checksums(server, victim.organization)])
    if (changed !== "") fail("refused keys and foreign names", `rows of the other organization changed: ${changed}`)
    await control()
    return { cells, failures }
  }
  return run
}

/** The operations of visitors of the chat widget, which no API key may perform. */
export const visitorOperations = ({ document }: World): ReadonlyArray<Operation> =>
  document.operations.filter(({ needsVisitor }) => needsVisitor)

/** Expects that an operation of visitors answers no API key, not even a valid one, and changes nothing. */
export const refusesKeys = async (
  { attacker, document, keys, server, victim }: World,
  operation: Operation,
): Promise<MatrixReport> => {
  const ids = operation.parameters.flatMap(({ in: where, name }) =>
    where === "path" ? [[name, victim.own.session]] : [],
  )
  const { method, path, sent } = validRequest(document, operation, Object.fromEntries(ids))
  const before = await checksums(server, victim.organization)
  const failures: Array<string> = []
  const clients = [attacker.client, victim.client, server.client, keys.boundHere, ...Object.values(keys.refused)]
  for (const client of clients) {
    const { status, text } = await client.send(method, path, sent)
    if (status !== 401) failures.push(`${operation.name}: ${status} and not 401: ${text.slice(0, 200)}`)
  }
  if (!Bun.deepEquals(before, await checksums(server, victim.organization)))
    failures.push(`${operation.name}: rows changed`)
  return { cells: clients.length, failures }
}

/** The operations that need a key. */
export const keyedOperations = ({ document }: World): ReadonlyArray<Operation> =>
  document.operations.filter(({ needsKey }) => needsKey)

/** Checks one operation with all keys and names. */
export const checkOperation = (world: World, operation: Operation): Promise<MatrixReport> =>
  makeRow(world, operation, (client, { method, path, sent }) =>
    operation.name === "GET /api/external/events" ? beginningOf(client, path) : client.send(method, path, sent),
  )()

/** Asks for a stream that has no end, and leaves after its first event. */
export const beginningOf = async (
  client: Client,
  path: string,
  headers: Readonly<Record<string, string>> = client.key === undefined ? {} : { "x-api-key": client.key },
): Promise<Reply> => {
  const leaving = new AbortController()
  const response = await fetch(client.url + path, {
    headers,
    signal: leaving.signal,
  })
  const { status } = response
  let text = ""
  const decoder = new TextDecoder()
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes, { stream: true })
    if (text.includes("data: ")) break
  }
  leaving.abort()
  return { status, headers: response.headers, text, body: undefined }
}

/** Checks one tool of the Model Context Protocol with all keys and names. */
export const checkTool = (world: World, operation: Operation): Promise<MatrixReport> =>
  makeRow(world, operation, callTool(operation.name.split(" ").at(-1) ?? ""))()
