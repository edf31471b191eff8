import { Schema } from "effect"
import { LIKELY_SIMILARITY, type PassageJson, Passages } from "../domain/knowledge/Passage.ts"

/*
 * How passages look to language models. They see what helps them to judge and to name a passage: its title, section,
 * similarity and text, in this order, and no ids.
 */

/** Meaning of the similarity of a passage, in the words in which models read it. */
export const similarityMeaning = `Every passage has a similarity: the share of the query's information that it holds, 0–1. Below ${LIKELY_SIMILARITY} a passage mostly has only some words in common with the query.`

const isPassageList = Schema.is(Passages)

/** Whether a tool's result is a list of passages. An empty list is not: it may be the result of any tool. */
export const isPassages = (result: unknown): result is ReadonlyArray<PassageJson> =>
  isPassageList(result) && result.length > 0

/** The title of a passage with the headings above it, outermost first: `Handbook > Refunds > Students`. */
export const titleWithSection = ({ section, title }: PassageJson): string =>
  section === undefined ? title : `${title} > ${section}`

/** The similarity of a passage with two digits, because more of them mean nothing. */
export const shownSimilarity = ({ similarity }: PassageJson): number | undefined =>
  similarity === undefined ? undefined : Math.round(similarity * 100) / 100

/** Passages as JSON, for models whose requests have no form of their own for search results. */
export const passagesText = (passages: ReadonlyArray<PassageJson>): string =>
  JSON.stringify(
    passages.map((passage) => ({
      title: passage.title,
      section: passage.section,
      approved: passage.approved,
      similarity: shownSimilarity(passage),
      content: passage.content,
    })),
  )
