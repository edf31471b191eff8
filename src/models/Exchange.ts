// A module can only be added to where it is imported.
import "effect/ai/Prompt"
import "effect/ai/Response"
import type { Source, Warning } from "../domain/chat/Chat.ts"
import type { PassageJson } from "../domain/Passage.ts"
import type { TokenCounts } from "../domain/Usage.ts"

/**
 * What went to a model's API and came back beside the content, for the `request`, `response` and `warnings` of a step.
 *
 * A provider puts it on the `response-metadata` part of its answer, under `parley`; its own token counters go on the
 * `finish` part's metadata, which becomes the step's `experimental_providerMetadata` as it is.
 */
export type Exchange = {
  /** The exact body sent. Empty where a provider streams: nobody is shown it there, and thousands would be kept meanwhile. */
  readonly body: string
  /** Length of the body sent, in UTF-16 code units. */
  readonly bodyLength: number
  /** Response headers that are safe to show. */
  readonly headers: { readonly [name: string]: string }
  readonly warnings: ReadonlyArray<Warning>
  /** What a stream has told of its tokens so far; the part comes again when it tells more before its end. */
  readonly tokens?: TokenCounts
  /** Whether the model itself says what its answer rests on, by `source` parts; then nobody has to guess. */
  readonly citesSources?: boolean
  /** Who answered, when it was not the model that was asked for. */
  readonly fallback?: { readonly model: string; readonly provider: string }
}

declare module "effect/ai/Response" {
  interface ResponseMetadataPartMetadata {
    readonly parley?: Exchange
  }
  interface DocumentSourcePartMetadata {
    readonly parley?: Source
  }
}

declare module "effect/ai/Prompt" {
  interface TextPartOptions {
    /** Marks the context block of a chatbot without tools: the passages that its text shows. */
    readonly parley?: { readonly passages: ReadonlyArray<PassageJson> }
  }
}
