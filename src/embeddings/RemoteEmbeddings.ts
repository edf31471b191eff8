import { Clock, Duration, Effect, Layer, type Redacted, Result, Schedule, Semaphore } from "effect"
import { Unavailable } from "../domain/Errors.ts"
import { postJson } from "../outbound/JsonPost.ts"
import { Oversized } from "../outbound/ResponseText.ts"
import { StartupError } from "../system/StartupError.ts"
import { Embeddings, TextRefused } from "./Embeddings.ts"
import { endpointOf, type ProviderName, providers, type Purpose } from "./Provider.ts"
import { failureOfStatus, EmbeddingsFailure, tooSlow, unreachable, unusable } from "./EmbeddingsFailure.ts"
import { ProviderPause } from "./ProviderPause.ts"
import { textBatches } from "./TextBatches.ts"
import { readVectors } from "./VectorReply.ts"
import { genAi, operations } from "../observability/Attributes.ts"
import { atBorder, outcomeOf } from "../observability/Border.ts"
import { embeddings as metrics } from "../observability/Metrics.ts"
import { EMBEDDINGS, EMBEDDINGS_API_KEY, EMBEDDINGS_BASE_URL, EMBEDDINGS_DIMENSIONS } from "../system/Variables.ts"

/** The settings of an embedding model behind HTTP. */
export interface RemoteSettings {
  readonly provider: ProviderName
  readonly model: string
  /** The key, which self-hosted servers often do not need. */
  readonly apiKey: Redacted.Redacted | undefined
  /** The base URL; undefined for the provider's own. */
  readonly baseUrl: string | undefined
  /** The dimension of the vectors; undefined for the model's default. */
  readonly dimensions: number | undefined
  /** Longest time of one request with documents. */
  readonly timeout?: Duration.Input
  /** Longest time of a request with a question, whose client waits for it. After it, the search uses words alone. */
  readonly queryTimeout?: Duration.Input
}

const TIMEOUT = "30 seconds"
const QUERY_TIMEOUT = "5 seconds"
/** Requests with documents at once, of one process: as many as every provider's smallest account takes. */
const CONCURRENCY = 4

/** The weight of the vector score, which for a learned model is that of the lexical score. */
const WEIGHT = 0.5
/** The time for which documents wait while a provider cannot be reached or has no capacity. */
const PATIENCE = Duration.minutes(10)
/** The wait that is asked of callers when the provider refuses everything, or its answers cannot be used. */
const REFUSED_WAIT = Duration.minutes(1)
/** The number of retries after an answer that cannot be used, because it may have been cut off. */
const UNUSABLE_RETRIES = 1
/** The longest answer: 128 vectors of 4,096 numbers, written with all their digits, and as much again. */
const ANSWER_BYTES_MAX = 24 * 1024 * 1024
/** A text that every model accepts. */
const HARMLESS = "A harmless text."

/**
 * Embeddings of a model behind HTTP. It stands in place of `effect/ai`'s `EmbeddingModel`, whose schema checks each
 * number of each vector, which takes longer than the provider takes to compute them.
 */
export const layer = (settings: RemoteSettings): Layer.Layer<Embeddings, StartupError> =>
  Layer.effect(Embeddings, make(settings))

