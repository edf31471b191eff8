import { digest } from "./Sample.ts"
import type { RetrievalSet } from "./RetrievalSet.ts"

/** A set with gaps in its knowledge. */
export interface Gaps {
  readonly passages: RetrievalSet["passages"]
  /** The questions about articles of which no passage is left, which are off topic. */
  readonly offTopic: RetrievalSet["questions"]
  /** The questions whose own passages are gone while others of the article are left. */
  readonly nearMisses: RetrievalSet["questions"]
}

/** One in so many articles is removed, and one in so many passages of the others. */
const ARTICLES = 4
const PASSAGES = 5
/** One in so many questions loses its passages where the articles are unknown. */
const QUESTIONS = 6
/** XQuAD has five paragraphs of each article, one after the other. */
const XQUAD_PARAGRAPHS = 5

/** The article of each passage by its id; undefined where passages are not known to be of one article. */
const articlesOf = ({ name, passages }: RetrievalSet): ReadonlyMap<string, string> | undefined => {
  if (name.startsWith("xquad/")) {
    return new Map(passages.map(({ id }, index) => [id, `article ${Math.floor(index / XQUAD_PARAGRAPHS)}`]))
  }
  return name.startsWith("squad-dev") ? new Map(passages.map(({ id, title }) => [id, title])) : undefined
}

/** Removes passages from a set, and sorts out the questions that it can no longer answer. */
export const withGaps = (set: RetrievalSet): Gaps => {
  const articles = articlesOf(set)
  const goldsOf = (question: string): ReadonlyArray<string> => Array.from(set.judgements.get(question)?.keys() ?? [])
  const isArticleGone = (passage: string): boolean =>
    articles !== undefined && digest(articles.get(passage) ?? "") % ARTICLES === 0
  const gone = new Set<string>()
  if (articles === undefined) {
    for (const { id } of set.questions) {
      if (digest(id) % QUESTIONS === 0) for (const passage of goldsOf(id)) gone.add(passage)
    }
  } else {
    for (const { id } of set.passages) if (isArticleGone(id) || digest(id) % PASSAGES === 0) gone.add(id)
  }
  const unanswered = set.questions.filter(({ id }) => goldsOf(id).every((passage) => gone.has(passage)))
  const offTopic = unanswered.filter(({ id }) => goldsOf(id).every(isArticleGone))
  return {
    passages: set.passages.filter(({ id }) => !gone.has(id)),
    offTopic,
    nearMisses: unanswered.filter((question) => !offTopic.includes(question)),
  }
}
