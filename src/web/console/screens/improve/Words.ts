/** A word of a text, with the places of its first character and the one after its last. */
interface Word {
  readonly text: string
  readonly start: number
  readonly end: number
}

const segmenter = new Intl.Segmenter(undefined, { granularity: "word" })

/** The words of a text, also of one in a language that does not divide them by blanks. */
export const wordsIn = (text: string): ReadonlyArray<Word> =>
  Array.from(segmenter.segment(text))
    .filter(({ isWordLike }) => isWordLike === true)
    .map(({ index, segment }) => ({ text: segment, start: index, end: index + segment.length }))

/** The most pairs of words that are compared: texts that differ in more than some thousand words differ everywhere. */
const PAIRS_MAX = 4_000_000

/** The words of each list that the other one lacks at their place: what is left of both without their longest common part. */
export const differing = <A extends { readonly text: string }>(
  one: ReadonlyArray<A>,
  other: ReadonlyArray<A>,
): readonly [ReadonlyArray<A>, ReadonlyArray<A>] => {
  const isSame = (a: A | undefined, b: A | undefined): boolean => a?.text.toLowerCase() === b?.text.toLowerCase()
  const shorter = Math.min(one.length, other.length)
  let begin = 0
  while (begin < shorter && isSame(one[begin], other[begin])) begin++
  let end = 0
  while (end < shorter - begin && isSame(one.at(-1 - end), other.at(-1 - end))) end++
  const a = one.slice(begin, one.length - end)
  const b = other.slice(begin, other.length - end)
  if (a.length * b.length > PAIRS_MAX) return [a, b]
  const width = b.length + 1
  // The number of common words from one place in each list to their ends.
  const common = new Uint16Array((a.length + 1) * width)
  const at = (i: number, j: number): number => common[i * width + j] ?? 0
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      common[i * width + j] = isSame(a[i], b[j]) ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  const kept = { a: new Set<A | undefined>(), b: new Set<A | undefined>() }
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (isSame(a[i], b[j])) {
      kept.a.add(a[i++])
      kept.b.add(b[j++])
    } else if (at(i + 1, j) >= at(i, j + 1)) i++
    else j++
  }
  return [a.filter((each) => !kept.a.has(each)), b.filter((each) => !kept.b.has(each))]
}
