import { findEmail } from "../../../src/domain/chat/EmailAddress.ts"
import { languageOfReply } from "../../../src/language/Detection.ts"
import { searchTextsOf } from "../../../src/language/messages/SearchText.ts"
import { smallTalkKinds } from "../../../src/language/messages/SmallTalk.ts"
import { slugOf } from "../../../src/domain/chatbot/Slug.ts"
import { displayName } from "../../../src/domain/knowledge/Document.ts"
import { embedLocally } from "../../../src/embeddings/LocalEmbedding.ts"
import { chunk } from "../../../src/readers/chunk/Chunker.ts"
import { cleanTitle, normalizeText, titleOfFile } from "../../../src/readers/extract/Text.ts"
import { Stems } from "../../../src/knowledge/search/Stems.ts"
import { answerTo } from "../../../src/models/local/Answer.ts"
import { nearby } from "../../../src/models/local/Nearby.ts"
import { read } from "../../../src/models/local/Reading.ts"
import { replyTo } from "../../../src/models/local/Reply.ts"
import { bounded, MESSAGE_MAX_LENGTH } from "../../../src/text/BoundedText.ts"
import { detectLanguage } from "../../../src/language/Detection.ts"
import { linesOf } from "../../../src/text/Lines.ts"
import { wordsOf } from "../../../src/language/words/UnicodeWords.ts"
import { spacedWords } from "../../../src/language/words/Words.ts"

/*
 * What is done with the texts of callers, each function by itself, so that a slow one is named.
 */

/** The length of the longest message, in UTF-16 code units. */
const LENGTH = 32_000
/** The earlier messages of a conversation. */
const TURNS = 10

const message = (text: string) => bounded(text, MESSAGE_MAX_LENGTH)

const passage = (content: string) => ({ title: "Title", chunk: 1, content, document_id: "d" })

/** The turns of a conversation, each of another part of a text. */
const turnsOf = (text: string) =>
  Array.from({ length: TURNS }, (_, index) => message(text.slice((index * LENGTH) / TURNS).slice(0, 2_000)))

const short = (text: string) => text.slice(0, 600)

const hours = passage("# Hours\n\nWe are open from nine to five. | a | b |\n|---|---|\n| One | Two |")

const conversation = (text: string, question: string) => ({
  name: message(text),
  language: undefined,
  question: message(question),
  hasFiles: false,
  isFirst: false,
  before: turnsOf(text),
  found: [{ likely: [hours, passage(text.slice(0, 2_000))], others: [] }],
  documents: undefined,
  maySearch: true,
  mayList: true,
  mayRequest: true,
  isRequested: false,
  foundNothingBefore: false,
})

/** The functions by what they do, with the length of the texts that they are given. */
export const functions: Readonly<Record<string, readonly [work: (text: string) => unknown, length: number]>> = {
  "making a text fit for analysis": [message, LENGTH],
  "finding the words of a message": [(text) => [wordsOf(message(text)), spacedWords(message(text))], LENGTH],
  "finding the sentences of a message": [(text) => linesOf(message(text)), LENGTH],
  "finding the language of a message": [(text) => detectLanguage(message(text)), LENGTH],
  "finding the language of a reply": [(text) => languageOfReply(message(text), turnsOf(text)), LENGTH],
  "recognizing small talk": [(text) => smallTalkKinds(message(text), { name: message(text) }), LENGTH],
  "finding an e-mail address": [findEmail, LENGTH],
  "making a slug, a name and a title": [
    (text) => [slugOf(text), displayName(text), titleOfFile(bounded(text)), cleanTitle(bounded(text))],
    LENGTH,
  ],
  "finding what a short message asks after long ones": [
    (text) => searchTextsOf(message(short(text)), turnsOf(text), { maxLength: 2_000, name: message("") }),
    LENGTH,
  ],
  "finding what a long message asks after short ones": [
    (text) =>
      searchTextsOf(message(text), ["What is a mill?", "and for students?", short(text)].map(message), {
        maxLength: 2_000,
        name: message(text),
      }),
    LENGTH,
  ],
  "finding words whose stems are unknown": [
    (text) =>
      new Stems().unknown(
        [
          { language: "english", texts: 1 },
          { language: "turkish", texts: 1 },
        ],
        message(text),
      ),
    LENGTH,
  ],
  "embedding a message": [(text) => embedLocally(message(text)), LENGTH],
  "answering from passages": [(text) => answerTo(message(text), read([hours, passage(text.slice(0, 2_000))])), LENGTH],
  "finding places near a question": [(text) => nearby(message(text), [hours, passage(text.slice(0, 2_000))]), LENGTH],
  "replying in a conversation": [(text) => replyTo(conversation(text, text.slice(0, 40))), LENGTH],
  "splitting a small document": [(text) => chunk({ title: text.slice(0, 200), text: normalizeText(text) }), LENGTH],
}
