import { afterAll, describe, expect } from "bun:test"
import { Duration, Effect, Layer, ManagedRuntime } from "effect"
import { Embeddings } from "../../src/embeddings/Embeddings.ts"
import { TopicId } from "../../src/domain/topics/Topic.ts"
import * as Topics from "../../src/jobs/Topics.ts"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { TopicRuns } from "../../src/storage/topics/TopicRuns.ts"
import { Topics as Stored } from "../../src/storage/topics/Topics.ts"
import { platform, quiet, storage } from "../lib/Layers.ts"
import { as, asCaller, makeTenant } from "../lib/Tenants.ts"
import { asked, type Asked } from "../lib/Topics.ts"
import { effectTests } from "../lib/EffectTests.ts"

const runtime = ManagedRuntime.make(Layer.mergeAll(Embeddings.layerLocal, storage, platform, quiet))
const run = runtime.runPromise
const it = effectTests(run)
afterAll(() => runtime.dispose())

type Tenant = Effect.Success<typeof makeTenant>

/** The topics of a chatbot: names, states and questions, those with the most questions first. */
const topicsOf = Effect.fnUntraced(function* ({ chatbot }: Tenant) {
  const sql = yield* SystemSql
  return yield* sql<{ id: string; name: string; state: string; is_named: boolean; questions: ReadonlyArray<string> }>`
    select t.id, t.name, t.state, t.is_named, array_agg(g.question order by g.question) as questions
    from topics t left join reply_grounds g on g.topic_id = t.id where t.chatbot_id = ${chatbot}
    group by t.id order by count(*) desc, min(g.question)`
})

const refunds: ReadonlyArray<string> = ["Refund of my order?", "When is the refund paid?", "No refund of an order?"]
const parking: ReadonlyArray<string> = ["Parking at the harbour", "Is parking free?"]

const makeAsked = (...questions: ReadonlyArray<Asked>) => Effect.tap(makeTenant, (tenant) => asked(tenant, questions))

describe("the questions of a chatbot", () => {
  it("are grouped in the background, with those that are asked later", function* () {
    const tenant = yield* makeAsked(...refunds.slice(0, 2), ...parking)
    const other = yield* makeAsked(...refunds)
    yield* Topics.run()
    yield* asked(tenant, refunds.slice(2))
    yield* Topics.run()
    const found = yield* topicsOf(tenant)
    expect(found.map(({ questions }) => questions)).toEqual([refunds.toSorted(), parking.toSorted()])
    expect(found.map(({ name }) => name)).toEqual([
      expect.stringContaining("refund"),
      expect.stringMatching(/parking/i),
    ])
    expect((yield* topicsOf(other)).map(({ questions }) => questions)).toEqual([refunds.toSorted()])
    const sql = yield* SystemSql
    expect(yield* sql`select from topic_runs`).toEqual([])
  })

  it("are grouped by one server at a time, and another goes on when its lease is over", function* () {
    const tenant = yield* makeAsked(...refunds)
    const runs = yield* TopicRuns
    const begun = yield* runs.begin(crypto.randomUUID())
    const mine = begun.find(({ chatbot_id }) => chatbot_id === tenant.chatbot)
    if (mine === undefined) return expect().fail("no run began")
    expect(yield* runs.begin(crypto.randomUUID())).toEqual([])
    yield* Topics.run()
    expect(yield* topicsOf(tenant)).toEqual([])
    const sql = yield* SystemSql
    yield* sql`update topic_runs set expires_at = now() - interval '1 second'`
    yield* Topics.run()
    expect(yield* topicsOf(tenant)).toHaveLength(1)
    // The server that was slow finds that the run is another's, and stores nothing.
    const id = TopicId.make(crypto.randomUUID())
    const changes = { topics: [{ id, name: "Late", centre: { size: 1, terms: [] } }], assigned: new Map() }
    expect(yield* as(tenant.organization)(runs.store(mine, changes))).toBe(false)
    expect(yield* topicsOf(tenant)).toHaveLength(1)
  })

  it("leave no topic behind when their conversations are deleted", function* () {
    const tenant = yield* makeAsked(...refunds, ...parking)
    yield* Topics.run()
    const sql = yield* SystemSql
    const remove = (question: string) =>
      sql`delete from sessions where id in (
        select m.session_id from reply_grounds g join messages m on m.id = g.message_id
        where g.chatbot_id = ${tenant.chatbot} and g.question = ${question})`
    yield* remove("Is parking free?")
    expect((yield* topicsOf(tenant)).map(({ questions }) => questions.length)).toEqual([3, 1])
    yield* remove("Parking at the harbour")
    expect((yield* topicsOf(tenant)).map(({ questions }) => questions.length)).toEqual([3])
  })

  it("that were deleted while they were grouped make no topic", function* () {
    const tenant = yield* makeTenant
    yield* asked(tenant, refunds)
    const runs = yield* TopicRuns
    const mine = (yield* runs.begin(crypto.randomUUID())).find(({ chatbot_id }) => chatbot_id === tenant.chatbot)
    if (mine === undefined) return expect().fail("no run began")
    const mineOf = as(tenant.organization)
    const [first] = yield* mineOf(runs.questions(tenant.chatbot, 1))
    if (first === undefined) return expect().fail("no question waits")
    const sql = yield* SystemSql
    yield* sql`delete from messages where id = ${first.message_id}`
    const id = TopicId.make(crypto.randomUUID())
    const topics = [{ id, name: "Gone", centre: { size: 1, terms: [] } }]
    const assigned = new Map([[first.message_id, id]])
    expect(yield* mineOf(runs.store(mine, { topics, assigned }))).toBe(true)
    expect(yield* topicsOf(tenant)).toEqual([])
    yield* runs.end(mine)
  })
})

