import { Effect } from "effect"
import { divided, meanOf } from "./DividedTexts.ts"
import { TextRefused } from "./Embeddings.ts"
import type { EmbeddingsFailure } from "./EmbeddingsFailure.ts"
import { ENCODINGS } from "./Provider.ts"
import { textBatches } from "./TextBatches.ts"

type Vectors = ReadonlyArray<Float32Array>

/** Sends one request with texts. */
type Ask = (texts: ReadonlyArray<string>) => Effect.Effect<Vectors, EmbeddingsFailure>

/** The shortest text that is divided because a server finds it too long, in bytes of UTF-8. */
const TEXT_BYTES_MIN = 300
/** The share of a text's length that is tried next where a server does not say how much too long it is. */
const NEXT_SHARE = 0.5
/** The same of the length that a server takes: texts differ in the number of bytes of their tokens. */
const MARGIN = 0.9
/** The number of retries after an answer that cannot be used, because it may have been cut off. */
const UNUSABLE_RETRIES = 1
/** A text that every model accepts. */
export const HARMLESS = "A harmless text."

/** Embeds texts in batches of the size that a server takes, which it learns from what the server refuses. */
export const adaptiveBatches = () => {
  /** What the server has shown of itself so far: the index of its encoding, and its limits. */
  const known = { encoding: 0, textsMax: Number.POSITIVE_INFINITY, bytesMax: Number.POSITIVE_INFINITY }

  /** Learns from the words of a refusal how to ask otherwise. Returns false where they say nothing of use. */
  const learn = ({ refused }: EmbeddingsFailure, texts: ReadonlyArray<string>, encoding: number): boolean => {
    if (refused?.part === "encoding") {
      if (encoding + 1 === ENCODINGS.length) return false
      known.encoding = Math.max(known.encoding, encoding + 1)
      return true
    }
    if (refused?.part !== "batch" && refused?.part !== "length") return false
    const bytes = Math.max(...texts.map((text) => Buffer.byteLength(text)))
    const tokens = refused.part === "length" ? refused.tokens : undefined
    // More tokens than the longest text has bytes are those of all texts together.
    const isTogether = refused.part === "batch" || (tokens !== undefined && tokens.given > bytes)
    if (isTogether && texts.length > 1) {
      const { max = 0 } = refused.part === "batch" ? refused : {}
      const fitting = max > 0 && max < texts.length ? max : Math.ceil(texts.length / 2)
      known.textsMax = Math.min(known.textsMax, fitting)
      return true
    }
    // Which of several texts is too long shows when they are halved.
    if ((tokens === undefined && texts.length > 1) || bytes <= TEXT_BYTES_MIN) return false
    const share = tokens === undefined || isTogether ? NEXT_SHARE : (MARGIN * tokens.max) / tokens.given
    known.bytesMax = Math.min(known.bytesMax, Math.max(TEXT_BYTES_MIN, Math.floor(bytes * share)))
    return true
  }

  /** @param takesHarmless whether the server is known to take a harmless text, so that a refusal is that of a text */
  const embed = (
    texts: ReadonlyArray<string>,
    ask: Ask,
    takesHarmless = false,
  ): Effect.Effect<Vectors, EmbeddingsFailure | TextRefused> =>
    Effect.suspend(() => {
      const parts = texts.map((text) => divided(text, known.bytesMax))
      if (parts.some(({ length }) => length > 1)) {
        return Effect.map(embed(parts.flat(), ask, takesHarmless), (vectors) => {
          let at = 0
          return parts.map(({ length }) => meanOf(vectors.slice(at, (at += length))))
        })
      }
      const batches = textBatches(texts, known.textsMax)
      return batches.length === 1
        ? embedBatch(texts, ask, takesHarmless)
        : Effect.map(
            Effect.forEach(batches, (batch) => embed(batch, ask, takesHarmless)),
            (vectors) => vectors.flat(),
          )
    })

  const embedBatch = (texts: ReadonlyArray<string>, ask: Ask, takesHarmless: boolean) => {
    const { bytesMax, encoding } = known
    const half = Math.ceil(texts.length / 2)
    /** Halves a refused batch until the refused text is alone. */
    const halve = Effect.suspend(() =>
      Effect.zipWith(embed(texts.slice(0, half), ask, true), embed(texts.slice(half), ask, true), (left, right) => {
        // No text was at fault, and none too long: all of them together were too much.
        if (known.bytesMax === bytesMax) known.textsMax = Math.min(known.textsMax, half)
        return [...left, ...right]
      }),
    )
    return ask(texts).pipe(
      Effect.retry({ while: isUnclear, times: UNUSABLE_RETRIES }),
      Effect.catchIf(
        ({ kind }) => kind === "refused",
        (failure): ReturnType<typeof embed> => {
          if (learn(failure, texts, encoding)) return embed(texts, ask, takesHarmless)
          const narrow = texts.length > 1 ? halve : Effect.fail(new TextRefused({ reason: failure.reason }))
          const { part } = failure.refused ?? {}
          if (takesHarmless || part === "batch" || part === "length") return narrow
          return Effect.matchEffect(ask([HARMLESS]), {
            onSuccess: () => narrow,
            onFailure: (other) => {
              // It may be the form of vectors that is refused, in words that are not known.
              const isRefused = other.kind === "refused" && other.status !== undefined
              if (isRefused) known.encoding = (encoding + 1) % ENCODINGS.length
              return isRefused && known.encoding > 0 ? embed(texts, ask) : Effect.fail(other)
            },
          })
        },
      ),
    )
  }

  return { known, embed }
}

/** Whether the same request may succeed the next time: its vectors cannot be used, or it met an internal error. */
const isUnclear = ({ kind, refused, status }: EmbeddingsFailure): boolean =>
  kind === "refused" && refused === undefined && (status === undefined || status === 500)
