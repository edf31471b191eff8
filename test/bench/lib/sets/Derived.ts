import type { RetrievalSet } from "../RetrievalSet.ts"
import { digest } from "../Halves.ts"
import { sampled } from "./Sample.ts"

/*
 * Makes sets of other kinds of questions from those of a public set: a ranking that was fitted to natural questions has
 * to serve titles, claims, long questions and single words too.
 */

/** The number of questions in a derived set. */
const QUESTIONS = 400

const judged = (pairs: ReadonlyArray<readonly [string, string]>): RetrievalSet["judgements"] =>
  new Map(pairs.map(([question, passage]) => [question, new Map([[passage, 1]])]))

/** Asks for each passage by its title, which is taken out of the passage. */
export const titles = (set: RetrievalSet): RetrievalSet => {
  const passages = set.passages.map(({ id, title, text }) => ({
    id,
    title: "",
    text: text.startsWith(title) ? text.slice(title.length) : text,
  }))
  const asked = sampled(
    set.passages.filter(({ title, text }) => title !== "" && text.length > 2 * title.length),
    QUESTIONS,
  )
  return {
    ...set,
    name: `${set.name} titles`,
    passages,
    questions: asked.map(({ id, title }) => ({ id, text: title })),
    judgements: judged(asked.map(({ id }) => [id, id])),
  }
}

const SENTENCE = /[^.!?。！？؟]+(?:[.!?؟]+["”»)]*(?:\s+|$)|[。！？]+[”」]*)/gu
/** The least characters of a sentence that is a claim. */
const CLAIM_CHARACTERS = 50

/** Asks for a passage by one of its sentences, which is taken out of the passage. */
export const claims = (set: RetrievalSet): RetrievalSet => {
  const claimOf = new Map<string, string>()
  for (const { id, text } of sampled(set.passages, QUESTIONS)) {
    const sentences = (text.match(SENTENCE) ?? []).filter((sentence) => sentence.length >= CLAIM_CHARACTERS)
    const claim = sentences[digest(id) % Math.max(1, sentences.length)]
    if (sentences.length >= 3 && claim !== undefined) claimOf.set(id, claim)
  }
  return {
    ...set,
    name: `${set.name} claims`,
    passages: set.passages.map((passage) => ({
      ...passage,
      text: passage.text.replace(claimOf.get(passage.id) ?? "", ""),
    })),
    questions: Array.from(claimOf, ([id, text]) => ({ id, text: text.trim() })),
    judgements: judged(Array.from(claimOf.keys(), (id) => [id, id])),
  }
}

/** Asks two questions at once, which different passages answer. */
export const joined = (set: RetrievalSet): RetrievalSet => {
  const asked = sampled(set.questions, QUESTIONS)
  const pairs = asked.flatMap((first, index) => {
    const second = asked[(index + 1) % asked.length]
    return second === undefined ? [] : [{ id: `${first.id} ${second.id}`, first, second }]
  })
  return {
    ...set,
    name: `${set.name} joined`,
    questions: pairs.map(({ id, first, second }) => ({ id, text: `${first.text} ${second.text}` })),
    judgements: new Map(
      pairs.map(({ id, first, second }) => [
        id,
        new Map([...(set.judgements.get(first.id) ?? []), ...(set.judgements.get(second.id) ?? [])]),
      ]),
    ),
  }
}

const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]{2,}/gu
const wordsOf = (text: string, language: string): ReadonlySet<string> =>
  new Set((language === "turkish" ? text.toLocaleLowerCase("tr") : text.toLowerCase()).match(WORD))

/** Asks with the best words of a question alone: rare words that the passages which answer it have. */
export const fewWords = (set: RetrievalSet, count: 1 | 2): RetrievalSet => {
  const words = new Map(set.passages.map(({ id, title, text }) => [id, wordsOf(`${title} ${text}`, set.language)]))
  const frequencies = new Map<string, number>()
  for (const found of words.values()) for (const word of found) frequencies.set(word, (frequencies.get(word) ?? 0) + 1)
  const questions = set.questions.flatMap(({ id, text }) => {
    const relevant = Array.from(set.judgements.get(id)?.keys() ?? [])
    const worth = (word: string): number =>
      relevant.filter((passage) => words.get(passage)?.has(word)).length *
      Math.log(words.size / (frequencies.get(word) ?? words.size))
    const best = Array.from(wordsOf(text, set.language))
      .filter((word) => worth(word) > 0)
      .sort((left, right) => worth(right) - worth(left))
      .slice(0, count)
    return best.length === count ? [{ id, text: best.join(" ") }] : []
  })
  const asked = sampled(questions, QUESTIONS)
  return {
    ...set,
    name: `${set.name} ${count === 1 ? "one word" : "two words"}`,
    questions: asked,
    judgements: new Map(asked.map(({ id }) => [id, set.judgements.get(id) ?? new Map()])),
  }
}
