import { createHash } from "node:crypto"
import type { Pair } from "../domain/knowledge/Question.ts"
import { languageOfReply } from "../language/Detection.ts"
import { locales } from "../language/Locales.ts"
import { questionWords } from "../language/messages/QuestionWords.ts"
import type { QuestionContent, Questions } from "../storage/sources/Questions.ts"
import { bounded, type BoundedText, MESSAGE_MAX_LENGTH } from "../text/BoundedText.ts"
import { questionForm } from "../language/words/QuestionForm.ts"

/** A hash of the normalized form of a question, since an index holds no long texts. */
const hashed = (question: BoundedText): string => createHash("sha256").update(questionForm(question)).digest("hex")

/** What a question and its variants are recognized by, each once, the question first. */
export const recognizedBy = ({ answer, question, variants }: Pair): Pick<QuestionContent, "forms" | "language"> => {
  const texts = [question, ...variants].map((text) => bounded(text, MESSAGE_MAX_LENGTH))
  // Few questions are so long that their own words show the language.
  const spoken = languageOfReply(bounded(texts.join("\n"), MESSAGE_MAX_LENGTH), [bounded(answer)])
  const forms = new Map(texts.map((text) => [hashed(text), questionWords(text, spoken)]))
  return { language: locales[spoken].stemmer, forms: Array.from(forms, ([form, words]) => ({ form, words })) }
}

/**
 * What the last message of a conversation is recognized by.
 *
 * @param texts what it asks, in several wordings, the one without greetings first
 * @param before the messages before it
 */
export const asked = (
  texts: readonly [BoundedText, ...ReadonlyArray<BoundedText>],
  before: ReadonlyArray<BoundedText>,
): Parameters<Questions["Service"]["answerTo"]>[1] => {
  const spoken = languageOfReply(texts[0], before)
  return { forms: texts.map(hashed), language: locales[spoken].stemmer, words: questionWords(texts[0], spoken) }
}
