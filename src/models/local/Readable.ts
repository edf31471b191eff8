import { bounded } from "../../text/BoundedText.ts"
import { functionBook, type Role } from "../../languages/messages/Books.ts"
import { tokensOf } from "../../text/PhraseBook.ts"
import type { Answer } from "./Conversation.ts"
import { languageOf } from "./Evidence.ts"
import { isQuestion, type Sentence, SENTENCE_END } from "./Reading.ts"

/*
 * Words sentences as an answer that can be read by itself: one that leans on what stands before it is quoted together
 * with that, or after the name of what it is about.
 */

/** The longest sentence that is quoted because the next one needs it, in UTF-16 code units. */
const BEFORE_MAX_LENGTH = 240

/** Quotes sentences, those of each document as a paragraph with its title. */
export const paragraphsOf = (sentences: ReadonlyArray<Sentence>): Answer => {
  const documents = Map.groupBy(sentences, ({ passage }) => passage.document_id)
  const paragraphs = Array.from(documents.values(), paragraphOf)
  return {
    text: paragraphs.map(({ text }) => text).join("\n\n"),
    quotes: paragraphs.flatMap(({ quotes }) => quotes),
  }
}

/** Quotes sentences of one document: an item of a list under the line that announces it, others as running text. */
const paragraphOf = (sentences: ReadonlyArray<Sentence>): Answer => {
  const quoted: Array<Sentence> = []
  const texts: Array<string> = []
  let announcement = ""
  for (const sentence of sentences) {
    const above = sentence.list?.announcement ?? ""
    if (above !== "" && above !== announcement) texts.push(`${above.replace(/\s*[:：]?$/, "")}:`)
    announcement = above
    const follows = sentence.before !== undefined && sentence.before === quoted.at(-1)
    const { sentences: own, text } = follows ? { text: sentence.text, sentences: [sentence] } : readable(sentence)
    texts.push(above === "" && SENTENCE_END.test(text) ? text : `- ${text}`)
    quoted.push(...own)
  }
  const title = `(${sentences[0]?.passage.title ?? ""})`
  const isText = texts.every((text) => SENTENCE_END.test(text) && !text.startsWith("- "))
  return {
    text: isText
      ? `${texts.join(" ").replaceAll(/(?<=[。！？]) /g, "")} ${title}`
      : [...texts.map((text) => (/[:：]$|^- /u.test(text) ? text : `- ${text}`)), title].join("\n"),
    quotes: quoted.map(({ passage, text }) => ({ passage, text })),
  }
}

/** Makes a sentence readable that does not follow the one before it. */
const readable = (sentence: Sentence): { readonly text: string; readonly sentences: ReadonlyArray<Sentence> } => {
  const { before, lead, passage, text } = sentence
  const { heading } = lead
  const subject = heading === "" ? passage.title : heading.replace(/[:：]$/, "")
  if (!leans(sentence)) return { text, sentences: [sentence] }
  if (before !== undefined && before.text.length <= BEFORE_MAX_LENGTH && !leans(before)) {
    return { text: `${before.text} ${text}`, sentences: [before, sentence] }
  }
  // What a question asks about is what its answer is about.
  return { text: `${subject}${isQuestion(subject) ? "" : ":"} ${text}`, sentences: [sentence] }
}

/** Things that are named one after the other, of which the heading tells what they are. */
const LISTING = /^[^;]{1,200};[^;]{1,200};/

/** Whether a sentence only names things, or begins with a word that joins it to the one before, or stands for something. */
const leans = ({ passage, text }: Sentence): boolean => {
  if (LISTING.test(text)) return true
  const language = languageOf(passage)
  const first = functionBook.at(tokensOf(bounded(text)), 0, (meaning) => meaning.language === language)
  const does = (role: Role) => first?.meanings.some((meaning) => meaning.role === role) === true
  return (does("joins") || does("pronouns")) && !does("others") && !does("questions")
}
