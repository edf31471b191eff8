import { createHash } from "node:crypto"
import { Array as Arr, Effect, Option, Result, Schema, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import { Shares } from "../../admission/Shares.ts"
import { Caller, ensureScope } from "../../domain/Caller.ts"
import { Conflict, InvalidRequest, type Unavailable } from "../../domain/Errors.ts"
import {
  type ChatbotTest,
  TestId,
  type TestImport,
  type TestInput,
  type TestPatch,
} from "../../domain/evaluation/ChatbotTest.ts"
import type { TestPlan, TestPlanPatch } from "../../domain/evaluation/TestRun.ts"
import type { ChatbotId, MessageId } from "../../domain/Ids.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import type { Page, Place } from "../../domain/Page.ts"
import type { Change } from "../../domain/schema/Merge.ts"
import { extractiveModel } from "../../domain/chatbot/Chatbot.ts"
import { Service } from "../../domain/Service.ts"
import { Models } from "../../models/Models.ts"
import { Chatbots } from "../../storage/chatbots/Chatbots.ts"
import { Messages } from "../../storage/conversations/Messages.ts"
import { TestPlans } from "../../storage/evaluation/TestPlans.ts"
import * as Storage from "../../storage/evaluation/Tests.ts"
import { ensureMatch, type IfMatch } from "../Versions.ts"
import { readTests, type TestFormat } from "./files/TestFiles.ts"
import { patternProblems } from "./files/TestRow.ts"
import { cellsOf } from "./files/TestsCsv.ts"
import { MESSAGES_BEFORE, testOfReply } from "./TestOfReply.ts"

const noReply = new Conflict({ detail: "Only a reply of the chatbot to a question can become a test." })

/** The tests of an export or an import that are read or committed together. */
const TOGETHER = 100

/** Manages the tests of chatbots, and how they are run. */
export class Tests extends Service<Tests>()("parley/services/evaluation/Tests", function* () {
  const storage = yield* Storage.Tests
  const chatbots = yield* Chatbots
  const messages = yield* Messages
  const models = yield* Models
  const plans = yield* TestPlans
  const random = yield* SecureRandom.SecureRandom
  const withinShare = (yield* Shares).within("uploads")
  const newId = Effect.map(random.uuidV7(), (id) => TestId.make(id))

  /** The tests of a chatbot, oldest first. */
  const all = (chatbot: ChatbotId) =>
    Stream.paginate<Place | undefined, Storage.TestRow, Unavailable, CurrentOrganization>(undefined, (after) =>
      Effect.map(storage.after(chatbot, { after, limit: TOGETHER }), ({ items, next }) => [
        items,
        next === undefined ? Option.none() : Option.some(next),
      ]),
    )

  /** Fails where a plan names a model for the judge that the server does not have, or that cannot judge. */
  const ensureJudge = ({ judge_model: model = null }: TestPlanPatch) => {
    if (model === null) return Effect.void
    if (model === extractiveModel)
      return Effect.fail(InvalidRequest.at("judge_model", `${extractiveModel} cannot judge`))
    return Effect.mapError(models.check(model), ({ detail }) => InvalidRequest.at("judge_model", detail))
  }

  /** Fails where a plan has models answer, as a chat does, for a caller who may not chat. */
  const ensureAnswers = ({ schedule, schedule_tier }: TestPlan) =>
    schedule !== null && schedule_tier === "model" ? ensureScope("chat") : Effect.void

  return {
    create: Effect.fn("Tests.create")(function* (chatbot: ChatbotId, input: TestInput) {
      const content = { history: [], tags: [], ...input }
      yield* ensurePatterns(content)
      return yield* storage.insert(yield* newId, chatbot, content)
    }),

    /** Creates a test from a stored reply, which must find again what the reply rests on. */
    createOfReply: Effect.fn("Tests.createOfReply")(function* (chatbot: ChatbotId, reply: MessageId) {
      const { earlier, message } = yield* messages.upTo(chatbot, reply, MESSAGES_BEFORE)
      const content = message.sender_type === "bot" ? testOfReply(message, earlier) : undefined
      if (content === undefined) return yield* noReply
      return yield* storage.insert(yield* newId, chatbot, content, reply)
    }),

    get: storage.get,

    /** Lists a page of the tests of a chatbot whose questions hold the text and that have the tag, oldest first. */
    list: (chatbot: ChatbotId, page: Page, filter: { readonly text: string; readonly tag: string }) =>
      // The list of an unknown chatbot would be empty, so the chatbot is looked up first.
      Effect.andThen(chatbots.get(chatbot), storage.list(chatbot, page, filter)),

    update: (chatbot: ChatbotId, id: TestId, change: Change<ChatbotTest, TestPatch>, ifMatch: IfMatch) =>
      storage.modify(
        chatbot,
        id,
        Effect.fnUntraced(function* (row) {
          yield* ensureMatch(row, ifMatch)
          const patch = yield* change(row)
          yield* ensurePatterns(patch)
          return { ...Storage.contentOf(row), ...patch }
        }),
      ),

    remove: storage.remove,

    /** Returns how the tests of a chatbot are run. */
    plan: plans.get,

    updatePlan: Effect.fn("Tests.updatePlan")(function* (
      chatbot: ChatbotId,
      change: Change<TestPlan, TestPlanPatch>,
      ifMatch: IfMatch,
    ) {
      const caller = yield* Caller
      const organization = yield* CurrentOrganization
      return yield* plans.modify(chatbot, (row) =>
        Effect.andThen(
          ensureMatch(row, ifMatch),
          change(row.plan).pipe(
            Effect.tap((patch) => Effect.provideService(ensureJudge(patch), CurrentOrganization, organization)),
            Effect.map((patch): TestPlan => ({ ...row.plan, ...patch })),
            Effect.tap((plan) => Effect.provideService(ensureAnswers(plan), Caller, caller)),
          ),
        ),
      )
    }),

    /** Returns the tests of a chatbot as a file, in pieces. */
    exported: Effect.fn("Tests.exported")(function* (chatbot: ChatbotId, format: TestFormat) {
      yield* chatbots.get(chatbot)
      const organization = yield* CurrentOrganization
      return Stream.make(format.head).pipe(
        Stream.concat(Stream.map(all(chatbot), format.test)),
        Stream.provideService(CurrentOrganization, organization),
        Stream.encodeText,
      )
    }),

    /**
     * Imports a file. A test changes the one that has its id, or else its question and history; one that is refused
     * changes nothing.
     */
    imported: Effect.fn("Tests.imported")(function* (chatbot: ChatbotId, name: string, bytes: Uint8Array) {
      yield* chatbots.get(chatbot)
      const rows = yield* readTests(name, bytes)
      yield* storage.recordImport(chatbot, rows.length)
      const [contents, ids] = [new Map<string, string>(), new Map<string, TestId>()]
      yield* Stream.runForEach(all(chatbot), (test) =>
        Effect.sync(() => {
          contents.set(test.id, hashOf(cellsOf(test)))
          ids.set(keyOf(test), test.id)
        }),
      )
      const refused: Array<TestImport["refused"][number]> = []
      const named = new Map<TestId, number>()
      const fresh = new Map<TestId, Storage.TestContent & { readonly id: TestId }>()
      for (const { id: given = "", row, test } of rows) {
        if (Result.isFailure(test)) {
          refused.push({ row, reason: test.failure })
          continue
        }
        const known = isTestId(given) && contents.has(given) ? given : ids.get(keyOf(test.success))
        const id = known ?? (yield* newId)
        const twin = named.get(id)
        if (twin !== undefined) {
          refused.push({ row, reason: `Row ${twin} is the same test.` })
          continue
        }
        named.set(id, row)
        ids.set(keyOf(test.success), id)
        if (contents.get(id) !== hashOf(cellsOf(test.success))) fresh.set(id, { id, ...test.success })
      }
      const written = yield* Effect.forEach(Arr.chunksOf(fresh.values(), TOGETHER), (some) =>
        storage.put(chatbot, some),
      )
      for (const id of written.flatMap((part) => Array.from(part.refused))) {
        refused.push({ row: named.get(id) ?? 0, reason: Storage.tooMany.detail })
      }
      const report: TestImport = {
        added: written.reduce((sum, { added }) => sum + added, 0),
        updated: written.reduce((sum, { updated }) => sum + updated, 0),
        unchanged: named.size - fresh.size,
        refused: refused.toSorted((one, other) => one.row - other.row),
      }
      return report
    }, withinShare),
  }
}) {}

/** Fails where an expected pattern is none that can be matched in bounded time. */
const ensurePatterns = Effect.fnUntraced(function* (test: TestPatch) {
  const problems = (yield* patternProblems(test)).map(({ at, message }) => ({
    path: `expectations.say.${at}.value`,
    message,
  }))
  if (problems.length > 0) return yield* InvalidRequest.of(problems)
})

const isTestId = Schema.is(TestId)

const hashOf = (cells: ReadonlyArray<string>): string =>
  createHash("sha256").update(JSON.stringify(cells)).digest("base64")

/** What a test is recognized by beside its id: the cells of its question and history. */
const keyOf = (test: Storage.TestContent): string => hashOf(cellsOf(test).slice(0, 2))
