import { type Ending, type Fault, faults, type Protocol } from "./Faults.ts"

/** One chat during which the provider failed. */
export interface Run {
  readonly fault: Fault
  readonly protocol: Protocol
  readonly way: "whole" | "streamed"
  /** The body of the request to the provider. */
  readonly sent: string
  readonly seen: Ending
  readonly millis: number
}

/** A Markdown table of the outcomes of every fault. Where runs differ, each outcome has its number of runs. */
export const faultMatrix = (runs: ReadonlyArray<Run>): string =>
  [
    "| fault | provider | JSON: status, stored, tokens, calls | stream: status or event, stored, tokens, calls | slowest |",
    "|---|---|---|---|---|",
    ...faults.flatMap(({ name }) =>
      (["anthropic", "openai"] as const).map((protocol) => {
        const own = runs.filter((run) => run.fault.name === name && run.protocol === protocol)
        const slowest = Math.max(...own.map(({ millis }) => millis))
        return `| ${name} | ${protocol} | ${seenOf(own, "whole")} | ${seenOf(own, "streamed")} | ${(slowest / 1_000).toFixed(1)} s |`
      }),
    ),
  ].join("\n")

const seenOf = (runs: ReadonlyArray<Run>, way: Run["way"]): string => {
  const counts = new Map<string, number>()
  for (const { seen } of runs.filter((run) => run.way === way)) {
    const text = `${seen.told}; ${seen.stored}; ${seen.tokens}; ${seen.calls}`
    counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  return Array.from(counts, ([text, count]) => (counts.size === 1 ? text : `${text} (${count} runs)`)).join(" or ")
}
