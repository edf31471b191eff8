import {
  Clock,
  Context,
  Data,
  Duration,
  Effect,
  type FileSystem,
  Layer,
  Predicate,
  type Redacted,
  Result,
} from "effect"
import { localModel } from "../domain/knowledge/ModelName.ts"
import { crossEncoder, type SentenceSettings } from "../embeddings/sentences/SentenceEmbeddings.ts"
import { genAi, operations } from "../observability/Attributes.ts"
import { atBorder, outcomeOf } from "../observability/Border.ts"
import { rerank as metrics } from "../observability/Metrics.ts"
import { postJson } from "../outbound/JsonPost.ts"
import { Oversized } from "../outbound/ResponseText.ts"
import { ServiceHealth } from "../outbound/ServiceHealth.ts"
import { monotonicMillis } from "../system/Monotonic.ts"
import type { StartupError } from "../system/StartupError.ts"

/** The settings of a service that reranks passages, or of a model that this server runs. */
export interface RerankerSettings {
  /** The URL below which the service has `/rerank`, or that of `/rerank` itself; undefined for no reranking. */
  readonly url: string | undefined
  /**
   * The model; undefined for a server that has one, and takes requests in the form of text-embeddings-inference.
   * `local:<name>` is in the directory of models, and needs no service.
   */
  readonly model: string | undefined
  readonly apiKey: Redacted.Redacted | undefined
  readonly sentences: Omit<SentenceSettings, "model">
}

/** The score of the passage at an index. Scales differ between services, so that only the order counts. */
export interface RerankedPassage {
  readonly index: number
  readonly score: number
}

/** A service or a model that puts passages into the order in which they answer a question. */
export interface RerankerShape {
  /** The number of passages, the first of a ranking, that are reranked. */
  readonly passages: number
  /** Returns all passages, best first; undefined where the service fails, is slow, rests or gives no usable answer. */
  readonly rerank: (
    query: string,
    texts: ReadonlyArray<string>,
  ) => Effect.Effect<ReadonlyArray<RerankedPassage> | undefined>
  /** Asks the service, also while it rests, and says what is wrong; undefined when nothing is. */
  readonly probe: Effect.Effect<string | undefined>
}

/** The reranker of searches; undefined where there is none. */
export const Reranker: Context.Reference<RerankerShape | undefined> = Context.Reference<RerankerShape | undefined>(
  "parley/knowledge/Reranker",
  { defaultValue: () => undefined },
)

/** The passages that are reranked: more take longer, and seldom hold what thirty do not. */
const PASSAGES = 30
/** The longest time of a request, whose client waits for it. */
const PATIENCE = Duration.seconds(2)
/** The failures in a row after which searches go without the service for as long as `REST`. */
const FAILURES_MAX = 3
const REST = Duration.seconds(30)
/** Some services repeat the texts in their answers. */
const ANSWER_BYTES_MAX = 4 * 1024 * 1024

/** Time limit and rests of the service, which tests shorten. */
export const RerankerBounds = Context.Reference<{ readonly patience: Duration.Input; readonly rest: Duration.Input }>(
  "parley/knowledge/RerankerBounds",
  { defaultValue: () => ({ patience: PATIENCE, rest: REST }) },
)

/** A request to the service that did not succeed. */
class RerankFailure extends Data.TaggedError("RerankFailure")<{ readonly reason: string }> {}

const fail = (reason: string) => new RerankFailure({ reason })

interface Scorer {
  readonly passages: number
  readonly score: (
    query: string,
    texts: ReadonlyArray<string>,
  ) => Effect.Effect<ReadonlyArray<RerankedPassage>, RerankFailure>
  /** The texts with which it is tried. */
  readonly trial: ReadonlyArray<string>
  /** Says that it took too long. */
  readonly late: string
  readonly kind: "client" | "internal"
}

/** Provides the reranker of the settings, or none. */
export const layer = (settings: RerankerSettings): Layer.Layer<never, StartupError, FileSystem.FileSystem> => {
  const { model, url } = settings
  const local = localModel(model)
  if (local !== undefined) {
    return Layer.effect(Reranker, Effect.flatMap(modelOf({ ...settings.sentences, model: local }), make(model)))
  }
  return url === undefined
    ? Layer.succeed(Reranker, undefined)
    : Layer.effect(Reranker, make(model)(serviceOf({ ...settings, url })))
}

const serviceOf = ({ apiKey, model, url }: RerankerSettings & { readonly url: string }): Scorer => ({
  passages: PASSAGES,
  score: Effect.fnUntraced(function* (query, texts) {
    const { json, response } = yield* postJson(
      { url: endpointOf(url), apiKey, body: bodyOf(model, query, texts), bytesMax: ANSWER_BYTES_MAX },
      (error) => fail(error instanceof Oversized ? "Its answer is too long." : "It cannot be reached."),
    )
    if (response.status !== 200) return yield* fail(`It answers with status ${response.status}.`)
    if (json === undefined) return yield* fail("Its answer is not JSON.")
    return yield* Effect.fromResult(
      Result.mapError(readRanking(json, texts.length), (what) => fail(`Its answer cannot be used: ${what}.`)),
    )
  }),
  trial: ["Somebody is.", "Nobody is."],
  late: "It does not answer in time.",
  kind: "client",
})

