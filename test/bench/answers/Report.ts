import type { Replied } from "./Asking.ts"
import { type Case, hasNoAnswer, isSmallTalk, type Kind, kinds } from "./Case.ts"
import type { Score, Verdict } from "./Score.ts"

/** A case with what was replied, and how that was judged. */
export interface Judged extends Replied {
  readonly score: Score
}

const mean = (values: ReadonlyArray<number>): number | undefined =>
  values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length

const shareOf = <A>(all: ReadonlyArray<A>, isSo: (each: A) => boolean): number | undefined =>
  mean(all.map((each) => Number(isSo(each))))

/** Whether the question is about what the documents tell. */
const isFact = ({ kind }: Case): boolean => !isSmallTalk(kind) && kind !== "about"

type Figure = (judged: ReadonlyArray<Judged>) => number | undefined

const right: Figure = (judged) => shareOf(judged, ({ score }) => score.verdict === "right")

const notFound: Figure = (judged) =>
  shareOf(
    judged.filter(({ asked }) => isFact(asked) && !asked.absent),
    ({ score }) => score.verdict === "not found",
  )

const unfounded: Figure = (judged) =>
  shareOf(
    judged.filter(({ asked }) => isFact(asked) && hasNoAnswer(asked)),
    ({ score }) => score.verdict === "unfounded",
  )

const columns: ReadonlyArray<readonly [name: string, figure: Figure]> = [
  ["right", right],
  ["seen", (judged) => mean(judged.flatMap(({ score }) => (score.isSeen === undefined ? [] : [Number(score.isSeen)])))],
  ["noise", (judged) => mean(judged.flatMap(({ score }) => score.noise ?? []))],
  ["not found", notFound],
  ["unfounded", unfounded],
  [
    "readable",
    (judged) =>
      shareOf(
        judged.flatMap(({ score }) => (score.faults === undefined ? [] : [score.faults])),
        (faults) => faults.length === 0,
      ),
  ],
  [
    "language",
    (judged) =>
      mean(judged.flatMap(({ score }) => (score.isInLanguage === undefined ? [] : [Number(score.isInLanguage)]))),
  ],
]

const NAME_WIDTH = 18
const CELL_WIDTH = 11

const cell = (value: number | undefined): string =>
  (value === undefined ? "" : `${(100 * value).toFixed(1)} %`).padStart(CELL_WIDTH)

const row = (name: string, judged: ReadonlyArray<Judged>): string =>
  [
    name.padEnd(NAME_WIDTH),
    String(judged.length).padStart(5),
    ...columns.map(([, figure]) => cell(figure(judged))),
  ].join("")

const table = (
  title: string,
  groups: ReadonlyMap<string, ReadonlyArray<Judged>>,
  order: ReadonlyArray<string>,
): string =>
  [
    [title.padEnd(NAME_WIDTH), "n".padStart(5), ...columns.map(([name]) => name.padStart(CELL_WIDTH))].join(""),
    ...order.flatMap((name) => {
      const judged = groups.get(name)
      return judged === undefined ? [] : [row(name, judged)]
    }),
  ].join("\n")

/** The figures by kind, by language and by knowledge base, and of all cases together. */
export const tablesOf = (judged: ReadonlyArray<Judged>): string => {
  const by = (key: (asked: Case) => string) => Map.groupBy(judged, ({ asked }) => key(asked))
  const [languages, bases] = [by(({ language }) => language), by(({ knowledge }) => knowledge)]
  return [
    table(
      "kind",
      by(({ kind }) => kind),
      kinds,
    ),
    table("language", languages, [...languages.keys()].sort()),
    table("knowledge", bases, [...bases.keys()]),
    row("all", judged),
  ].join("\n\n")
}

/** What a share has to be at least, or at most. */
type Goal = readonly [name: string, figure: Figure, bound: { readonly least: number } | { readonly most: number }]

