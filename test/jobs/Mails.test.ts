import { afterAll, beforeEach, describe, expect, test } from "bun:test"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { SMTPServer } from "smtp-server"
import * as Mails from "../../src/jobs/Mails.ts"
import { makeMailer } from "../../src/outbound/Mailer.ts"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { platform, quiet, storage } from "../lib/Layers.ts"
import { makeTenant } from "../lib/Tenants.ts"

/* E-mail of the inbox, received by a real SMTP server. */

const runtime = ManagedRuntime.make(Layer.mergeAll(storage, platform, quiet))
const run = runtime.runPromise

interface Received {
  readonly to: ReadonlyArray<string>
  readonly text: string
}

let received: Array<Received> = []
/** The answer of the server to each recipient; 250 accepts it. */
let answer = 250
const smtp = new SMTPServer({
  authOptional: true,
  disabledCommands: ["STARTTLS"],
  onRcptTo: (_address, _session, done) =>
    done(answer === 250 ? null : Object.assign(new Error("Not now"), { responseCode: answer })),
  onData: (stream, session, done) => {
    const chunks: Array<Buffer> = []
    stream.on("data", (chunk: Buffer) => chunks.push(chunk))
    stream.on("end", () => {
      received.push({
        to: session.envelope.rcptTo.map(({ address }) => address),
        text: Buffer.concat(chunks).toString("utf8").replaceAll("=\r\n", ""),
      })
      done()
    })
  },
})
await new Promise<void>((done) => smtp.listen(0, "127.0.0.1", () => done()))
const { port } = Object(smtp.server.address())
afterAll(() => {
  smtp.close()
  return runtime.dispose()
})
beforeEach(() => {
  received = []
  answer = 250
})

const runOnce = Effect.gen(function* () {
  const send = yield* makeMailer(Redacted.make(`smtp://127.0.0.1:${port}`), "Ferry <ferry@example.com>")
  yield* Mails.run(send, { publicUrl: "https://chat.example.com" })
})

/** Makes a conversation of people, whose visitor has waited for some minutes. */
const makeWaiting = Effect.fnUntraced(function* (minutes: number, email: string | null = null) {
  const { chatbot, organization } = yield* makeTenant
  const sql = yield* SystemSql
  const session = crypto.randomUUID()
  yield* sql`
    insert into sessions (id, organization_id, chatbot_id, platform, owner, owner_since, waiting_since, user_info)
    values (${session}, ${organization}, ${chatbot}, 'widget', 'people', now(), now() - make_interval(mins => ${minutes}::int),
      case when ${email}::text is null then '{}' else jsonb_build_object('email', ${email}::text) end)`
  yield* sql`
    insert into messages (id, organization_id, session_id, sender_type, content)
    values (${crypto.randomUUID()}, ${organization}, ${session}, 'user', 'My ticket\nis lost')`
  return { chatbot, organization, session }
})

/** Adds a person with a role, who was last seen some minutes ago. */
const addPerson = Effect.fnUntraced(function* (organization: string, email: string, role: string, minutes = 60) {
  const sql = yield* SystemSql
  const id = crypto.randomUUID()
  yield* sql`
    insert into api_keys (id, organization_id, kind, name, hash, prefix, last_four, scopes)
    values (${id}, ${organization}, 'person', ${email}, ${Buffer.from(id)}, '', '', '{}')`
  yield* sql`
    insert into people (id, organization_id, name, email, state, last_seen_at)
    values (${id}, ${organization}, ${email}, ${email}, 'active', now() - make_interval(mins => ${minutes}::int))`
  yield* sql`insert into person_roles (person_id, organization_id, role) values (${id}, ${organization}, ${role})`
})

const answered = Effect.fnUntraced(function* (
  of: { readonly organization: string; readonly session: string },
  minutes: number,
) {
  const sql = yield* SystemSql
  yield* sql`
    insert into messages (id, organization_id, session_id, sender_type, content, person_name, created_at)
    values (${crypto.randomUUID()}, ${of.organization}, ${of.session}, 'agent', 'We have found it.', 'Ada',
      now() - make_interval(mins => ${minutes}::int))`
})

describe("e-mail of the inbox", () => {
  test("tells the people who may answer, and are not at the console, once that a visitor waits", () =>
    run(
      Effect.gen(function* () {
        const { chatbot, organization, session } = yield* makeWaiting(2)
        yield* addPerson(organization, "agent@example.com", "agent")
        yield* addPerson(organization, "present@example.com", "agent", 0)
        yield* addPerson(organization, "viewer@example.com", "viewer")
        yield* runOnce
        yield* runOnce
        expect(received.map(({ to }) => to)).toEqual([["agent@example.com"]])
        expect(received[0]?.text).toContain("Subject: Waiting: My ticket is lost")
        expect(received[0]?.text).toContain(`https://chat.example.com/console/inbox/${chatbot}/${session}`)
      }),
    ))

  test("tells nobody of a visitor who has waited for less than a minute", () =>
    run(
      Effect.gen(function* () {
        const { organization } = yield* makeWaiting(0)
        yield* addPerson(organization, "agent@example.com", "agent")
        yield* runOnce
        expect(received).toEqual([])
      }),
    ))

  test("sends the visitor once what people have written and it has not seen", () =>
    run(
      Effect.gen(function* () {
        const conversation = yield* makeWaiting(0, "visitor@example.com")
        yield* answered(conversation, 5)
        yield* runOnce
        yield* runOnce
        expect(received.map(({ to }) => to)).toEqual([["visitor@example.com"]])
        expect(received[0]?.text).toContain("Ada:\r\nWe have found it.")
        yield* answered(conversation, 3)
        yield* runOnce
        expect(received).toHaveLength(2)
      }),
    ))

  test("sends the visitor nothing that it has read", () =>
    run(
      Effect.gen(function* () {
        const conversation = yield* makeWaiting(0, "visitor@example.com")
        yield* answered(conversation, 5)
        const sql = yield* SystemSql
        yield* sql`update sessions set visitor_read_at = now() where id = ${conversation.session}`
        yield* runOnce
        expect(received).toEqual([])
      }),
    ))

  test.each([
    [451, 1],
    [550, 0],
  ])("is sent again after a refusal with %i: %i times", (code, times) =>
    run(
      Effect.gen(function* () {
        const { organization } = yield* makeWaiting(2)
        yield* addPerson(organization, "agent@example.com", "agent")
        answer = code
        yield* runOnce
        answer = 250
        yield* runOnce
        expect(received).toHaveLength(times)
      }),
    ),
  )
})