const modelOf = Effect.fnUntraced(function* (settings: SentenceSettings) {
  const { manifest, maxTokens, passages, scores } = yield* crossEncoder(settings)
  return {
    passages,
    score: (query, texts) =>
      Effect.mapBoth(scores(query, texts), {
        onSuccess: (found) => bestFirst(found.map((score, index) => ({ index, score }))),
        onFailure: fail,
      }),
    // As long as passages get, because it is to be seen whether the model is fast enough.
    trial: Array.from({ length: passages }, () => "Somebody is. ".repeat(maxTokens / 3)),
    late: `It takes too long for ${passages} passages of ${maxTokens} tokens: ask for less in ${manifest}.`,
    kind: "internal",
  } satisfies Scorer
})

const make = (model: string | undefined) =>
  Effect.fnUntraced(function* ({ kind, late, passages, score, trial }: Scorer) {
    const clock = yield* Clock.Clock
    const { patience, rest } = yield* RerankerBounds
    const health = new ServiceHealth(FAILURES_MAX, Duration.toMillis(Duration.fromInputUnsafe(rest)))

    const ask = (query: string, texts: ReadonlyArray<string>) =>
      atBorder(
        Effect.timeoutOrElse(score(query, texts), { duration: patience, orElse: () => Effect.fail(fail(late)) }),
        {
          span: model === undefined ? operations.rerank : `${operations.rerank} ${model}`,
          kind,
          attributes: () => ({
            [genAi.operation]: operations.rerank,
            ...(model !== undefined && { [genAi.model]: model }),
          }),
          measure: (seconds, exit) => metrics.seconds(outcomeOf(exit)).observe(seconds),
        },
      )

    return {
      passages,
      rerank: Effect.fnUntraced(
        function* (query: string, texts: ReadonlyArray<string>) {
          if (health.restAt(monotonicMillis(clock)) > 0) return
          const ranking = yield* ask(
            query.toWellFormed(),
            texts.map((text) => text.toWellFormed()),
          )
          health.succeed()
          return ranking
        },
        Effect.catchTag("RerankFailure", ({ reason }) =>
          Effect.suspend(() => {
            const now = monotonicMillis(clock)
            const rested = health.restAt(now) > 0
            health.fail(now)
            return health.isDown && !rested
              ? Effect.logWarning("Searches go without the reranker for a while", { reason })
              : Effect.logDebug("A search goes without the reranker", { reason })
          }).pipe(Effect.as(undefined)),
        ),
      ),
      probe: ask("Is anybody there?", trial).pipe(
        Effect.match({ onSuccess: () => undefined, onFailure: ({ reason }) => reason }),
      ),
    } satisfies RerankerShape
  })

/** The URL of the interface. People write it with and without `/rerank`; the version differs between services. */
const endpointOf = (url: string): string => {
  const base = url.replace(/\/+$/, "")
  return base.endsWith("/rerank") ? base : `${base}/rerank`
}

/**
 * The request, in the form that Cohere, Jina, Voyage, vLLM and llama.cpp share, or in that of text-embeddings-inference,
 * which takes no model. No number of results is named, under the names of which they differ: all answer with all.
 */
const bodyOf = (model: string | undefined, query: string, texts: ReadonlyArray<string>): object =>
  model === undefined ? { query, texts, truncate: true } : { model, query, documents: texts }

/**
 * Reads the answer of any of the services: a list of `{index, relevance_score}` or `{index, score}` under `results` or
 * `data`, or alone. Fails with a description of what is wrong unless it scores each passage once. Passages of the same
 * score keep their order.
 */
const readRanking = (answer: unknown, passages: number): Result.Result<ReadonlyArray<RerankedPassage>, string> => {
  const items = Array.isArray(answer)
    ? answer
    : Predicate.hasProperty(answer, "results")
      ? answer.results
      : Predicate.hasProperty(answer, "data") && answer.data
  if (!Array.isArray(items)) return Result.fail("it has no list")
  const scores = new Map<number, number>()
  for (const item of items as ReadonlyArray<unknown>) {
    const index = Predicate.hasProperty(item, "index") ? item.index : undefined
    if (!Number.isInteger(index) || !Predicate.isNumber(index) || index < 0 || index >= passages || scores.has(index)) {
      return Result.fail("its `index` does not tell which score is whose")
    }
    const score = Predicate.hasProperty(item, "relevance_score")
      ? item.relevance_score
      : Predicate.hasProperty(item, "score") && item.score
    if (!Predicate.isNumber(score) || !Number.isFinite(score)) return Result.fail("a score is not a finite number")
    scores.set(index, score)
  }
  if (scores.size !== passages) return Result.fail(`it has ${scores.size} scores for ${passages} passages`)
  return Result.succeed(bestFirst(Array.from(scores, ([index, score]) => ({ index, score }))))
}

const bestFirst = (passages: ReadonlyArray<RerankedPassage>): ReadonlyArray<RerankedPassage> =>
  passages.toSorted((one, other) => other.score - one.score || one.index - other.index)
