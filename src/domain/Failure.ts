import { Schema } from "effect"

/** Places at which a request is wrong, each with its fault. */
export const PlaceErrors = Schema.Array(Schema.Struct({ path: Schema.String, message: Schema.String }))

/** Why a language model has not answered. It quotes the model's provider, so it is for those who run the chatbot. */
export const Explanation = Schema.Struct({
  reason: Schema.String.annotate({ description: "What the provider says, without keys." }),
  advice: Schema.String.annotate({ description: "What to do." }),
}).annotate({
  identifier: "Explanation",
  description: "Why the language model did not answer: for callers who may read conversations, or try other settings.",
  examples: [
    {
      reason: "404 The model gpt-3.5-turbo-0301 has been deprecated.",
      advice: "Choose another model in the chatbot's settings.",
    },
  ],
})
export type Explanation = typeof Explanation.Type

/** Message of one occurrence of a failure. All of it is shown to the client, so it never holds secrets or internals. */
export interface Occurrence {
  /** Description of the occurrence, in a sentence for people. */
  readonly detail: string
  /** The places of the request that are wrong. */
  readonly errors?: typeof PlaceErrors.Type
  /** Time to wait before the same request is sent again, in seconds. */
  readonly retry_after_seconds?: number
  /** Why the language model did not answer; only for callers who may know. */
  readonly explanation?: Explanation
}

/** Facts that hold for every occurrence of a failure. */
export interface Declaration {
  /** The status of the HTTP response. */
  readonly status: number
  /** The name for programs, in snake_case. It never changes. */
  readonly code: string
  /** The name for people: a few words without a full stop. */
  readonly title: string
  /** Circumstances in which the failure happens and what helps, in Markdown, for people who have just met it. */
  readonly when: string
  /** Whether the same request, sent again unchanged, may succeed. Absent: it may not. */
  readonly isRetryable?: true
  /** An occurrence for documentation to show. */
  readonly example: Occurrence
  /** Names of the failure in OpenAI's API, where they are not `code` or the usual `type` of the status. */
  readonly openAi?: { readonly type?: string; readonly code: string }
}

/** An occurrence with the tag that names its class. */
export interface EncodedFailure extends Occurrence {
  readonly _tag: string
}

/** The class of a failure, as far as all classes of failures are alike. */
export interface FailureClass extends Schema.Codec<Occurrence, EncodedFailure> {
  readonly identifier: string
  readonly declaration: Declaration
  readonly fields: Readonly<Record<string, unknown>>
}

/** Whether every occurrence says when the request may be sent again. */
export const saysWhen = ({ fields }: FailureClass): boolean => "retry_after_seconds" in fields
