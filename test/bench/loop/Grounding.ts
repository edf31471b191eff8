import { Effect } from "effect"
import { checkReply } from "../../../src/agent/grounding/Grounding.ts"
import { type Grounded, GROUNDED_LANGUAGES, groundedReplies } from "./Grounded.ts"
import { LANGUAGES, madeReplies } from "./Replies.ts"

/**
 * `bun run bench loop grounding [--show]`: which made replies are marked: of false ones, how many are caught; of true ones,
 * how many are marked wrongly; and of both, how many are left to a judge. By half, kind and language. `--show` lists the
 * mistakes of the half that was developed on. Replies over paragraphs of XQuAD are measured where its data are.
 */
export const run = async (args: ReadonlyArray<string>): Promise<void> => {
  await measure("Short replies", GROUNDED_LANGUAGES.flatMap(groundedReplies), args.includes("--show"))
  const made = LANGUAGES.flatMap((language) => madeReplies(language))
  await measure(
    "Replies over other passages",
    made.map((reply) => ({ ...reply, isTrue: reply.kind === "true" })),
    args.includes("--show"),
  )
}

const measure = async (title: string, replies: ReadonlyArray<Grounded>, isShown: boolean): Promise<void> => {
  for (const half of ["dev", "held"] as const) {
    const columns = [...new Set(replies.map(({ language }) => language)), "all"]
    const rows = new Map<string, Map<string, [number, number]>>()
    const count = (row: string, column: string, isHit: boolean) => {
      const cells = rows.get(row) ?? new Map<string, [number, number]>()
      rows.set(row, cells)
      for (const each of [column, "all"]) {
        const [hits, total] = cells.get(each) ?? [0, 0]
        cells.set(each, [hits + (isHit ? 1 : 0), total + 1])
      }
    }
    for (const reply of replies.filter((each) => each.half === half)) {
      const { isTrue, kind, language } = reply
      const checked = await Effect.runPromise(checkReply(reply.text, { texts: reply.passages, said: [reply.question] }))
      const verdicts = checked.flatMap(({ verdict }) => (verdict === undefined ? [] : [verdict]))
      const isMarked = verdicts.some((verdict) => verdict !== "unsure")
      for (const each of [kind, "all"]) count(`${isTrue ? "wrongly marked" : "caught"}: ${each}`, language, isMarked)
      count(`${isTrue ? "true" : "false"}, for a judge`, language, !isMarked && verdicts.length > 0)
      if (isShown && half === "dev" && isMarked === isTrue)
        console.log(language, isTrue ? "WRONG" : "MISSED", kind, reply.text, JSON.stringify(verdicts))
    }
    console.log(`\n${title}: ${half === "dev" ? "half that was developed on" : "held half"}`)
    console.log(["".padEnd(28), ...columns.map((one) => one.padStart(8))].join(""))
    for (const [row, cells] of Array.from(rows).toSorted(([one], [other]) => (one < other ? -1 : 1))) {
      const shown = columns.map((one) => (cells.get(one) ?? [0, 0]).join("/").padStart(8))
      console.log([row.padEnd(28), ...shown].join(""))
    }
  }
}
