/*
 * Text that looks like language to a search engine: words by Zipf's law, topics that differ between documents. Always
 * the same.
 */

import { random } from "../../lib/Random.ts"

export interface CorpusFile {
  readonly name: string
  readonly text: string
}

const SYLLABLES = "ba ce di fo gu la me ni po ru sa te vi zo na ke li mo tu ra".split(" ")
const COMMON = "the of and to in is for that with as on by are be this from or it an at".split(" ")
const VOCABULARY = 4_000
const WORDS_PER_SENTENCE = 14
const SENTENCES_PER_SECTION = 12

const wordOf = (number: number): string => {
  let word = ""
  for (let rest = number + SYLLABLES.length; rest > 0; rest = Math.floor(rest / SYLLABLES.length)) {
    word += SYLLABLES[rest % SYLLABLES.length]
  }
  return word
}

/** Documents of so many sections each, and one question for each section. */
export const makeCorpus = (documents: number, sections: number) => {
  const draw = random(7)
  const word = (topic: number): string => {
    if (draw() < 0.45) return COMMON[Math.floor(draw() ** 2 * COMMON.length)] ?? "the"
    const place = Math.floor(VOCABULARY ** draw()) - 1
    return wordOf(draw() < 0.5 ? (place + topic * 61) % VOCABULARY : place)
  }
  const sentence = (topic: number): string =>
    Array.from({ length: WORDS_PER_SENTENCE }, () => word(topic)).join(" ") + "."
  const questions: Array<string> = []
  const files = Array.from({ length: documents }, (_, topic): CorpusFile => {
    const text = Array.from({ length: sections }, () => {
      const sentences = Array.from({ length: SENTENCES_PER_SECTION }, () => sentence(topic))
      const known = (sentences[Math.floor(draw() * sentences.length)] ?? "").split(" ")
      questions.push(`How is ${known.slice(3, 10).join(" ")}?`)
      return `## ${word(topic)} ${word(topic)} ${word(topic)}\n\n${sentences.slice(0, 6).join(" ")}\n\n${sentences.slice(6).join(" ")}`
    })
    return { name: `document-${topic + 1}.md`, text: `# Topic ${topic + 1}\n\n${text.join("\n\n")}\n` }
  })
  return { files, questions }
}
