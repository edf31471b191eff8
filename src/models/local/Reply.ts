import { type PassageJson, QUERY_MAX_LENGTH } from "../../domain/knowledge/Passage.ts"
import { languageOfReply } from "../../language/Detection.ts"
import { type SearchText, searchTextsOf } from "../../language/messages/SearchText.ts"
import { asksForHuman } from "../../language/messages/HumanWish.ts"
import { type SmallTalk, smallTalkKinds } from "../../language/messages/SmallTalk.ts"
import { bounded, type BoundedText } from "../../text/BoundedText.ts"
import type { Replies } from "../../language/Locale.ts"
import { locales, type SpokenLanguage } from "../../language/Locales.ts"
import { tokensOf } from "../../language/words/PhraseBook.ts"
import { noAnswerMark } from "../NoAnswer.ts"
import type { DocumentTitles } from "../ToolDeclaration.ts"
import { answerTo, type Candidate } from "./Answer.ts"
import type { Answer, Conversation, Reply, SearchResult } from "./Conversation.ts"
import { nearby } from "./Nearby.ts"
import { read } from "./Reading.ts"
import { keysOf, plainTerms, sum } from "./Terms.ts"

/*
 * Decides what `local/extractive` does next: it replies by itself, searches, or answers with what was found.
 */

/** Decides the next step of a conversation. */
export const replyTo = (conversation: Conversation): Reply => {
  const { before, found, hasFiles, isFirst, maySearch, name, question } = conversation
  if (hasFiles && question.trim() === "") return saying(phrase(languageOf(conversation), "filesUnseen"))
  if (conversation.isRequested) return saying(phrase(languageOf(conversation), "human"))
  const smallTalk = smallTalkKinds(question, { name, isFirst })
  if (smallTalk.length > 0) return replyToSmallTalk(smallTalk, conversation)
  if (conversation.mayRequest && asksForHuman(question)) return { human: "The user asks for a person." }
  if (tokensOf(question).length === 0) return saying(phrase(languageOf(conversation), "ask"))
  const texts = searchTextsOf(question, before, { maxLength: QUERY_MAX_LENGTH, name })
  const results = found.filter((result) => result !== "failed")
  // Similarities are those to the text that was searched for, and mislead about a text before it. More searches than
  // there are texts are those of another model, which this one stands in for.
  const answers = found.flatMap((result, at) =>
    result === "failed"
      ? []
      : texts.slice(Math.min(at, texts.length - 1)).flatMap((text) => answerFrom(result, text) ?? []),
  )
  const sure = answers.find(({ isThin }) => !isThin)
  if (sure !== undefined) return sure
  const query = texts[found.length]?.text
  if (maySearch && query !== undefined) return { query }
  const [thin] = answers
  if (thin !== undefined) return { ...thin, text: `${phrase(languageOf(conversation), "closest")}\n\n${thin.text}` }
  return results.length === 0 && found.length > 0
    ? saying(`${noAnswerMark} ${phrase(languageOf(conversation), "searchFailed")}`)
    : nothingFound(conversation, results)
}

const saying = (...texts: ReadonlyArray<string>): Answer => ({
  // No space follows the end of a sentence in Chinese and Japanese.
  text: texts.join("\n\n").replaceAll(/(?<=[。！？]) /gu, ""),
  quotes: [],
})

type Passages = Exclude<SearchResult, "failed">

/** Answers a text with an answer that holds the words that are needed. */
const answerFrom = ({ likely }: Passages, { needed, share, text }: SearchText): Candidate | undefined => {
  const terms = plainTerms(needed)
  const total = sum(terms.all.map(({ weight }) => weight))
  const hold = (texts: ReadonlyArray<string>) => {
    const held = terms.in(texts.flatMap((each) => keysOf(bounded(each))))
    return held.size > 0 && sum(Array.from(held.keys(), (term) => terms.all[term]?.weight ?? 0)) >= share * total
  }
  const isHolder = ({ content, section = "", title }: PassageJson) => hold([title, section, content])
  const answer = answerTo(text, read(needed.length === 0 ? likely : likely.filter(isHolder)))
  const around = answer?.quotes.flatMap(({ passage: { section = "", title } }) => [title, section]) ?? []
  return answer === undefined || needed.length === 0 || hold([answer.text, ...around]) ? answer : undefined
}

