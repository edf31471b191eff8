import type { PassageJson } from "../../domain/Passage.ts"
import { closest } from "./Phrases.ts"
import type { Answer } from "./Conversation.ts"
import { answerFromTables } from "./tables/Tables.ts"
import { leadingSentences, type Selection, selectSentences } from "./Sentences.ts"

/** Answers a question with sentences, or rows of a table, of passages. Undefined when there are no passages. */
export const answerTo = (question: string, passages: ReadonlyArray<PassageJson>): Answer | undefined => {
  if (passages.length === 0) return undefined
  const cells = answerFromTables(question, passages)
  if (cells !== undefined) return { text: `${cells.text} (${cells.quotes[0]?.passage.title})`, quotes: cells.quotes }
  const selected = selectSentences(question, passages)
  return selected.length > 0 ? quoting([], selected) : quoting([closest], leadingSentences(passages))
}

const quoting = (before: ReadonlyArray<string>, selected: ReadonlyArray<Selection>): Answer => ({
  text: [...before, ...selected.map(paragraph)].join("\n\n"),
  quotes: selected.flatMap(({ sentences }) => sentences),
})

const paragraph = ({ isTable, sentences, title }: Selection): string => {
  const texts = sentences.map(({ text }) => text)
  const areSentences = !isTable && texts.every((text) => /[.!?…。！？؟।][\p{Pe}\p{Pf}"']*$/u.test(text))
  if (!areSentences) return `${texts.map((text) => `- ${text}`).join("\n")}\n(${title})`
  return `${texts.join(" ").replaceAll(/(?<=[。！？]) /g, "")} (${title})`
}
