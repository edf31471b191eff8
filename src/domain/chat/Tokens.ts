/** The fewest bytes of UTF-8 per token in nearly all text: English has about four, Chinese three. */
const BYTES_PER_TOKEN = 3

/** The most bytes of UTF-8 that a text may have to count as at most `tokens` tokens. */
export const bytesOfTokens = (tokens: number): number => tokens * BYTES_PER_TOKEN

/** An upper estimate of the tokens that a model counts for some texts. */
export const tokensAtMost = (texts: ReadonlyArray<string>): number =>
  Math.ceil(texts.reduce((bytes, text) => bytes + Buffer.byteLength(text), 0) / BYTES_PER_TOKEN)