/**
 * The language of the question, or otherwise that of what was found, of the conversation before it, of the documents, or
 * of the widget.
 */
const languageOf = ({ before, documents, found, language, question }: Conversation): SpokenLanguage => {
  const passages = found.flatMap((result) => (result === "failed" ? [] : passagesIn(result)))
  const titles = documents === undefined || documents === "failed" ? [] : [documents.titles.join("\n")]
  const others = [...passages.map(({ content }) => bounded(content)), ...before, ...titles.map((text) => bounded(text))]
  return languageOfReply(question, others, language)
}

const passagesIn = ({ likely, others }: Passages): ReadonlyArray<PassageJson> => [...likely, ...others]

/** Says that nothing was found, and what is near. Without a single passage, the documents are listed first. */
const nothingFound = (conversation: Conversation, results: ReadonlyArray<Passages>): Reply => {
  const { documents, mayList, name, question } = conversation
  const language = languageOf(conversation)
  const passages = results.flatMap(passagesIn)
  if (isAbout(question, name)) return saying(phrase(language, "about", name))
  if (conversation.mayRequest && conversation.foundNothingBefore) return { human: "not_found" }
  if (passages.length === 0 && mayList && documents === undefined) return "list"
  if (documents !== undefined && documents !== "failed" && documents.total === 0) {
    return saying(`${noAnswerMark} ${phrase(language, "noDocuments")}`)
  }
  const names = nearby(question, passages)
  const sorry = `${noAnswerMark} ${phrase(language, "nothingFound")}`
  return names.length === 0
    ? saying(sorry)
    : saying(
        `${sorry} ${phrase(language, "didYouMean", new Intl.ListFormat(language, { type: "disjunction" }).format(names))}`,
      )
}

/** The most words of a question for the chatbot besides its name, as in `Who is Ada?`. */
const WORDS_BESIDE_NAME = 3

const isAbout = (question: BoundedText, name: BoundedText): boolean => {
  const names = tokensOf(name)
  const words = tokensOf(question)
  const isNamed = names.length > 0 && names.every((word) => words.includes(word))
  return isNamed && words.length <= names.length + WORDS_BESIDE_NAME
}

/** Replies to each kind of small talk in a message: first to greetings and thanks, and last to a goodbye. */
const replyToSmallTalk = (kinds: ReadonlyArray<SmallTalk>, conversation: Conversation): Reply => {
  const { documents, mayList, name } = conversation
  const language = languageOf(conversation)
  const has = (kind: SmallTalk) => kinds.includes(kind)
  if (has("documents") && documents === undefined && mayList) return "list"
  const sentences = [
    ...(has("greeting") ? [phrase(language, "hello")] : []),
    ...(has("thanks") ? [phrase(language, "welcome")] : []),
    ...(kinds[0] === "greeting" ? [phrase(language, "ask")] : []),
    ...(has("about") || has("documents") ? [phrase(language, "about", name)] : []),
    ...(has("goodbye") ? [phrase(language, "goodbye")] : []),
  ].join(" ")
  if (!has("documents") || documents === undefined || documents === "failed") return saying(sentences)
  return saying(sentences, documents.total === 0 ? phrase(language, "noDocuments") : titleList(language, documents))
}

/** A phrase in a language, with a value in place of its `{}`. */
const phrase = (language: SpokenLanguage, name: keyof Replies, value = ""): string =>
  // A function, because a replacement text may hold special patterns such as `$&`.
  locales[language].replies[name].replace("{}", () => value)

/** The most titles that are named. */
const TITLES_MAX = 8

/** The titles of documents as a list, and the number of those that it leaves out. */
const titleList = (language: SpokenLanguage, { titles, total }: DocumentTitles): string => {
  const named = titles.slice(0, TITLES_MAX)
  const others = total - named.length
  return [
    phrase(language, "documents"),
    ...named.map((title) => `- ${title.replaceAll(/\s+/g, " ")}`),
    ...(others > 0 ? [phrase(language, "more", String(others))] : []),
  ].join("\n")
}
