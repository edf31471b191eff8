import { Schema } from "effect"

/**
 * What a new question is compared with: the terms of a topic's questions, each with how many of them have it, how users
 * write it, and the term that follows; and the mean of the vectors, where there are some.
 */
export const TopicCentre = Schema.Struct({
  size: Schema.Finite,
  /** The stem of each term, the number of questions that have it, its spelling, and the stem that follows it. */
  terms: Schema.Array(Schema.Tuple([Schema.String, Schema.Finite, Schema.String, Schema.String])),
  /** The model of the vector, and the vector's numbers in base64, as signed bytes of the unit vector times 127. */
  vector: Schema.optionalKey(Schema.Struct({ model: Schema.String, bytes: Schema.String })),
})
export type TopicCentre = typeof TopicCentre.Type
