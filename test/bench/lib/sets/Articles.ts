import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Schema } from "effect"
import { digest } from "../Halves.ts"
import { sampled } from "./Sample.ts"

/** A script, or a language, with a set of articles that is written in it, in the format of SQuAD. */
export const SCRIPTS: Readonly<Record<string, string>> = {
  Latin: "xquad.en.json",
  German: "xquad.de.json",
  Spanish: "xquad.es.json",
  Romanian: "xquad.ro.json",
  Turkish: "xquad.tr.json",
  Vietnamese: "xquad.vi.json",
  Cyrillic: "xquad.ru.json",
  Greek: "xquad.el.json",
  Arabic: "xquad.ar.json",
  Devanagari: "xquad.hi.json",
  Thai: "xquad.th.json",
  Han: "xquad.zh.json",
  Kana: "jaquad.json",
  Hangul: "korquad.json",
}

const Squad = Schema.Struct({
  data: Schema.Array(
    Schema.Struct({
      title: Schema.String,
      paragraphs: Schema.Array(
        Schema.Struct({
          context: Schema.String,
          qas: Schema.Array(Schema.Struct({ id: Schema.String, question: Schema.String })),
        }),
      ),
    }),
  ),
})
const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Squad))

/** Paragraphs about one subject, and questions that they answer. */
export interface Article {
  readonly id: string
  readonly paragraphs: ReadonlyArray<string>
  readonly questions: ReadonlyArray<{ readonly id: string; readonly text: string }>
}

/** As many as XQuAD has, so that the knowledge bases of all scripts are equally large. */
const ARTICLES = 48
const PARAGRAPHS = 5
/** The most questions of an article that are asked. */
const QUESTIONS = 12

/** The articles of a set, of all scripts equally many; undefined where the directory does not have it. */
export const readArticles = (directory: string, file: string): ReadonlyArray<Article> | undefined => {
  const path = join(directory, file)
  if (!existsSync(path)) return undefined
  const articles = decode(readFileSync(path, "utf8")).data.map(({ paragraphs, title }): Article => {
    const kept = paragraphs
      .map((paragraph) => ({ ...paragraph, id: paragraph.context }))
      .toSorted((left, right) => digest(left.id) - digest(right.id))
      .slice(0, PARAGRAPHS)
    const questions = kept.flatMap(({ qas }) => qas.map(({ id, question }) => ({ id, text: question })))
    return { id: title, paragraphs: kept.map(({ context }) => context), questions: sampled(questions, QUESTIONS) }
  })
  return sampled(
    articles.filter(({ paragraphs, questions }) => paragraphs.length === PARAGRAPHS && questions.length > 0),
    ARTICLES,
  )
}
