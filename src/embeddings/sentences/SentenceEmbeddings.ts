import { Duration, Effect, type FileSystem, Layer } from "effect"
import { Unavailable } from "../../domain/Errors.ts"
import { genAi, operations } from "../../observability/Attributes.ts"
import { atBorder, outcomeOf } from "../../observability/Border.ts"
import { embeddings as metrics } from "../../observability/Metrics.ts"
import { StartupError } from "../../system/StartupError.ts"
import { EMBEDDINGS, RERANK_MODEL } from "../../system/Variables.ts"
import { Embeddings } from "../Embeddings.ts"
import type { Purpose } from "../Provider.ts"
import type { InferenceModel } from "./InferenceMain.ts"
import { type Inference, type InferenceSettings, startInference } from "./InferenceProcess.ts"
import { FETCH, hasLibrary } from "./ModelPackage.ts"
import { findModel, findReranker, MODEL } from "./SentenceModel.ts"

/** The settings of a sentence-embedding model that this server runs. */
export interface SentenceSettings extends Pick<InferenceSettings, "threads"> {
  /** The directory with one directory for each model. */
  readonly directory: string
  /** The name of the model, which is that of its directory. */
  readonly model: string
}

/** The weight of the vector score, which for a learned model is that of the lexical score. */
const WEIGHT = 0.5
/** Longest wait for the vector of a question. After it, the search uses words alone. */
const QUERY_TIMEOUT = Duration.seconds(5)
/** The wait that is asked of callers when a model makes no vector of a question. */
const REFUSED_SECONDS = 60

/** Questions and passages on subjects that have nothing in common. */
const UNRELATED = {
  questions: ["How do I reset my password?", "When was the cathedral built?", "¿Cuánto cuesta el envío?"],
  passages: [
    "Bees collect nectar and turn it into honey, which they store in combs.",
    "The orchestra plays two symphonies and a concerto for violin this evening.",
    "Basalt forms when lava with little silica cools quickly at the surface.",
    "Der Zug nach Hamburg fährt heute von einem anderen Gleis ab.",
  ],
}

/** The highest estimate. A higher one would leave no room for what is related. */
const UNRELATED_MAX = 0.9
/**
 * The standard deviations above the mean that count as unrelated, because the best of many passages is above the mean.
 * For all-MiniLM-L6-v2 this estimates the cosine that was measured on sets of questions.
 */
const DEVIATIONS = 2

/** Estimates the cosine that the best of many unrelated passages reaches, from that of some pairs; at least 0. */
const measureUnrelated = Effect.fnUntraced(function* (question: Inference["passage"], passage: Inference["passage"]) {
  const questions = yield* Effect.forEach(UNRELATED.questions, question)
  const passages = yield* Effect.forEach(UNRELATED.passages, passage)
  const cosines = questions.flatMap((one) =>
    passages.map((other) => one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0)),
  )
  const mean = cosines.reduce((sum, cosine) => sum + cosine, 0) / cosines.length
  const variance = cosines.reduce((sum, cosine) => sum + (cosine - mean) ** 2, 0) / cosines.length
  return Math.min(UNRELATED_MAX, Math.max(0, mean + DEVIATIONS * Math.sqrt(variance)))
})

/**
 * Embeddings of a model that this server runs. Its files are found or fetched and its process started before the server
 * serves, so that a model that cannot be used ends the start.
 */
export const layer = (settings: SentenceSettings): Layer.Layer<Embeddings, StartupError, FileSystem.FileSystem> =>
  Layer.effect(Embeddings, make(settings))

/** Starts the process of a model, or fails with what is wrong with it. */
const startModel = (inference: InferenceModel, { threads }: SentenceSettings, other: string) => {
  const unusable = (message: string) =>
    new StartupError({
      what: `The model in ${inference.files.model} cannot be used: ${message.replaceAll(/\s+/g, " ")}.`,
      doThis: `Fetch ${MODEL} again and see that the manifest beside it is right, or ${other}.`,
    })
  return startInference({ model: inference, threads }).pipe(
    Effect.tap(({ isNative }) =>
      isNative || !hasLibrary
        ? Effect.void
        : Effect.logWarning("A model runs in WebAssembly, at a seventh of the speed of this machine's own library", {
            model: inference.files.model,
            doThis: inference.files.native === undefined ? FETCH : `See why ${inference.files.native} cannot be loaded`,
          }),
    ),
    Effect.mapBoth({
      onSuccess: (started) => ({ started, unusable }),
      onFailure: ({ message }) => unusable(message),
    }),
  )
}

/** A cross-encoder that this server runs, which scores the passages that may answer a question. */
export const crossEncoder = Effect.fnUntraced(function* (settings: SentenceSettings) {
  const { inference, manifest, passages } = yield* findReranker(settings.model, settings.directory)
  const { started } = yield* startModel(inference, settings, `leave ${RERANK_MODEL} out`)
  return {
    passages,
    maxTokens: inference.maxTokens,
    manifest,
    /** The scores of passages in their order, or why there are none. */
    scores: (question: string, texts: ReadonlyArray<string>) =>
      Effect.forEach(texts, (text) => Effect.map(started.question([question, text]), ([score = 0]) => score), {
        concurrency: "unbounded",
      }).pipe(
        Effect.mapError((failure) => (failure._tag === "TextRefused" ? "It scores no such text." : failure.detail)),
      ),
  }
})

const make = Effect.fnUntraced(function* (settings: SentenceSettings) {
  const { inference, manifest, name } = yield* findModel(settings.model, settings.directory)
  const { started, unusable } = yield* startModel(inference, settings, `set ${EMBEDDINGS} to another model`)
  const question = (text: string) => started.question((manifest.query_prefix ?? "") + text)
  const passage = (text: string) => started.passage((manifest.passage_prefix ?? "") + text)
  const unrelatedCosine =
    manifest.unrelated_cosine ??
    (yield* Effect.mapError(measureUnrelated(question, passage), () => unusable("it makes no vectors of sentences")))

  const measured = <A, E>(work: Effect.Effect<A, E>, purpose: Purpose) =>
    atBorder(work, {
      span: `${operations.embeddings} ${settings.model}`,
      attributes: () => ({ [genAi.operation]: operations.embeddings, [genAi.model]: name }),
      measure: (seconds, exit) => metrics.seconds(purpose, outcomeOf(exit)).observe(seconds),
    })
  const noVector = (detail: string, seconds: number) =>
    Effect.fail(new Unavailable({ detail: `The embedding model ${detail}.`, retry_after_seconds: seconds }))

  return Embeddings.of({
    model: name,
    weight: WEIGHT,
    isSemantic: true,
    unrelatedCosine,
    embedQuery: (text) =>
      question(text).pipe(
        Effect.catchTag("TextRefused", () => noVector("makes no vector of this text", REFUSED_SECONDS)),
        Effect.timeoutOrElse({ duration: QUERY_TIMEOUT, orElse: () => noVector("does not answer in time", 1) }),
        (work) => measured(work, "query"),
      ),
    embedDocuments: (texts) => measured(Effect.forEach(texts, passage, { concurrency: "unbounded" }), "document"),
  })
})
