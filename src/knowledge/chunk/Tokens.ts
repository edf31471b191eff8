/*
 * An estimate of how many tokens a model makes of a text, without its tokeniser: it only has to keep chunks of about
 * one size, in any language, at no cost. Weights are whole numbers, so that parts add up to exactly their whole.
 */

/** Weight of one token. */
export const WEIGHT_PER_TOKEN = 20

/** Weight of a UTF-16 code unit: 4 characters a token in ASCII, 2.5 in other alphabets, 1.25 in East Asian scripts. */
const weightOfUnit = (unit: number): number => {
  if (unit < 0x80) return 5
  if (unit < 0x2e80) return 8
  return 16
}

/** Weight of a part of a text. */
export const weigh = (text: string, start = 0, end = text.length): number => {
  let weight = 0
  for (let at = start; at < end; at++) weight += weightOfUnit(text.charCodeAt(at))
  return weight
}

/** About how many tokens a text is. */
export const estimateTokens = (text: string): number => Math.ceil(weigh(text) / WEIGHT_PER_TOKEN)
