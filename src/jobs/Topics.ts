import { Array as Arr, Context, Duration, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { CurrentOrganization } from "../domain/Tenancy.ts"
import { TopicId } from "../domain/topics/Topic.ts"
import { Embeddings } from "../embeddings/Embeddings.ts"
import { type TopicRun, TopicRuns } from "../storage/topics/TopicRuns.ts"
import { regularly, surviving } from "../system/Background.ts"
import { inTurns } from "../system/InTurns.ts"
import { Grouping, TOPICS_MAX } from "../topics/Grouping.ts"
import { nameOf } from "../topics/TopicNames.ts"
import { termsOf } from "../topics/QuestionTerms.ts"

/** The time between two runs. */
export const TopicsInterval: Context.Reference<Duration.Duration> = Context.Reference<Duration.Duration>(
  "parley/jobs/TopicsInterval",
  { defaultValue: () => Duration.minutes(1) },
)
const WARNING = "Questions could not be grouped by topic"
/** Questions that are grouped and stored together. */
const QUESTIONS_AT_ONCE = 200
/** The most questions of one run, which bounds its memory. The next run goes on with the others. */
const QUESTIONS_MAX = 50_000
const TOPICS_AT_ONCE = 250

const survivingOne = surviving(WARNING)

/** Groups the questions of all chatbots that are not grouped yet, and completes when they are. */
export const run = Effect.fn("Topics.run")(function* () {
  const random = yield* SecureRandom.SecureRandom
  const runs = yield* TopicRuns
  const begun = yield* runs.begin(yield* random.uuidV4())
  yield* Effect.forEach(
    begun,
    // Those of one chatbot do not keep the others waiting.
    (one) => groupQuestions(one).pipe(survivingOne, Effect.ensuring(Effect.ignore(runs.end(one))), inOrganization(one)),
    { discard: true },
  )
})

const inOrganization = ({ organization_id }: TopicRun) => Effect.provideService(CurrentOrganization, organization_id)

/** Groups the questions of a chatbot batch by batch. What a server that is killed has not stored, another one does anew. */
const groupQuestions = Effect.fnUntraced(function* (one: TopicRun) {
  const embeddings = yield* Embeddings
  const random = yield* SecureRandom.SecureRandom
  const runs = yield* TopicRuns
  const grouping = new Grouping(embeddings.isSemantic ? embeddings.model : undefined)
  const known = yield* runs.ids(one.chatbot_id, TOPICS_MAX)
  for (const ids of Arr.chunksOf(known.toReversed(), TOPICS_AT_ONCE)) {
    yield* inTurns(yield* runs.get(ids), (topic) => grouping.load(topic))
  }
  for (let grouped = 0; grouped < QUESTIONS_MAX; grouped += QUESTIONS_AT_ONCE) {
    const questions = yield* runs.questions(one.chatbot_id, QUESTIONS_AT_ONCE)
    if (questions.length === 0) break
    const vectors = yield* embeddings.isSemantic
      ? // Words alone group them, too.
        Effect.orElseSucceed(embeddings.embedDocuments(questions.map(({ question }) => question)), () => [])
      : Effect.succeed([])
    const ids = yield* Effect.replicateEffect(random.uuidV7(), questions.length)
    const added = questions.map((question, index) => ({
      ...question,
      newId: TopicId.make(ids[index] ?? ""),
      vector: vectors[index],
    }))
    const assigned = yield* inTurns(added, ({ message_id, newId, question, vector }) => ({
      message_id,
      topic: grouping.add({ newId, terms: termsOf(question), vector }),
    }))
    const topics = Array.from(new Set(assigned.map(({ topic }) => topic)))
    const stored = yield* runs.store(one, {
      topics: yield* inTurns(topics, (topic) => ({
        id: topic.id,
        name: nameOf(grouping, topic),
        centre: grouping.centreOf(topic),
      })),
      assigned: new Map(assigned.map(({ message_id, topic }) => [message_id, topic.id])),
    })
    if (!stored) return
  }
})

/** Runs it in the background, every minute, as long as the layer lives. */
export const layer = Layer.effectDiscard(
  Effect.flatMap(TopicsInterval, (interval) => Effect.forkScoped(regularly(interval, WARNING, run()))),
)
