/*
 * Text that looks like language to a search engine: words by Zipf's law, as many different ones as people use, of which
 * each document repeats those of its subject. Always the same.
 */

import { random } from "../../lib/Random.ts"

export interface CorpusFile {
  readonly name: string
  readonly text: string
}

const SYLLABLES = "ba ce di fo gu la me ni po ru sa te vi zo na ke li mo tu ra".split(" ")
/** Function words of English, the commonest first. */
const FUNCTION_WORDS =
  "the of and to a in is that for it as was with on be by at this are from or an not have which you but all can will has been their if they when its more only than so no other do where any how before".split(
    " ",
  )
const FUNCTION_SHARE = 0.45
const VOCABULARY = 60_000
/** How many words a document repeats, commoner and rarer ones, and their share of its words. */
const SUBJECT_WORDS = 60
const SUBJECT_SHARE = 0.4

const wordOf = (number: number): string => {
  let word = ""
  for (let rest = number + SYLLABLES.length; rest > 0; rest = Math.floor(rest / SYLLABLES.length)) {
    word += SYLLABLES[rest % SYLLABLES.length]
  }
  return word
}

/** Documents of so many sections each, and one question for each section. A section has some 170 words. */
export const makeCorpus = (documents: number, sections: number) => {
  const draw = random(7)
  const between = (least: number, most: number): number => least + Math.floor(draw() * (most - least + 1))
  /** By Zipf's law, the word of rank n is n times as rare as the first one. */
  const rank = (words: number): number => Math.floor((words + 1) ** draw()) - 1
  const word = (subject: ReadonlyArray<string>): string => {
    if (draw() < FUNCTION_SHARE) return FUNCTION_WORDS[rank(FUNCTION_WORDS.length)] ?? "the"
    return draw() < SUBJECT_SHARE ? (subject[between(0, SUBJECT_WORDS - 1)] ?? "") : wordOf(rank(VOCABULARY))
  }
  const sentence = (subject: ReadonlyArray<string>): string =>
    Array.from({ length: between(5, 23) }, () => word(subject)).join(" ") + "."
  const questions: Array<string> = []
  const files = Array.from({ length: documents }, (_, number): CorpusFile => {
    const subject = Array.from({ length: SUBJECT_WORDS }, () => wordOf(rank(VOCABULARY)))
    const text = Array.from({ length: sections }, () => {
      const sentences = Array.from({ length: between(4, 20) }, () => sentence(subject))
      const words = (sentences[between(0, sentences.length - 1)] ?? "").slice(0, -1).split(" ")
      const from = between(0, Math.max(0, words.length - 5))
      questions.push(`How is ${words.slice(from, from + between(4, 12)).join(" ")}?`)
      const half = sentences.length >> 1
      const heading = `${subject[0]} ${word(subject)} ${word(subject)}`
      return `## ${heading}\n\n${sentences.slice(0, half).join(" ")}\n\n${sentences.slice(half).join(" ")}`
    })
    return { name: `document-${number + 1}.md`, text: `# Topic ${number + 1}\n\n${text.join("\n\n")}\n` }
  })
  return { files, questions }
}
