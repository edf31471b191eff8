/** The most characters of an idempotency key. */
export const IDEMPOTENCY_KEY_MAX_LENGTH = 255

/** A string of RFC 8941: visible ASCII and spaces in quotes, where a backslash stands before quotes and backslashes. */
const quotation = /^"((?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/
/** Neither a space nor a comma, which stand between the values of a header that is sent twice. */
const bare = /^[\x21\x23-\x2b\x2d-\x7e]+$/

/**
 * The key in the header `Idempotency-Key`, which may be in quotes or bare: both forms name the same key. Undefined when
 * it is malformed or too long.
 */
export const parseIdempotencyKey = (header: string): string | undefined => {
  const key = bare.test(header) ? header : quotation.exec(header)?.[1]?.replaceAll(/\\(.)/g, "$1")
  return key === undefined || key === "" || key.length > IDEMPOTENCY_KEY_MAX_LENGTH ? undefined : key
}
