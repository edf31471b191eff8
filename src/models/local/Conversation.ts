import type { PassageJson } from "../../domain/Passage.ts"

/** A message of a conversation. */
export interface Turn {
  readonly role: "user" | "assistant"
  readonly text: string
}

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
  /** The last message of the user. */
  readonly question: string
  /** The messages before it, oldest first. */
  readonly before: ReadonlyArray<Turn>
  /** What was found for the question; undefined before the search. */
  readonly found: SearchResult | undefined
  /** Whether the knowledge base may be searched with a tool. */
  readonly maySearch: boolean
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

/** The next step: an answer, or a search with a query. */
export type Reply = Answer | { readonly query: string }
