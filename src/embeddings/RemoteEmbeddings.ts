import { Clock, Duration, Effect, Layer, type Redacted, Result, Schedule, Semaphore } from "effect"
import { Unavailable } from "../domain/Errors.ts"
import { postJson } from "../outbound/JsonPost.ts"
import { Oversized } from "../outbound/ResponseText.ts"
import { StartupError } from "../system/StartupError.ts"
import { adaptiveBatches, HARMLESS } from "./AdaptiveBatches.ts"
import { Embeddings } from "./Embeddings.ts"
import { ENCODINGS, endpointOf, type ProviderName, providers, type Purpose } from "./Provider.ts"
import { EmbeddingsFailure, failureOf, tooSlow, unreachable, unusable } from "./EmbeddingsFailure.ts"
import { ProviderPause } from "./ProviderPause.ts"
import { readVectors } from "./VectorReply.ts"
import { messageIn, saidIn, withoutKey } from "../outbound/ServerWords.ts"
import { isJsonObject } from "../text/Json.ts"
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
/** The longest answer: 128 vectors of 4,096 numbers, written with all their digits, and as much again. */
const ANSWER_BYTES_MAX = 24 * 1024 * 1024
/** The characters of a text's beginning by which it is recognized in a refusal. */
const REPEATED_MIN = 30

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
  const { embed, known } = adaptiveBatches()

  /** What an answer without vectors says; nothing where it repeats a text, which others must not see. */
  const saidOf = (text: string, texts: ReadonlyArray<string>): string => {
    const said = saidIn(
      withoutKey(
        /^\s*<(?:!doctype|html|head)/iu.test(text) ? (/<title>([^<]*)/iu.exec(text)?.[1] ?? "") : text,
        settings.apiKey,
      ),
    )
    return texts.some((one) => said.includes(one.slice(0, REPEATED_MIN))) ? "" : said
  }

  /** Sends one request, and begins a pause when it fails for another reason than its texts. */
  const ask = Effect.fnUntraced(
    function* (texts: ReadonlyArray<string>, purpose: Purpose) {
      const body = provider.bodyOf({
        model: settings.model,
        texts: texts.map((text) => text.toWellFormed()),
        purpose,
        dimensions: settings.dimensions,
        encoding: ENCODINGS[known.encoding],
      })
      const { json, response, text } = yield* postJson(
        { url, apiKey: settings.apiKey, body, bytesMax: ANSWER_BYTES_MAX },
        (error) => (error instanceof Oversized ? unusable(`it is over ${ANSWER_BYTES_MAX} bytes`) : unreachable),
      )
      const { headers, status } = response
      // Some servers fail with the status of a success.
      const message = isJsonObject(json) && !Array.isArray(json["data"]) ? messageIn(json) : undefined
      if (status !== 200 || message !== undefined) {
        const given = { hasKey: settings.apiKey !== undefined, hasDimensions: settings.dimensions !== undefined }
        return yield* failureOf(
          { ...given, status, headers, said: saidOf(message ?? text, texts) },
          yield* Clock.currentTimeMillis,
        )
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

  /**
   * Sends a request with documents after the pause, and retries failures that pass until `PATIENCE` is over. An internal
   * error that a harmless text does not meet is a refusal.
   */
  const askPatiently = (texts: ReadonlyArray<string>, onWait?: (reason: string) => void) => {
    const waits = Effect.map(pause.remaining, (rest) => rest > 0 && onWait?.(detailOf(pause.reason)))
    const once = (some: ReadonlyArray<string>) =>
      permits.withPermits(1)(Effect.andThen(Effect.andThen(waits, pause.passed), ask(some, "document")))
    return once(texts).pipe(
      Effect.catchIf(
        ({ kind, status }) => kind === "passing" && status === 500,
        (failure) =>
          Effect.matchEffect(once([HARMLESS]), {
            onFailure: () => Effect.fail(failure),
            onSuccess: () => Effect.fail(new EmbeddingsFailure({ ...failure, kind: "refused" })),
          }),
      ),
      Effect.retry({ while: ({ kind }) => kind === "passing", schedule: Schedule.during(PATIENCE) }),
    )
  }

  const unavailable = Effect.fnUntraced(function* ({ kind, reason }: EmbeddingsFailure) {
    const wait = kind === "refused" ? REFUSED_WAIT : Duration.millis(yield* pause.remaining)
    if (kind === "refused") yield* Effect.logError("The embedding provider cannot be used", { reason })
    return yield* new Unavailable({
      detail: detailOf(reason),
      retry_after_seconds: Math.max(1, Math.ceil(Duration.toSeconds(wait))),
    })
  })

  const embedQuery = Effect.fn("Embeddings.embedQuery")(
    function* (text: string) {
      if ((yield* pause.remaining) > 0) return yield* pauseFailure
      const [vector] = yield* embed([text], (texts) => ask(texts, "query"))
      return vector ?? (yield* unusable("it is empty"))
    },
    Effect.catchTags({
      EmbeddingsFailure: unavailable,
      TextRefused: ({ reason = "" }) => unavailable(new EmbeddingsFailure({ kind: "refused", reason })),
    }),
  )

  const embedDocuments = Effect.fn("Embeddings.embedDocuments")(
    function* (texts: ReadonlyArray<string>, onWait?: (reason: string) => void) {
      return yield* embed(texts, (some) => askPatiently(some, onWait))
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

const detailOf = (reason: string): string => `The embedding provider cannot be used right now. ${reason}`

const pauseFailure = new EmbeddingsFailure({ kind: "passing", reason: "It asked to be left alone for a while." })

/** The name of a model, such as `openai:text-embedding-3-large@1024`. */
const nameOf = ({ provider, model, dimensions }: RemoteSettings): string =>
  `${provider}:${model}${dimensions === undefined ? "" : `@${dimensions}`}`
