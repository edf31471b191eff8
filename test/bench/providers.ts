import type { AgentReply } from "../../src/agent/Agent.ts"
import { oddModes, type OddMode } from "../lib/OddModes.ts"
import { ask, streams } from "../lib/OddReplies.ts"

/** How a reply was, and what was done for it. */
interface Outcome {
  readonly result: "right" | "degraded" | "failed"
  readonly notes: ReadonlyArray<string>
}

const ways = [{}, streams]

/** What makes a right reply worse than that of another server. */
const lossesOf = (reply: AgentReply, mode: OddMode, hasTools: boolean): ReadonlyArray<string> => [
  ...(reply.model === mode.model ? [] : [`${reply.model} answers`]),
  ...(hasTools ? [] : ["without tools"]),
  ...reply.steps.flatMap(({ warnings = [] }) =>
    warnings.flatMap((warning) => ("message" in warning && reply.model === mode.model ? [warning.message] : [])),
  ),
]

/** Has a chatbot on such a server reply, in one piece or streamed, by the real calls over HTTP. */
const play = (mode: OddMode, way: object): Promise<Outcome> =>
  ask(mode.answer, { ...way, model: mode.model, fallbackModels: ["openai/other"] }).then(
    ({ replies: [reply], requests }): Outcome => {
      if (reply?.output !== mode.expected) return { result: "failed", notes: [`says ${JSON.stringify(reply?.output)}`] }
      const losses = lossesOf(reply, mode, requests.at(-1)?.tools !== undefined)
      return { result: losses.length === 0 ? "right" : "degraded", notes: losses }
    },
    (error: unknown) => ({ result: "failed", notes: [String(error)] }),
  )

const NAME_WIDTH = 64

/**
 * `bun run bench providers`: what becomes of a question to each kind of odd model server that is known, see
 * `test/lib/OddModes.ts`: whether the reply is right, whether something is lost on the way, or whether it fails.
 */
export const run = async (): Promise<void> => {
  const row = (...cells: ReadonlyArray<string>) => process.stdout.write(`${cells.join(" | ")}\n`)
  const counts = { right: 0, degraded: 0, failed: 0 }
  row("mode".padEnd(NAME_WIDTH), "whole   ", "streamed", "what happened")
  for (const mode of oddModes) {
    const outcomes: Array<Outcome> = []
    for (const way of ways) outcomes.push(await play(mode, way))
    for (const { result } of outcomes) counts[result]++
    const notes = [...new Set(outcomes.flatMap((outcome) => outcome.notes))].join("; ")
    row(
      mode.name.slice(0, NAME_WIDTH).padEnd(NAME_WIDTH),
      ...outcomes.map(({ result }) => result.padEnd("degraded".length)),
      notes,
    )
  }
  const { degraded, failed, right } = counts
  row(`${oddModes.length} modes, each whole and streamed: ${right} right, ${degraded} degraded, ${failed} failed`)
}
