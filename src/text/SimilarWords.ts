/** The least share of the longer one of two similar words that both begin with. */
const SHARE_MIN = 0.6
/** The least number of characters at the beginning of two similar words. */
const LETTERS_MIN = 4
/** The least length of a word that is the beginning of a similar one, and of what words in Hangul or Han share. */
const BEGINNING_MIN = 3
const SYLLABLES_MIN = 2

/** Whether two words in lower case are equal, or probably forms of one word in any language. */
export const isSimilar = (left: string, right: string): boolean => {
  if (left === right) return true
  const [a, b] = [bare(left), bare(right)]
  const isSyllabic = /^[\p{Script=Hangul}\p{Script=Han}]/u.test(a)
  let shared = 0
  while (shared < a.length && shared < b.length && a[shared] === b[shared]) shared++
  if (isSyllabic) return shared >= SYLLABLES_MIN
  if (shared < SHARE_MIN * Math.max(a.length, b.length)) return false
  return shared >= LETTERS_MIN || (shared >= BEGINNING_MIN && shared === Math.min(a.length, b.length))
}

/** A word of Arabic or Hebrew without the article and the prepositions that are written with it. */
const bare = (word: string): string => word.replace(/^(?:[وف]?(?:بال|كال|لل|ال)|[وהולב])(?=\p{L}{3})/u, "")
