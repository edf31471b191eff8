import type { Language } from "./Language.ts"

/** The function words of a language, by what they do in a short message: words and phrases between commas. */
export interface FunctionWords {
  /** Beginnings that continue a conversation, such as `and` and `what about`. */
  readonly joins: string
  readonly questions: string
  /** Nouns that ask for a property of what was said before, as in `and the price?`. */
  readonly attributes: string
  /** Words that stand for something that was said before. */
  readonly pronouns: string
  /** Auxiliary verbs and other verbs that say little. */
  readonly verbs: string
  /** Prepositions, articles, conjunctions, adverbs and forms of address. */
  readonly others: string
}

/** At most a dozen phrases of each kind, between commas, that people write besides questions. */
export interface SmallTalkPhrases {
  readonly greeting: string
  readonly thanks: string
  readonly goodbye: string
  /** Questions about who the chatbot is. */
  readonly about: string
  /** Questions about what the chatbot knows. */
  readonly documents: string
  /** Phrases that accompany the others without saying anything else. */
  readonly courtesy: string
  /** Phrases that decline to give the e-mail address. */
  readonly refusal: string
}

/** The words of a language that questions have, separated by commas. */
export interface QuestionWords {
  /** Words and phrases that only ask or compare, beside those of `FunctionWords`: an answer has none of them. */
  readonly asks: string
  /** Words that deny. */
  readonly not: string
  /**
   * Words and phrases that make no difference between two questions, such as articles. None that denies, counts or says
   * where, when or whose is among them. Without this list, questions are the same only where their words are.
   */
  readonly silent?: string
  /** Beginnings of questions that all ask for a way. */
  readonly how?: string
}

/** The words of a language by which the sentences of a reply are compared with passages: words and phrases between commas. */
export interface ClaimWords {
  /** The numbers from 0 to 20, the tens to 90, 100 and 1000; forms of one number between slashes. */
  readonly numerals: string
  /** Words that deny, beside those of `QuestionWords`. */
  readonly denials: string
  /** Words that limit, such as `only`: a sentence with one says the same with and without a denial. */
  readonly limits: string
}

/** Sentences that `local/extractive` says by itself. */
export interface Replies {
  readonly hello: string
  readonly ask: string
  readonly welcome: string
  readonly goodbye: string
  /** Its introduction. `{}` stands for the name of the chatbot. */
  readonly about: string
  /** Announces a list of titles. */
  readonly documents: string
  /** Ends a list of titles. `{}` stands for the number of the others. */
  readonly more: string
  readonly noDocuments: string
  readonly nothingFound: string
  /** Announces passages that hardly answer a question. */
  readonly closest: string
  readonly searchFailed: string
  /** Answers a message that is a file and no words. */
  readonly filesUnseen: string
  /** `{}` stands for the places nearby. */
  readonly didYouMean: string
  /** Announces a person. */
  readonly human: string
}

/**
 * Everything that the server says or recognizes in one language. The texts of the chat widget stand beside it in the
 * file of the language, as `widget`, in the languages that the widget speaks.
 */
export interface Locale {
  /** The stemmer of the language; `simple` where there is none, and `english` for scripts without spaces. */
  readonly stemmer: Language
  /** Matches a word with a letter or an ending that few other languages of its script have. */
  readonly spelling?: RegExp
  readonly functionWords: FunctionWords
  readonly smallTalk: SmallTalkPhrases
  /** Phrases that ask for a person, between commas. One of a single word asks for one where nothing else is said. */
  readonly human: string
  readonly asking: QuestionWords
  /** Without them, no number that is written out is compared. */
  readonly claims?: ClaimWords
  readonly replies: Replies
  /** The question for the user's e-mail address. */
  readonly emailRequest: string
  /** The page in place of a chat that does not exist or is not public. */
  readonly noChat: string
  /** The page in place of one that the server cannot show for a moment. */
  readonly notNow: string
}
