import { parseArgs } from "node:util"
import { Effect, Layer, ManagedRuntime } from "effect"
import { TopicId } from "../../../src/domain/topics/Topic.ts"
import { Embeddings } from "../../../src/embeddings/Embeddings.ts"
import { type GroupedTopic, Grouping } from "../../../src/topics/Grouping.ts"
import { nameOf } from "../../../src/topics/TopicNames.ts"
import { termsOf } from "../../../src/topics/QuestionTerms.ts"
import { embeddingsNamed, embeddingsOption } from "../lib/BenchEmbeddings.ts"
import { digest } from "../lib/Halves.ts"
import { readSet } from "../lib/RetrievalSet.ts"

/*
 * How questions are grouped by topic. `squad-dev` and `xquad/en`, of which the former fitted the constants, and XQuAD in
 * other languages. For each mix:
 *
 * - grouped: the share of questions that are in a topic with others.
 * - purity: of these, the share whose article, or paragraph, is that of most questions of their topic.
 * - pairs: of all pairs of questions about one paragraph, the share that is in one topic.
 *
 * Options: --data DIR, --embeddings MODEL for vectors beside words, --names for the names of the largest topics.
 */

const XQUAD_PARAGRAPHS = 5

interface Asked {
  readonly text: string
  readonly paragraph: string
  readonly article: string
}

const questionsOf = (directory: string, name: string): ReadonlyArray<Asked> => {
  const set = readSet(directory, name)
  const numbers = new Map(set.passages.map(({ id }, index) => [id, index]))
  const titles = new Map(set.passages.map(({ id, title }) => [id, title]))
  return set.questions.flatMap(({ id, text }) => {
    const [paragraph] = set.judgements.get(id)?.keys() ?? []
    if (paragraph === undefined) return []
    const article = name.startsWith("xquad/")
      ? `article ${Math.floor((numbers.get(paragraph) ?? 0) / XQUAD_PARAGRAPHS)}`
      : (titles.get(paragraph) ?? "")
    // The sets of XQuAD are translations of each other.
    const of = name.split("/")[0] ?? name
    return [{ text, paragraph: `${of} ${paragraph}`, article: `${of} ${article}` }]
  })
}

const shuffled = (questions: ReadonlyArray<Asked>) =>
  questions.toSorted((left, right) => digest(left.text) - digest(right.text))

/** Returns the topics of questions, and what names a topic. */
const group = Effect.fnUntraced(function* (questions: ReadonlyArray<Asked>) {
  const embeddings = yield* Embeddings
  const grouping = new Grouping(embeddings.isSemantic ? embeddings.model : undefined)
  const vectors = embeddings.isSemantic ? yield* embeddings.embedDocuments(questions.map(({ text }) => text)) : []
  const begin = performance.now()
  const topics = questions.map(({ text }, index) =>
    grouping.add({ newId: TopicId.make(crypto.randomUUID()), terms: termsOf(text), vector: vectors[index] }),
  )
  const seconds = (performance.now() - begin) / 1_000
  return { seconds, topics, nameFor: (topic: GroupedTopic) => nameOf(grouping, topic) }
})

const pairsIn = (count: number) => (count * (count - 1)) / 2
const percent = (share: number) => `${(100 * share).toFixed(1)} %`.padStart(7)

const report = Effect.fnUntraced(function* (title: string, questions: ReadonlyArray<Asked>, showsNames: boolean) {
  const mixed = shuffled(questions)
  const { nameFor, seconds, topics } = yield* group(mixed)
  const groups = Array.from(
    Map.groupBy(
      mixed.map((question, index) => ({ ...question, topic: topics[index] })),
      ({ topic }) => topic,
    ).values(),
  ).filter(({ length }) => length > 1)
  const grouped = groups.reduce((sum, { length }) => sum + length, 0)
  const countsBy = (some: ReadonlyArray<Asked>, by: "article" | "paragraph") =>
    Array.from(Map.groupBy(some, (question) => question[by]).values(), ({ length }) => length)
  const purity = (by: "article" | "paragraph") =>
    groups.reduce((sum, some) => sum + Math.max(...countsBy(some, by)), 0) / grouped
  const pairs = (some: ReadonlyArray<Asked>) =>
    countsBy(some, "paragraph").reduce((sum, count) => sum + pairsIn(count), 0)
  const together = groups.reduce((sum, some) => sum + pairs(some), 0) / pairs(mixed)
  console.log(
    `${title.padEnd(22)} ${String(mixed.length).padStart(6)} ${percent(grouped / mixed.length)} ` +
      `${percent(purity("article"))} ${percent(purity("paragraph"))} ${percent(together)} ` +
      `${String(groups.length).padStart(6)} ${seconds.toFixed(2).padStart(7)}`,
  )
  if (!showsNames) return
  for (const some of groups.toSorted((left, right) => right.length - left.length).slice(0, 12)) {
    const [first] = some
    if (first?.topic !== undefined) console.log(`  ${some.length} × ${nameFor(first.topic)}   (${first.text})`)
  }
})

export const run = async (args: ReadonlyArray<string>): Promise<void> => {
  const { values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      data: { type: "string", default: "../shared/data" },
      embeddings: embeddingsOption,
      names: { type: "boolean", default: false },
    },
  })
  const runtime = ManagedRuntime.make(Layer.orDie(embeddingsNamed(values.embeddings)))
  const setOf = (name: string) => questionsOf(values.data, name)
  const mixes: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    ["squad (fitted)", ["squad-dev"]],
    ["en: xquad", ["xquad/en"]],
    ["de: xquad", ["xquad/de"]],
    ["zh: xquad", ["xquad/zh"]],
    ["ru: xquad", ["xquad/ru"]],
    ["en + de + zh", ["xquad/en", "xquad/de", "xquad/zh"]],
    ["en: squad + cranfield", ["squad-dev", "cranfield"]],
  ]
  console.log("questions               number grouped  purity of article, paragraph  pairs topics seconds")
  await runtime.runPromise(
    Effect.forEach(mixes, ([title, names]) => report(title, names.flatMap(setOf), values.names), { discard: true }),
  )
  await runtime.dispose()
}