const rightOf =
  (...of: ReadonlyArray<Kind>): Figure =>
  (judged) =>
    right(judged.filter(({ asked }) => of.includes(asked.kind)))

const goals: ReadonlyArray<Goal> = [
  ["facts in sentences", rightOf("sentence", "number", "date", "definition"), { least: 0.8 }],
  ["facts in tables", rightOf("table"), { least: 0.8 }],
  ["lists", rightOf("list"), { least: 0.8 }],
  ["follow-ups", rightOf("follow-up"), { least: 0.6 }],
  ["not found", notFound, { most: 0.05 }],
  ["unfounded", unfounded, { most: 0.1 }],
  ["small talk", rightOf("greeting", "thanks", "goodbye"), { least: 1 }],
]

/** What the answers are to reach, and whether they do. */
export const goalsOf = (judged: ReadonlyArray<Judged>): string =>
  goals
    .flatMap(([name, figure, bound]) => {
      const value = figure(judged)
      if (value === undefined) return []
      const isReached = "least" in bound ? value >= bound.least : value <= bound.most
      const limit = "least" in bound ? `at least ${percent(bound.least)}` : `at most ${percent(bound.most)}`
      return [`${name.padEnd(NAME_WIDTH + 5)}${cell(value)}   ${limit}: ${isReached ? "reached" : "MISSED"}`]
    })
    .join("\n")

const percent = (share: number): string => `${(100 * share).toFixed(0)} %`

/** How bad a reply is: a wrong answer deceives, so it comes before none. */
const badness = ({ score }: Judged): number =>
  ({ unfounded: 4, wrong: 3, "not found": 2, right: 0 })[score.verdict] +
  (score.noise ?? 0) +
  (score.faults?.length ?? 0) / 10

/** The worst cases, with what was asked, replied and expected. */
export const worstOf = (judged: ReadonlyArray<Judged>, count: number): string =>
  judged
    .filter((each) => badness(each) > 0)
    .toSorted((left, right) => badness(right) - badness(left))
    .slice(0, count)
    .map(described)
    .join("\n\n")

/** What has changed since an earlier run: how many replies are right that were not, and which are not that were. */
export const changesOf = (judged: ReadonlyArray<Judged>, earlier: ReadonlyMap<string, Verdict>): string => {
  const isRight = ({ score }: Judged) => score.verdict === "right"
  const both = judged.filter(({ asked }) => earlier.has(asked.id))
  const mended = both.filter((each) => isRight(each) && earlier.get(each.asked.id) !== "right")
  const broken = both.filter((each) => !isRight(each) && earlier.get(each.asked.id) === "right")
  return [
    ...broken.filter(({ asked }) => asked.half === "dev").map((each) => `NO LONGER RIGHT · ${described(each)}`),
    `Of ${both.length} cases that were asked before, ${mended.length} are right that were not, and ${broken.length} are not that were.`,
  ].join("\n\n")
}

const described = ({ asked, reply, score }: Judged): string =>
  [
    `${score.verdict.toUpperCase()} · ${asked.knowledge} · ${asked.kind} · ${asked.language}${score.noise === undefined ? "" : ` · noise ${(100 * score.noise).toFixed(0)} %`}${score.faults?.map((fault) => ` · ${fault}`).join("") ?? ""}${score.isInLanguage === false ? " · other language" : ""}`,
    ...asked.before.map((earlier) => `  before:   ${earlier}`),
    `  question: ${asked.question}`,
    `  expected: ${expectedOf(asked)}`,
    `  reply:    ${reply.text.replaceAll("\n", "\n            ")}`,
  ].join("\n")

const expectedOf = ({ absent, all, answers }: Case): string =>
  [
    ...(answers.length > 0 ? [answers.join(" | ")] : []),
    ...(all.length > 0 ? [`all of ${all.join(" | ")}`] : []),
    ...(absent ? ["nothing"] : []),
  ].join(", or ")
