import { Array as Arr, Context, Duration, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { makePaidCalls } from "../admission/PaidCalls.ts"
import { askModel } from "../agent/AskModel.ts"
import { CurrentOrganization } from "../domain/Tenancy.ts"
import { TopicId } from "../domain/topics/Topic.ts"
import { Embeddings } from "../embeddings/Embeddings.ts"
import { extractiveModel } from "../models/local/Extractive.ts"
import { Models } from "../models/Models.ts"
import { Chatbots } from "../storage/chatbots/Chatbots.ts"
import { Organizations } from "../storage/organizations/Organizations.ts"
import { type TopicRun, TopicRuns } from "../storage/topics/TopicRuns.ts"
import { regularly, surviving } from "../system/Background.ts"
import { inTurns } from "../system/InTurns.ts"
import { Grouping } from "../topics/Grouping.ts"
import { namesIn, namingQuestion } from "../topics/ModelNames.ts"
import { nameOf } from "../topics/Names.ts"
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
/** The most topics that new questions are compared with: those that got a question last. */
const TOPICS_MAX = 10_000
const TOPICS_AT_ONCE = 250
/** The most topics that a model names after a run. */
const NAMED_MAX = 10
/** The least questions of a topic that a model names. */
const NAMED_QUESTIONS = 3
/** Questions of a topic that the model is shown. */
const EXAMPLES = 8

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
  const grouping = new Grouping(embeddings.isSemantic ? embeddings : undefined)
  const known = yield* runs.ids(one.chatbot_id, TOPICS_MAX)
  for (const ids of Arr.chunksOf(known, TOPICS_AT_ONCE)) {
    yield* inTurns(yield* runs.get(ids), (topic) => grouping.load(topic))
  }
  const large = new Set<TopicId>()
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
    const topicIds = yield* inTurns(added, ({ newId, question, vector }) =>
      grouping.add({ newId, terms: termsOf(question), vector }),
    )
    yield* inTurns(grouping.candidates, (topic) => grouping.merge(topic))
    const { merged, topics } = grouping.takeChanges()
    const assigned = new Map(
      questions.flatMap(({ message_id }, index) => {
        const id = topicIds[index]
        return id === undefined ? [] : [[message_id, merged.get(id) ?? id] as const]
      }),
    )
    const changed = yield* inTurns(topics, (topic) => ({
      id: topic.id,
      name: topic.isNamed ? topic.name : nameOf(grouping, topic),
      isNamed: topic.isNamed,
      centre: grouping.centreOf(topic),
    }))
    if (!(yield* runs.store(one, { topics: changed, assigned, merged }))) return
    for (const id of merged.keys()) large.delete(id)
    for (const { id, isNamed, size } of topics) if (!isNamed && size >= NAMED_QUESTIONS) large.add(id)
  }
  if (large.size > 0) yield* nameByModel(one, Array.from(large).slice(0, NAMED_MAX))
})

/** Lets the chatbot's model name topics, unless it is local. Topics keep the names of their terms where that fails. */
const nameByModel = Effect.fnUntraced(
  function* ({ chatbot_id, organization_id }: TopicRun, ids: ReadonlyArray<TopicId>) {
    const runs = yield* TopicRuns
    const { settings } = yield* (yield* Chatbots).get(chatbot_id)
    if (settings.model === extractiveModel) return
    const organization = yield* (yield* Organizations).find(organization_id)
    if (organization === undefined) return
    const examples = yield* runs.examples(ids, EXAMPLES)
    const groups = ids.map((id) => (examples.get(id) ?? []).map(({ question }) => question))
    const named = yield* (yield* Models).get(settings.model)
    const pay = yield* makePaidCalls
    const payer = {
      organizationId: organization_id,
      chatbotId: chatbot_id,
      apiKeyId: null,
      budgets: { organization: organization.budget, key: null },
    }
    const question = namingQuestion(groups)
    const { result } = yield* pay(payer, question, (onCost) => askModel(named, question, onCost))
    const names = namesIn(yield* Effect.fromResult(result), groups.length)
    yield* runs.name(
      new Map(
        Array.from(names).flatMap(([place, name]) => {
          const id = ids[place]
          return id === undefined ? [] : [[id, name] as const]
        }),
      ),
    )
  },
  Effect.catch((error) => Effect.logDebug("A model did not name topics", error)),
)

/** Runs it in the background, every minute, as long as the layer lives. */
export const layer = Layer.effectDiscard(
  Effect.flatMap(TopicsInterval, (interval) => Effect.forkScoped(regularly(interval, WARNING, run()))),
)
