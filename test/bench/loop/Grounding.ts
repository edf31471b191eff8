import { Effect } from "effect"
import { checkReply } from "../../../src/agent/grounding/Grounding.ts"
import { LANGUAGES, type MadeReply, madeReplies } from "./Replies.ts"

/**
 * `bun run bench loop grounding [--show]`: which sentences of made replies are marked: of planted ones, how many are
 * caught; of true ones, how many are marked wrongly. By half, kind and language. `--show` lists the mistakes of the half
 * that was developed on.
 */
export const run = async (args: ReadonlyArray<string>): Promise<void> => {
  const replies = LANGUAGES.flatMap(madeReplies)
  for (const half of ["dev", "held"] as const) {
    const isShown = args.includes("--show") && half === "dev"
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
      const checked = await Effect.runPromise(checkReply(reply.text, { texts: reply.passages, said: [reply.question] }))
      for (const { claim, verdict } of checked) {
        const sentence = reply.text.slice(claim.start, claim.end)
        if (verdict === undefined || verdict === "unsure" || isPlantedIn(reply, sentence)) continue
        if (reply.kind !== "true") continue
        if (isShown) console.log(half, reply.language, "WRONG", JSON.stringify(verdict), sentence)
      }
      const marked = checked.filter(({ verdict }) => verdict !== undefined && verdict !== "unsure")
      const isMarked = marked.some(
        ({ claim }) => reply.kind === "true" || isPlantedIn(reply, reply.text.slice(claim.start, claim.end)),
      )
      if (reply.kind === "true") {
        count("true replies marked", reply.language, isMarked)
        for (const { verdict } of checked) {
          const reason = verdict === undefined || verdict === "unsure" ? undefined : verdict.reason
          count("true sentences marked", reply.language, reason !== undefined)
          for (const each of ["number", "name", "negation", "words"] as const)
            count(`  by ${each}`, reply.language, reason === each)
        }
      } else {
        count(`caught: ${reply.kind}`, reply.language, isMarked)
        count("caught: all", reply.language, isMarked)
        if (!isMarked && isShown) console.log(half, reply.language, "MISSED", reply.kind, reply.planted)
      }
    }
    console.log(`\n${half === "dev" ? "Half that was developed on" : "Held half"}`)
    console.log(["".padEnd(24), ...LANGUAGES.map((one) => one.padStart(9)), "all".padStart(9)].join(""))
    for (const [row, cells] of rows) {
      const shown = [...LANGUAGES, "all"].map((one) => (cells.get(one) ?? [0, 0]).join("/").padStart(9))
      console.log([row.padEnd(24), ...shown].join(""))
    }
  }
}

const isPlantedIn = ({ planted }: MadeReply, sentence: string): boolean =>
  planted !== "" && (sentence.includes(planted) || planted.includes(sentence))
