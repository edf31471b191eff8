import { expect, test } from "bun:test"
import { Duration, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Unavailable } from "../../../src/domain/Errors.ts"
import { SourceId } from "../../../src/domain/knowledge/Source.ts"
import { ApiKeyId, ChatbotId, DocumentId, OrganizationId } from "../../../src/domain/Ids.ts"
import { EventInterval, Events } from "../../../src/services/organizations/Events.ts"
import { Chatbots } from "../../../src/storage/chatbots/Chatbots.ts"
import {
  type DocumentState,
  OrganizationChanges,
  type OrganizationState,
} from "../../../src/storage/OrganizationChanges.ts"
import { sharesWith } from "../../lib/Defaults.ts"
import { quiet } from "../../lib/Layers.ts"
import { asCaller } from "../../lib/Tenants.ts"

const organization = OrganizationId.make("00000000-0000-4000-8000-000000000001")
const chatbot = ChatbotId.make("00000000-0000-7000-8000-000000000002")
const document: DocumentState = { id: DocumentId.make("00000000-0000-7000-8000-000000000003"), chatbot, stamp: "1" }
const unavailable = new Unavailable({ detail: "The database is away.", retry_after_seconds: 1 })
const interval = Duration.seconds(1)

/** Looks at states one after the other, of which each may fail, and returns the events of a subscription to them. */
const eventsOf = (
  looks: ReadonlyArray<Effect.Effect<Partial<OrganizationState>, Unavailable>>,
  documents: OrganizationChanges["Service"]["documents"] = () => Effect.succeed([]),
) => {
  let turn = 0
  const changes = Layer.mock(OrganizationChanges)({
    look: (_, keys) =>
      Effect.suspend(() =>
        Effect.map(looks[Math.min(turn++, looks.length - 1)] ?? Effect.succeed({}), (state) => ({
          now: String(turn),
          chatbots: [{ id: chatbot, version: "1", knowledge: "1" }],
          documents: [],
          sources: [],
          conversations: [],
          presences: [],
          credentials: [...keys],
          ...state,
        })),
      ),
    documents,
  })
  const events = Events.layer.pipe(
    Layer.provide([changes, Layer.mock(Chatbots)({}), sharesWith(), Layer.succeed(EventInterval, interval)]),
  )
  return Effect.runPromise(
    Effect.gen(function* () {
      const subscription = yield* asCaller(organization, { apiKeyId: ApiKeyId.make(organization) })(
        Events.use(({ subscribe }) => subscribe(undefined)),
      )
      const received = []
      for (let look = 0; look < looks.length; look++) {
        yield* TestClock.adjust(interval)
        received.push(
          ...((yield* Effect.timeoutOrElse(subscription.take, { duration: 0, orElse: () => Effect.succeed([]) })) ??
            []),
        )
      }
      return received.map(({ type }) => type)
    }).pipe(Effect.scoped, Effect.provide([events, quiet, TestClock.layer()])),
  )
}

test("whoever listens goes on to hear of changes after a look at them failed or died", async () => {
  const changed = Effect.succeed({ chatbots: [{ id: chatbot, version: "2", knowledge: "1" }] })
  for (const fault of [
    Effect.fail(unavailable),
    Effect.die(new Error("a row that cannot be read")),
    Effect.interrupt,
  ]) {
    expect(await eventsOf([Effect.succeed({}), fault, changed, changed])).toEqual(["resync", "chatbot"])
  }
})

test("whoever listens hears of a source while its run gets on, and of the end of the run", async () => {
  const id = SourceId.make("00000000-0000-7000-8000-000000000004")
  const reading = (stamp: string) => Effect.succeed({ sources: [{ id, chatbot, stamp }] })
  const idle = Effect.succeed({})
  const looks = [idle, reading("queued 0"), reading("running 1"), reading("running 1"), idle, idle]
  expect(await eventsOf(looks)).toEqual(["resync", "source", "source", "source"])
})

test("whoever listens is told to read anew when documents that had changed could not be read", async () => {
  let reads = 0
  const documents = () => (++reads === 1 ? Effect.fail(unavailable) : Effect.succeed([]))
  const changed = Effect.succeed({ documents: [document] })
  expect(await eventsOf([Effect.succeed({}), changed, changed, changed], documents)).toEqual(["resync", "resync"])
})
