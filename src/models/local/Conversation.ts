import type { PassageJson } from "../../domain/knowledge/Passage.ts"
import type { SpokenLanguage } from "../../language/Locales.ts"
import type { BoundedText } from "../../text/BoundedText.ts"
import type { DocumentTitles } from "../ToolDeclaration.ts"

/** The passages that a search found, or `failed` when the knowledge base could not be searched. */
export type SearchResult =
  | "failed"
  | {
      /** The passages that probably bear on the question, best first. */
      readonly likely: ReadonlyArray<PassageJson>
      /** Passages that share some words with the question, probably by chance. */
      readonly others: ReadonlyArray<PassageJson>
    }

/** A conversation as `local/extractive` sees it. */
export interface Conversation {
  /** The name of the chatbot. */
  readonly name: BoundedText
  /** The language of its widget, where that is set. */
  readonly language: SpokenLanguage | undefined
  /** The last message of the user. */
  readonly question: BoundedText
  /** Whether files were sent with it, which this model does not read. */
  readonly hasFiles: boolean
  /** Whether it is the first message of the conversation. */
  readonly isFirst: boolean
  /** The messages of the user before it, the last one first. */
  readonly before: ReadonlyArray<BoundedText>
  /** Results of the searches for the question so far, in order. */
  readonly found: ReadonlyArray<SearchResult>
  /** The documents of the chatbot; undefined while they were not listed. */
  readonly documents: DocumentTitles | "failed" | undefined
  /** Whether the knowledge base may be searched with a tool. */
  readonly maySearch: boolean
  /** Whether a person may be asked for with a tool. */
  readonly mayRequest: boolean
  /** Whether a person was asked for. */
  readonly isRequested: boolean
  /** Whether the reply before, if it was the chatbot's own, found nothing. */
  readonly foundNothingBefore: boolean
  /** Whether the documents may be listed with a tool. */
  readonly mayList: boolean
}

/** A sentence, or a row of a table, with the passage that it is from. */
export interface Quote {
  readonly text: string
  readonly passage: PassageJson
}

/** A text with the sentences of passages that it quotes. */
export interface Answer {
  readonly text: string
  readonly quotes: ReadonlyArray<Quote>
}

/** The next step: an answer, a search with a query, a wish for a person with its reason, or the list of documents. */
export type Reply = Answer | { readonly query: string } | { readonly human: string } | "list"
