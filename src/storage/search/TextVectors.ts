import { Array as Arr, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { inTurns } from "../../system/InTurns.ts"
import type { Language } from "../../text/Language.ts"
import { Lexicon, type Word } from "./Lexicon.ts"
import { decodeRows } from "../Rows.ts"

/** Words with single spaces between them: of a title (weight A), of headings (weight B), and of the text itself. */
export type WeightedWords = readonly [title: string, headings: string, text: string]

/** All words of a language are forgotten once their length together exceeds this, which is about 10 MB of memory. */
const MAX_CHARACTERS = 256 * 1_024

/** Postgres analyses this many words in one statement, so that other requests can run between two. */
const WORDS_PER_TURN = 250

const decodeAnalyses = decodeRows(Schema.Struct({ analyses: Schema.Array(Schema.Uint8Array) }))

/**
 * Makes the binary form of `setweight(to_tsvector(title), 'A') || setweight(to_tsvector(headings), 'B') ||
 * to_tsvector(text)`, equal to the bit. Postgres analyses each word only once: finding the words of texts and stemming
 * them took half of the time of storing a chunk (measured).
 */
export const makeTextVectors = (sql: SqlClient.SqlClient) => {
  const lexicons = new Map<Language, Lexicon>()

  const lexiconOf = (language: Language): Lexicon => {
    const known = lexicons.get(language)
    if (known !== undefined && known.characters <= MAX_CHARACTERS) return known
    const made = new Lexicon()
    lexicons.set(language, made)
    return made
  }

  const learn = Effect.fnUntraced(function* (lexicon: Lexicon, language: Language, words: ReadonlyArray<Word>) {
    const [row] = yield* decodeAnalyses(sql`
      select array(
        select tsvectorsend(to_tsvector(${language}::text::regconfig, word || ${Lexicon.afterWord}))
        from unnest(${words.map(({ name }) => name)}::text[]) with ordinality as words (word, number) order by number
      ) as analyses`)
    for (const [index, analysis] of (row?.analyses ?? []).entries()) {
      const word = words[index]
      if (word !== undefined) lexicon.learn(word, analysis)
    }
  })

  return Effect.fnUntraced(function* (language: Language, texts: ReadonlyArray<WeightedWords>) {
    const lexicon = lexiconOf(language)
    const read = yield* inTurns(texts, (parts) => parts.map((words) => lexicon.read(words)))
    const unknown = new Set<Word>()
    for (const parts of read) {
      for (const words of parts) for (const word of words) if (!word.isKnown) unknown.add(word)
    }
    for (const words of Arr.chunksOf(unknown, WORDS_PER_TURN)) yield* learn(lexicon, language, words)
    return yield* inTurns(read, (parts) => lexicon.vectorOf(parts))
  })
}
