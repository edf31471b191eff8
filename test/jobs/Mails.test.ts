import type { Socket } from "node:net"
import { afterAll, beforeEach, describe, expect, test } from "bun:test"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { SMTPServer } from "smtp-server"
import * as Mails from "../../src/jobs/Mails.ts"
import { makeMailer } from "../../src/outbound/Mailer.ts"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { platform, quiet, storage } from "../lib/Layers.ts"
import { makeTenant } from "../lib/Tenants.ts"
import { until } from "../lib/Until.ts"
import { effectTests } from "../lib/EffectTests.ts"

/* E-mail of the inbox, received by a real SMTP server. */

const runtime = ManagedRuntime.make(Layer.mergeAll(storage, platform, quiet))
const run = runtime.runPromise
const it = effectTests(run)

interface Received {
  readonly to: ReadonlyArray<string>
  readonly text: string
}

let received: Array<Received> = []
/** What the server does with a recipient that it does not accept: a code, or an end of the connection, or silence. */
type Answer = 250 | 451 | 550 | "cut" | "never"
/** The answers to addresses; 250 to all others. */
let answers = new Map<string, Answer>()
/** Connections by the port of their client. */
const sockets = new Map<number, Socket>()
/** Recipients that the server was asked for, also those that it refused. */
let asked: Array<string> = []
const smtp = new SMTPServer({
  authOptional: true,
  disabledCommands: ["STARTTLS"],
  onRcptTo: ({ address }, session, done) => {
    asked.push(address)
    const answer = answers.get(address) ?? 250
    if (answer === "never") return
    if (answer === "cut") return sockets.get(session.remotePort)?.destroy()
    done(answer === 250 ? null : Object.assign(new Error("Not now"), { responseCode: answer }))
  },
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
smtp.server.on("connection", (socket) => sockets.set(socket.remotePort ?? 0, socket))
await new Promise<void>((done) => smtp.listen(0, "127.0.0.1", () => done()))
const { port } = Object(smtp.server.address())
afterAll(() => {
  smtp.close()
  for (const socket of sockets.values()) socket.destroy()
  return runtime.dispose()
})
beforeEach(() => {
  received = []
  asked = []
  answers = new Map()
  return run(SystemSql.use((sql) => sql`delete from sessions`))
})

const started = Effect.gen(function* () {
  const send = yield* makeMailer(Redacted.make(`smtp://127.0.0.1:${port}`), "Ferry <ferry@example.com>")
  return yield* Mails.make(send, { publicUrl: "https://chat.example.com" })
})

const waitingMails = SystemSql.use((sql) => sql<{ attempts: number }>`select attempts from mail_queue`)

/** Queues what is due, and sends until a condition on those that are left holds. */
const sendUntil = (isSo: (left: Effect.Success<typeof waitingMails>) => boolean) =>
  Effect.gen(function* () {
    const { look } = yield* started
    yield* look
    yield* Effect.promise(() => until(() => run(waitingMails), isSo))
  }).pipe(Effect.scoped)

const sendAll = sendUntil(({ length }) => length === 0)

/** The addresses of an organization that have got an e-mail, as often as they have. */
const recipientsOf = (organization: string) =>
  received.flatMap(({ to }) => to).filter((address) => address.endsWith(`@${organization}.example`))

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
  return id
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
  it("tells the people who may answer, and are not at the console, once that a visitor waits", function* () {
    const { chatbot, organization, session } = yield* makeWaiting(2)
    yield* addPerson(organization, "agent@example.com", "agent")
    yield* addPerson(organization, "present@example.com", "agent", 0)
    yield* addPerson(organization, "viewer@example.com", "viewer")
    yield* sendAll
    yield* sendAll
    expect(received.map(({ to }) => to)).toEqual([["agent@example.com"]])
    expect(received[0]?.text).toContain("Subject: Waiting: My ticket is lost")
    expect(received[0]?.text).toContain(`https://chat.example.com/console/inbox/${chatbot}/${session}`)
  })

  it("tells nobody of a visitor who has waited for less than a minute", function* () {
    const { organization } = yield* makeWaiting(0)
    yield* addPerson(organization, "agent@example.com", "agent")
    yield* sendAll
    expect(received).toEqual([])
  })

  it("sends the visitor once what people have written and it has not seen", function* () {
    const conversation = yield* makeWaiting(0, "visitor@example.com")
    yield* answered(conversation, 5)
    yield* sendAll
    yield* sendAll
    expect(received.map(({ to }) => to)).toEqual([["visitor@example.com"]])
    expect(received[0]?.text).toContain("Ada:\r\nWe have found it.")
    yield* answered(conversation, 3)
    yield* sendAll
    expect(received).toHaveLength(2)
  })

  it("sends the visitor nothing that it has read", function* () {
    const conversation = yield* makeWaiting(0, "visitor@example.com")
    yield* answered(conversation, 5)
    const sql = yield* SystemSql
    yield* sql`update sessions set visitor_read_at = now() where id = ${conversation.session}`
    yield* sendAll
    expect(received).toEqual([])
  })

  it("tells people later who were all at the console when the visitor began to wait", function* () {
    const { organization } = yield* makeWaiting(2)
    const person = yield* addPerson(organization, `one@${organization}.example`, "agent", 0)
    yield* sendAll
    expect(recipientsOf(organization)).toEqual([])
    const sql = yield* SystemSql
    yield* sql`update people set last_seen_at = now() - interval '1 hour' where id = ${person}`
    yield* sendAll
    yield* sendAll
    expect(recipientsOf(organization)).toEqual([`one@${organization}.example`])
  })

  const cases = ([250, 451, 550, "cut", "never"] as const).flatMap((answer) =>
    [0, 1, 2].map((place) => [answer, place] as const),
  )
  test.each(cases)("reaches each recipient once where the server answers %p to number %i", (answer, place) =>
    run(
      Effect.gen(function* () {
        const { organization } = yield* makeWaiting(2)
        const people = ["one", "two", "three"].map((name) => `${name}@${organization}.example`)
        for (const email of people) yield* addPerson(organization, email, "agent")
        const wrong = people[place] ?? ""
        answers.set(wrong, answer)
        const left = answer === 451 || answer === "cut" ? 1 : 0
        yield* answer === "never"
          ? sendUntil((mails) => mails.length === 1 && asked.includes(wrong))
          : sendUntil((mails) => mails.length === left && mails.every(({ attempts }) => attempts > 0))
        expect(recipientsOf(organization).toSorted()).toEqual(
          people.filter((email) => email !== wrong || answer === 250).toSorted(),
        )
        // The server has restarted, and all is well.
        answers.clear()
        const sql = yield* SystemSql
        yield* sql`update mail_queue set run_at = now()`
        yield* sendAll
        expect(recipientsOf(organization).toSorted()).toEqual(
          people.filter((email) => email !== wrong || answer !== 550).toSorted(),
        )
      }),
    ),
  )

  it("tells nobody who waits for a second attempt when the visitor waits no more", function* () {
    const { organization, session } = yield* makeWaiting(2)
    const email = `one@${organization}.example`
    yield* addPerson(organization, email, "agent")
    answers.set(email, 451)
    yield* sendUntil(([left]) => (left?.attempts ?? 0) > 0)
    answers.clear()
    const sql = yield* SystemSql
    yield* sql`update sessions set waiting_since = null where id = ${session}`
    yield* sql`update mail_queue set run_at = now()`
    yield* sendAll
    expect(recipientsOf(organization)).toEqual([])
  })

  it("goes to organizations in turn, however many one has before", function* () {
    const many = yield* makeWaiting(5)
    for (let number = 0; number < 60; number++) {
      yield* addPerson(many.organization, `n${number}@${many.organization}.example`, "agent")
    }
    const one = yield* makeWaiting(2)
    yield* addPerson(one.organization, `one@${one.organization}.example`, "agent")
    yield* sendAll
    const order = received.flatMap(({ to }) => to)
    expect(order).toHaveLength(61)
    expect(order.indexOf(`one@${one.organization}.example`)).toBeLessThan(15)
  })

  it("says that a program wrote it, and who it is, so that none answers it and none shows it twice", function* () {
    yield* answered(yield* makeWaiting(0, "visitor@example.com"), 5)
    const { organization } = yield* makeWaiting(2)
    yield* addPerson(organization, "agent@example.com", "agent")
    yield* sendAll
    expect(received).toHaveLength(2)
    for (const { text } of received) {
      expect(text).toMatch(/^Auto-Submitted: auto-generated\r$/m)
      expect(text).toMatch(/\r\nMessage-ID: <[-\da-f]{36}@example\.com>\r\n/)
    }
  })
})
