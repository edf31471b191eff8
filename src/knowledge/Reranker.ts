import { Clock, Context, Data, Duration, Effect, Layer, Predicate, type Redacted, Result } from "effect"
import { genAi, operations } from "../observability/Attributes.ts"
import { atBorder, outcomeOf } from "../observability/Border.ts"
import { rerank as metrics } from "../observability/Metrics.ts"
import { postJson } from "../outbound/JsonPost.ts"
import { Oversized } from "../outbound/ResponseText.ts"
import { ServiceHealth } from "../outbound/ServiceHealth.ts"
import { monotonicMillis } from "../system/Monotonic.ts"

/** The settings of a service that reranks passages. */
export interface RerankerSettings {
  /** The URL below which the service has `/rerank`, or that of `/rerank` itself; undefined for no reranking. */
  readonly url: string | undefined
  /** The model; undefined for a server that has one, and takes requests in the form of text-embeddings-inference. */
  readonly model: string | undefined
  readonly apiKey: Redacted.Redacted | undefined
}

/** The score of the passage at an index. Scales differ between services, so that only the order counts. */
export interface RerankedPassage {
  readonly index: number
  readonly score: number
}

/** A service that puts passages into the order in which they answer a question. */
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

/** Provides the reranker of the settings, or none. */
export const layer = ({ url, ...settings }: RerankerSettings): Layer.Layer<never> =>
  url === undefined ? Layer.succeed(Reranker, undefined) : Layer.effect(Reranker, make({ url, ...settings }))

const make = Effect.fnUntraced(function* ({ apiKey, model, url }: RerankerSettings & { readonly url: string }) {
  const clock = yield* Clock.Clock
  const { patience, rest } = yield* RerankerBounds
  const health = new ServiceHealth(FAILURES_MAX, Duration.toMillis(Duration.fromInputUnsafe(rest)))
  const endpoint = endpointOf(url)

  const ask = Effect.fnUntraced(
    function* (query: string, texts: ReadonlyArray<string>) {
      const { json, response } = yield* postJson(
        { url: endpoint, apiKey, body: bodyOf(model, query, texts), bytesMax: ANSWER_BYTES_MAX },
        (error) => fail(error instanceof Oversized ? "Its answer is too long." : "It cannot be reached."),
      )
      if (response.status !== 200) return yield* fail(`It answers with status ${response.status}.`)
      if (json === undefined) return yield* fail("Its answer is not JSON.")
      return yield* Effect.fromResult(
        Result.mapError(readRanking(json, texts.length), (what) => fail(`Its answer cannot be used: ${what}.`)),
      )
    },
    Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.fail(fail("It does not answer in time.")) }),
    (request) =>
      atBorder(request, {
        span: model === undefined ? operations.rerank : `${operations.rerank} ${model}`,
        kind: "client",
        attributes: () => ({
          [genAi.operation]: operations.rerank,
          ...(model !== undefined && { [genAi.model]: model }),
        }),
        measure: (seconds, exit) => metrics.seconds(outcomeOf(exit)).observe(seconds),
      }),
  )

  return {
    passages: PASSAGES,
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
    probe: ask("Is anybody there?", ["Somebody is.", "Nobody is."]).pipe(
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
  return Result.succeed(
    Array.from(scores, ([index, score]) => ({ index, score })).toSorted(
      (one, other) => other.score - one.score || one.index - other.index,
    ),
  )
}
