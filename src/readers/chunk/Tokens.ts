/*
 * Estimates how many tokens a model makes of a text, without the model's tokeniser: the estimate only has to keep
 * chunks at about the same size in every language, and has to be cheap. Weights are integers, so that the weights of
 * the parts of a text add up exactly to the weight of the whole.
 */

export const WEIGHT_PER_TOKEN = 20

/**
 * The weight of a UTF-16 code unit: a token has 4 characters in ASCII, 2.5 in other alphabets and 1.25 in East Asian
 * scripts.
 */
const weightOfUnit = (unit: number): number => {
  if (unit < 0x80) return 5
  if (unit < 0x2e80) return 8
  return 16
}

/** The weight of the part of a text from `start` up to `end`, in UTF-16 code units. */
export const weigh = (text: string, start = 0, end = text.length): number => {
  let weight = 0
  for (let at = start; at < end; at++) weight += weightOfUnit(text.charCodeAt(at))
  return weight
}
