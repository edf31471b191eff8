import { afterAll, describe, expect, test } from "bun:test"
import { Effect, Layer, ManagedRuntime } from "effect"
import * as fc from "fast-check"
import type { SqlClient } from "effect/sql"
import type { Language } from "../../../src/text/Language.ts"
import { spacedWords } from "../../../src/text/Words.ts"
import { tsvectors } from "../../../src/storage/sql/SqlValues.ts"
import { makeTextVectors, type WeightedWords } from "../../../src/storage/search/TextVectors.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { platform, storage } from "../../lib/Layers.ts"
import { bounded } from "../../../src/text/BoundedText.ts"

const runtime = ManagedRuntime.make(Layer.merge(storage, platform))
afterAll(() => runtime.dispose())

const LANGUAGES: ReadonlyArray<Language> = ["english", "german", "turkish", "russian", "arabic", "simple"]

/** The vectors that Postgres makes alone. */
const expected = (sql: SqlClient.SqlClient, language: Language, [title, headings, text]: WeightedWords) =>
  Effect.map(
    sql<{ vector: Uint8Array }>`select tsvectorsend(setweight(to_tsvector(${language}::text::regconfig, ${title}), 'A')
      || setweight(to_tsvector(${language}::text::regconfig, ${headings}), 'B')
      || to_tsvector(${language}::text::regconfig, ${text})) as vector`,
    ([row]) => row?.vector,
  )

/** A vector in the form in which Postgres stores it, with sorted lexemes. */
const received = (sql: SqlClient.SqlClient, made: Uint8Array | undefined) =>
  Effect.map(
    sql<{ vector: Uint8Array }>`select tsvectorsend(vector) as vector
      from unnest(${tsvectors(made === undefined ? [] : [made])}) as vector`,
    ([row]) => row?.vector,
  )

const check = (language: Language, texts: ReadonlyArray<WeightedWords>) =>
  runtime.runPromise(
    Effect.gen(function* () {
      const sql = yield* SystemSql
      const textVectors = makeTextVectors(sql)
      // The second time, all words are known.
      yield* textVectors(language, texts.slice(0, 1))
      const made = yield* textVectors(language, texts)
      for (const [index, text] of texts.entries()) {
        expect((yield* received(sql, made[index]))?.toHex()).toBe((yield* expected(sql, language, text))?.toHex() ?? "")
      }
    }),
  )

describe("a text vector equals the one that Postgres makes of the same words", () => {
  const some =
    "the running of Läufer, готовые İstanbul'da readFile foo_bar 1.5 v1.2.3 10.0.0.1 3e5 1.5abc 日本語テキスト".split(
      " ",
    )
  const word = fc.oneof(fc.constantFrom(...some), fc.string({ unit: "grapheme" }), fc.string({ unit: "binary" }))
  const words = fc.array(word, { maxLength: 60 }).map((list) => list.join(" "))

  for (const language of LANGUAGES) {
    test(`in ${language}`, () =>
      fc.assert(
        fc.asyncProperty(fc.array(fc.tuple(words, words, words), { minLength: 1, maxLength: 4 }), (texts) =>
          check(
            language,
            texts.map(([title, headings, text]) => [
              spacedWords(bounded(title), language),
              spacedWords(bounded(headings), language),
              spacedWords(bounded(text), language),
            ]),
          ),
        ),
        { numRuns: 40 },
      ))
  }

  test("beyond the limits of 255 places of a word and 16,383 places in all", async () => {
    const many = (word: string, times: number) => Array.from({ length: times }, () => word).join(" ")
    const numbered = (times: number) => Array.from({ length: times }, (_, index) => `w${index}`).join(" ")
    await check("english", [
      [many("fox", 300), "", ""],
      ["fox", "fox", many("fox", 300)],
      [many("fox", 200), many("fox", 100), "fox"],
      ["title", "", `${numbered(16_400)} end end w1`],
      [`${numbered(16_380)} the`, "one two three four five six", "seven one"],
    ])
  })

  test("with words so long that Postgres omits them", () =>
    check("simple", [["x".repeat(2_100), "", `before ${"y".repeat(3_000)} after`]]))
})
