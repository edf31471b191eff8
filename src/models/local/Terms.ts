/** The least number of letters at the beginning that two similar words share. */
const SHARED_MIN = 4

/** The words of a question, which it finds in texts. */
export class Terms {
  readonly words: ReadonlyArray<string>
  /** The words by their beginnings, since words with different beginnings are not similar. */
  private readonly byStart: ReadonlyMap<string, ReadonlyArray<string>>
  private readonly cache = new Map<string, ReadonlyArray<string>>()

  constructor(words: ReadonlyArray<string>) {
    this.words = [...new Set(words)]
    this.byStart = Map.groupBy(this.words, startOf)
  }

  /** The words of the question that are similar to any of `words`. */
  in(words: ReadonlyArray<string>): ReadonlySet<string> {
    return new Set(words.flatMap((word) => this.similarTo(word)))
  }

  private similarTo(word: string): ReadonlyArray<string> {
    const cached = this.cache.get(word)
    if (cached !== undefined) return cached
    const similar = (this.byStart.get(startOf(word)) ?? []).filter((term) => isSimilar(word, term))
    this.cache.set(word, similar)
    return similar
  }
}

const startOf = (word: string): string => word.slice(0, SHARED_MIN)

/** Whether words are equal, or probably forms of one word: they share most of the letters of the longer one. */
const isSimilar = (a: string, b: string): boolean => {
  if (a === b) return true
  const longer = Math.max(a.length, b.length)
  let shared = 0
  while (shared < a.length && shared < b.length && a[shared] === b[shared]) shared++
  return shared >= SHARED_MIN && shared >= 0.6 * longer
}
