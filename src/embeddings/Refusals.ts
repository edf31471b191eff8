/*
 * What embedding servers say when they refuse a request, hardly two of them in the same words.
 */

/** The part of a request that a server refuses, as far as its words tell. */
export type RefusedPart =
  | { readonly part: "encoding" | "dimensions" }
  /** The number of texts, or of their tokens together; with the most texts that it takes, where it says so. */
  | { readonly part: "batch"; readonly max: number | undefined }
  /** The length of a text; with the tokens that it takes and those that there were, where it says so. */
  | { readonly part: "length"; readonly tokens: { readonly max: number; readonly given: number } | undefined }

const ENCODING = /encoding[_ ]?format|\bbase64\b/iu
const DIMENSIONS = /\bdimensions?\b|matryoshka/iu
/** A server's "physical batch" is the longest text that it computes at once. */
const PHYSICAL = /physical batch|ubatch/iu
const BATCH =
  /\bbatch|(?:array|list)\b.{0,60}(?:too long|at most|maximum)|(?:number of|too many) (?:inputs|texts|requests|items|instances)|tokens per request/iu
const LENGTH =
  /too (?:long|large)|(?:context|sequence|input)[_ ](?:length|window|size)|(?:less|more|fewer) than \d+ tokens|exceed.{0,40}(?:tokens|length|context)|too many (?:input )?tokens|max(?:imum)?\w* (?:number of )?(?:input )?(?:length|tokens)/iu
/** Matches the number of texts that a server takes. */
const TEXTS_MAX = /(?:max\w*|at most|(?:larger|greater|more) than|limit\w*|up to)\D{0,40}(\d+)/iu
const TOKENS = /\btokens?\b/iu

/** Matches what servers say of a failure that passes, also with a status of success. */
export const PASSING_WORDS = /\bloading\b|overload|rate.?limit|too many requests|temporar|unavailable|try again/iu

/** The statuses of refusals: some servers answer a request that they cannot serve with an internal error. */
const REFUSALS: ReadonlySet<number> = new Set([200, 400, 413, 422, 500])

/** Returns the part of a request that a server refuses, by the status of its answer and its words. */
export const refusedPart = (status: number, said: string): RefusedPart | undefined => {
  if (!REFUSALS.has(status)) return undefined
  if (ENCODING.test(said)) return { part: "encoding" }
  if (DIMENSIONS.test(said)) return { part: "dimensions" }
  if (BATCH.test(said) && !PHYSICAL.test(said)) {
    const max = TOKENS.test(said) ? undefined : TEXTS_MAX.exec(said)?.[1]
    return { part: "batch", max: max === undefined ? undefined : Number(max) }
  }
  if (PHYSICAL.test(said) || LENGTH.test(said)) {
    const [one = 0, other = 0] = (said.match(/\b\d{2,7}\b/gu) ?? []).map(Number)
    const [max, given] = [Math.min(one, other), Math.max(one, other)]
    return { part: "length", tokens: max > 0 && max < given ? { max, given } : undefined }
  }
  return status === 413 ? { part: "batch", max: undefined } : undefined
}
