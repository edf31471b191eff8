/** Bytes of UTF-8 that make a token, at least, in nearly all text: English has about four, Chinese three. */
const BYTES_PER_TOKEN = 3

/** Bytes of UTF-8 beyond which a text counts as more than so many tokens. */
export const bytesOfTokens = (tokens: number): number => tokens * BYTES_PER_TOKEN

/** Tokens that a model counts for these texts, on the safe side. */
export const tokensAtMost = (texts: ReadonlyArray<string>): number =>
  Math.ceil(texts.reduce((bytes, text) => bytes + Buffer.byteLength(text), 0) / BYTES_PER_TOKEN)