describe("a topic whose gaps somebody has closed", () => {
  const closed = Effect.gen(function* () {
    const tenant = yield* makeAsked(...refunds.slice(0, 2).map((question) => ({ question, gap: "unanswered" })))
    yield* Topics.run()
    const [topic] = yield* topicsOf(tenant)
    const id = TopicId.make(topic?.id ?? "")
    yield* asCaller(tenant.organization)((yield* Stored).update(tenant.chatbot, id, { state: "answered" }))
    return tenant
  })
  const stateOf = (tenant: Tenant) => Effect.map(topicsOf(tenant), ([topic]) => topic?.state)

  it("stays closed while its questions are answered, and is open again at the next gap", function* () {
    const tenant = yield* closed
    yield* asked(tenant, ["Refund of another order?"])
    yield* Topics.run()
    expect(yield* stateOf(tenant)).toBe("answered")
    yield* asked(tenant, [{ question: "Refund of the order, please", gap: "unanswered" }])
    yield* Topics.run()
    expect(yield* stateOf(tenant)).toBe("open")
  })

  it("stays closed when a gap from before is grouped only now", function* () {
    const tenant = yield* closed
    yield* asked(tenant, [{ question: "Refund of the order, please", gap: "unanswered", age: Duration.hours(1) }])
    yield* Topics.run()
    expect(yield* stateOf(tenant)).toBe("answered")
  })

  it("is open again when a user rates one of its answers down", function* () {
    const tenant = yield* closed
    yield* asked(tenant, ["Refund of another order?"])
    yield* Topics.run()
    const sql = yield* SystemSql
    yield* sql`update reply_grounds set gap = 'rated_down' where chatbot_id = ${tenant.chatbot} and gap is null`
    expect(yield* stateOf(tenant)).toBe("open")
  })
})

describe("the name of a topic", () => {
  const namesOf = (tenant: Tenant) =>
    Effect.map(topicsOf(tenant), (topics) => topics.map(({ is_named, name }) => [name, is_named] as const))

  it("is made of its terms anew while it grows", function* () {
    const tenant = yield* makeAsked("Refund?")
    yield* Topics.run()
    expect(yield* namesOf(tenant)).toEqual([["refund", false]])
    yield* asked(tenant, ["Refund of my order?", "No refund of an order?"])
    yield* Topics.run()
    expect(yield* namesOf(tenant)).toEqual([["refund · order", false]])
  })

  it("that a person gives stays, whatever is asked", function* () {
    const tenant = yield* makeAsked(...refunds.slice(0, 2))
    yield* Topics.run()
    const [topic] = yield* topicsOf(tenant)
    const stored = yield* Stored
    const id = TopicId.make(topic?.id ?? "")
    const patch = { name: "Money back", state: "ignored" } as const
    yield* asCaller(tenant.organization)(stored.update(tenant.chatbot, id, patch))
    yield* asked(tenant, [...refunds, { question: "Refund of the order, please", gap: "unanswered" }])
    yield* Topics.run()
    expect(yield* topicsOf(tenant)).toMatchObject([{ name: "Money back", is_named: true, state: "ignored" }])
  })
})
