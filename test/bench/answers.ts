import { readFileSync, writeFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { NodeRuntime } from "@effect/platform-node-shared"
import { Console, Effect, Schema } from "effect"
import { Client } from "../lib/Client.ts"
import { ask, upload } from "./answers/Asking.ts"
import { type Case, type Knowledge, writtenKnowledge } from "./answers/Case.ts"
import { impossibleCases } from "./answers/Check.ts"
import { derivedKnowledge } from "./answers/Derived.ts"
import { changesOf, goalsOf, type Judged, tablesOf, worstOf } from "./answers/Report.ts"
import { scoreOf, type Verdict, verdicts } from "./answers/Score.ts"
import { start } from "./http/Child.ts"
import { apiKey, parley } from "./http/Fixture.ts"
import { type BenchEmbeddings, benchEmbeddings, embeddingsOption, startProvider } from "./lib/BenchEmbeddings.ts"
import { temporaryDirectory } from "../lib/TemporaryDirectory.ts"

interface AnswersSettings {
  readonly embeddings: BenchEmbeddings
  readonly worst: number
  readonly json: string | undefined
  /** How the cases of an earlier run were judged, by id. */
  readonly earlier: ReadonlyMap<string, Verdict> | undefined
}

const bench = Effect.fnUntraced(function* (
  all: ReadonlyArray<Knowledge>,
  { earlier, embeddings, json, worst }: AnswersSettings,
) {
  const directory = yield* temporaryDirectory("bench")
  const providerUrl = yield* startProvider(directory)
  const child = yield* start(
    parley(directory, {
      ...embeddings.environment(providerUrl),
    }),
  )
  const client = new Client(`http://127.0.0.1:${child.port}`, apiKey)
  const begin = performance.now()
  const judgements = yield* Effect.forEach(
    all,
    Effect.fnUntraced(function* (knowledge) {
      const chatbot = yield* upload(client, knowledge)
      const replies = yield* ask(client, chatbot, knowledge.cases)
      return replies.map((reply): Judged => ({ ...reply, score: scoreOf(reply.asked, reply.reply) }))
    }),
  )
  const judged = judgements.flat()
  const seconds = (performance.now() - begin) / 1_000
  yield* Console.log(`Embeddings: ${embeddings.title}\n`)
  if (worst > 0) yield* Console.log(`${worstOf(judged, worst)}\n`)
  if (earlier !== undefined) yield* Console.log(`${changesOf(judged, earlier)}\n`)
  yield* Console.log(`${tablesOf(judged)}\n\n${goalsOf(judged)}`)
  yield* Console.log(`\n${judged.length} cases in ${seconds.toFixed(0)} s`)
  if (json !== undefined) writeFileSync(json, JSON.stringify(judged, null, 1))
})

const Earlier = Schema.fromJsonString(
  Schema.Array(
    Schema.Struct({
      asked: Schema.Struct({ id: Schema.String }),
      score: Schema.Struct({ verdict: Schema.Literals(verdicts) }),
    }),
  ),
)

const readEarlier = (file: string): ReadonlyMap<string, Verdict> =>
  new Map(
    Schema.decodeUnknownSync(Earlier)(readFileSync(file, "utf8")).map(({ asked, score }) => [asked.id, score.verdict]),
  )

/** Prints the cases that no reply can be right about. */
const check = Effect.fnUntraced(function* (all: ReadonlyArray<Knowledge>) {
  let impossible = 0
  for (const knowledge of all) {
    for (const [{ kind, question }, reason] of yield* impossibleCases(knowledge)) {
      impossible += 1
      yield* Console.log(`${knowledge.name} · ${kind} · ${question}: ${reason}`)
    }
  }
  const cases = all.reduce((sum, knowledge) => sum + knowledge.cases.length, 0)
  yield* Console.log(`${cases} cases of ${all.length} knowledge bases, ${impossible} of them without their answer`)
  if (impossible > 0) process.exitCode = 1
})

/** The knowledge bases with only those cases that are wanted, and without those that are asked nothing. */
const chosen = (all: ReadonlyArray<Knowledge>, isWanted: (asked: Case) => boolean): ReadonlyArray<Knowledge> =>
  all
    .map((knowledge) => ({ ...knowledge, cases: knowledge.cases.filter(isWanted) }))
    .filter(({ cases }) => cases.length > 0)

/**
 * Measures the answers of `local/extractive`: asks a server questions with known answers, of many kinds and in six
 * languages, about documents that it has read, and prints by kind, language and knowledge base
 *
 * - `right`: the share of the replies that hold the answer, or that say nothing where there is none,
 * - `seen`: the share of the right replies in which the answer is seen at once: it is in the sentence that is marked, or
 *   nothing else stands beside it; the other right replies hold it among other sentences of its place,
 * - `noise`: the share of a right reply's characters outside of the sentences, rows or items that hold the answer,
 * - `not found`: the share of the questions with an answer to which nothing was found,
 * - `unfounded`: the share of the questions without an answer that were answered all the same,
 * - `readable`: the share of the answers that can be read by themselves: no sentence begins with a pronoun that stands
 *   for something that was left out, none is cut off, and none has marks of the page,
 * - `language`: the share of the other replies, such as that nothing was found, in the language of the question.
 *
 * The cases of `answers/cases` are written by hand. Those of SQuAD and XQuAD are made from the sets in a directory,
 * `--data DIR` or `PARLEY_BENCH_DATA`, and left out without it. Half of the cases is for development; improvements are
 * judged by the half that is kept apart. Options:
 *
 * - `--half dev|held|all`: which half is asked, by default `dev`,
 * - `--kinds a,b`, `--knowledge a,b`, `--language a,b`: asks only these,
 * - `--worst N`: prints the N worst replies, with what was asked and expected,
 * - `--json FILE`: writes all replies and how they were judged to a file,
 * - `--against FILE`: counts the replies that were right in the run that wrote this file and are not any more, and the
 *   other way round, and prints the former of the half for development,
 * - `--embeddings local:minilm`: as `BenchEmbeddings` has it; near vectors of the provider mean the same words,
 * - `--seed N`: chooses other cases from the sets, by default 1,
 * - `--check`: asks nothing, and prints the cases whose answer is in no document.
 */
export const run = (args: ReadonlyArray<string>): void => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      data: { type: "string" },
      half: { type: "string", default: "dev" },
      kinds: { type: "string" },
      knowledge: { type: "string" },
      language: { type: "string" },
      worst: { type: "string", default: "0" },
      json: { type: "string" },
      embeddings: embeddingsOption,
      against: { type: "string" },
      seed: { type: "string", default: "1" },
      check: { type: "boolean", default: false },
    },
  })
  const data = values.data ?? process.env["PARLEY_BENCH_DATA"]
  const all = [...writtenKnowledge(data), ...(data === undefined ? [] : derivedKnowledge(data, Number(values.seed)))]
  const isIn = (list: string | undefined, value: string): boolean =>
    list === undefined || list.split(",").includes(value)
  const wanted = chosen(
    all,
    ({ half, kind, knowledge, language }) =>
      (values.half === "all" || values.half === half) &&
      isIn(values.kinds, kind) &&
      isIn(values.knowledge, knowledge) &&
      isIn(values.language, language),
  )
  const settings = {
    embeddings: benchEmbeddings(values.embeddings),
    worst: Number(values.worst),
    json: values.json,
    earlier: values.against === undefined ? undefined : readEarlier(values.against),
  }
  NodeRuntime.runMain(values.check ? check(all) : Effect.scoped(bench(wanted, settings)))
}
