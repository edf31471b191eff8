// The declarations below extend these modules, which takes an import of each.
import "effect/ai/Prompt"
import "effect/ai/Response"
import type { Citation, Warning } from "../domain/chat/Chat.ts"
import type { PassageJson } from "../domain/knowledge/Passage.ts"
import type { TokenCounts } from "../domain/organizations/Usage.ts"
import type { SpokenLanguage } from "../language/Locales.ts"

/**
 * The data of one call of a model's API besides the content, for the `request`, `response` and `warnings` of a step.
 *
 * A provider puts it on the `response-metadata` part of its answer, under `parley`. Its own token counters go into the
 * metadata of the `finish` part, which becomes the step's `experimental_providerMetadata` unchanged.
 */
export type Exchange = {
  /** The exact body of the request. Empty unless it is kept in memory. */
  readonly body: string
  /** The length of the request's body, in UTF-16 code units. */
  readonly bodyLength: number
  /** The response headers that are safe to show to clients, by their names in lower case. */
  readonly headers: { readonly [name: string]: string }
  readonly warnings: ReadonlyArray<Warning>
  /** The tokens that a stream has reported so far. The part is emitted again when it reports more before its end. */
  readonly tokens?: TokenCounts
  /** Whether the model itself names the sources of its answer, by `source` parts, so that none are searched for. */
  readonly citesSources?: boolean
  /** The model that answered, when it is not the first one of the request. */
  readonly fallback?: { readonly model: string; readonly provider: string }
}

declare module "effect/ai/Response" {
  interface ResponseMetadataPartMetadata {
    readonly parley?: Exchange
  }
  interface DocumentSourcePartMetadata {
    readonly parley?: Citation
  }
}

declare module "effect/ai/Prompt" {
  interface SystemMessageOptions {
    /** The chatbot that the system instruction is for, and the language of its widget where that is set. */
    readonly parley?: { readonly name: string; readonly language?: SpokenLanguage }
  }
  interface TextPartOptions {
    /**
     * The passages in the text, which is the context block of a question: what a search found for a chatbot without
     * tools, after the approved answer to the question, where there is one.
     */
    readonly parley?: { readonly passages: ReadonlyArray<PassageJson>; readonly approved?: PassageJson }
  }
}