const make = Effect.fnUntraced(function* (settings: RemoteSettings) {
  if (settings.apiKey === undefined && settings.baseUrl === undefined) {
    return yield* new StartupError({
      what: `${EMBEDDINGS} is ${settings.provider}:${settings.model}, and there is no key for it.`,
      doThis: `Set ${EMBEDDINGS_API_KEY}, or ${EMBEDDINGS_BASE_URL} to a server that needs none.`,
    })
  }
  const pause = new ProviderPause()
  const permits = yield* Semaphore.make(CONCURRENCY)
  const provider = providers[settings.provider]
  const url = endpointOf(settings.baseUrl ?? provider.baseUrl)

  /** Sends one request, and begins a pause when it fails for another reason than its texts. */
  const ask = Effect.fnUntraced(
    function* (texts: ReadonlyArray<string>, purpose: Purpose) {
      const body = provider.bodyOf({
        model: settings.model,
        texts: texts.map((text) => text.toWellFormed()),
        purpose,
        dimensions: settings.dimensions,
      })
      const { json, response } = yield* postJson(
        { url, apiKey: settings.apiKey, body, bytesMax: ANSWER_BYTES_MAX },
        (error) => (error instanceof Oversized ? unusable(`it is over ${ANSWER_BYTES_MAX} bytes`) : unreachable),
      )
      if (response.status !== 200) {
        const now = yield* Clock.currentTimeMillis
        return yield* failureOfStatus(response.status, response.headers, now, settings.apiKey !== undefined)
      }
      if (json === undefined) return yield* unusable("it is not JSON")
      const vectors = yield* Effect.fromResult(Result.mapError(readVectors(json, texts.length), unusable))
      const dimensions = vectors[0]?.length
      if (settings.dimensions !== undefined && dimensions !== settings.dimensions) {
        return yield* new EmbeddingsFailure({
          kind: "setting",
          reason: `The model makes vectors of ${dimensions} dimensions and not of ${EMBEDDINGS_DIMENSIONS}, ${settings.dimensions}.`,
        })
      }
      return vectors
    },
    (request, _texts, purpose) =>
      Effect.timeoutOrElse(request, {
        duration: purpose === "query" ? (settings.queryTimeout ?? QUERY_TIMEOUT) : (settings.timeout ?? TIMEOUT),
        orElse: () => Effect.fail(tooSlow),
      }),
    (request, _texts, purpose) =>
      atBorder(request, {
        span: `${operations.embeddings} ${settings.model}`,
        kind: "client",
        attributes: () => ({
          [genAi.operation]: operations.embeddings,
          [genAi.provider]: settings.provider,
          [genAi.model]: settings.model,
        }),
        measure: (seconds, exit) => metrics.seconds(purpose, outcomeOf(exit)).observe(seconds),
      }),
    Effect.tap(() => pause.reset),
    Effect.tapError((failure) => (failure.kind === "refused" ? Effect.void : pause.begin(failure))),
  )

  /** Sends a request with documents after the pause, and retries failures that pass until `PATIENCE` is over. */
  const askPatiently = (texts: ReadonlyArray<string>) =>
    permits
      .withPermits(1)(Effect.andThen(pause.passed, ask(texts, "document")))
      .pipe(Effect.retry({ while: ({ kind }) => kind === "passing", schedule: Schedule.during(PATIENCE) }))

  /**
   * Embeds a batch. A batch that is refused is split in halves until the refused text is alone. Then a request with a
   * harmless text shows whether the text is at fault or the provider.
   */
  const embedBatch = (
    texts: ReadonlyArray<string>,
  ): Effect.Effect<ReadonlyArray<Float32Array>, EmbeddingsFailure | TextRefused> =>
    askPatiently(texts).pipe(
      Effect.retry({ while: ({ kind }) => kind === "refused", times: UNUSABLE_RETRIES }),
      Effect.catchIf(
        ({ kind }) => kind === "refused",
        (failure) => {
          const half = Math.ceil(texts.length / 2)
          if (texts.length > 1) {
            return Effect.zipWith(embedBatch(texts.slice(0, half)), embedBatch(texts.slice(half)), (left, right) => [
              ...left,
              ...right,
            ])
          }
          return askPatiently([HARMLESS]).pipe(
            Effect.mapError(() => failure),
            Effect.andThen(Effect.fail(new TextRefused())),
          )
        },
      ),
    )

  const unavailable = Effect.fnUntraced(function* ({ kind, reason }: EmbeddingsFailure) {
    const wait = kind === "refused" ? REFUSED_WAIT : Duration.millis(yield* pause.remaining)
    if (kind === "refused") yield* Effect.logError("The embedding provider cannot be used", { reason })
    return yield* new Unavailable({
      detail: `The embedding provider cannot be used right now. ${reason}`,
      retry_after_seconds: Math.max(1, Math.ceil(Duration.toSeconds(wait))),
    })
  })

  const embedQuery = Effect.fn("Embeddings.embedQuery")(
    function* (text: string) {
      if ((yield* pause.remaining) > 0) return yield* pauseFailure
      const [vector] = yield* ask([text], "query")
      return vector ?? (yield* unusable("it is empty"))
    },
    Effect.catchTag("EmbeddingsFailure", unavailable),
  )

  const embedDocuments = Effect.fn("Embeddings.embedDocuments")(
    function* (texts: ReadonlyArray<string>) {
      return (yield* Effect.forEach(textBatches(texts), embedBatch)).flat()
    },
    Effect.catchTag("EmbeddingsFailure", unavailable),
  )

  return Embeddings.of({
    model: nameOf(settings),
    weight: WEIGHT,
    isSemantic: true,
    unrelatedCosine: provider.unrelatedCosine,
    embedQuery,
    embedDocuments,
  })
})

const pauseFailure = new EmbeddingsFailure({ kind: "passing", reason: "It asked to be left alone for a while." })

/** The name of a model, such as `openai:text-embedding-3-large@1024`. */
const nameOf = ({ provider, model, dimensions }: RemoteSettings): string =>
  `${provider}:${model}${dimensions === undefined ? "" : `@${dimensions}`}`
