import { styleText } from "node:util"
import { Console, Duration, Effect } from "effect"

/* Writes the steps of the quickstart to the terminal, in colour when it is one. */

type Style = Parameters<typeof styleText>[0]
const style = (format: Style) => (text: string) => styleText(format, text, { stream: process.stdout })

export const bold = style("bold")
export const dim = style("dim")
export const red = style("red")
export const green = style("green")
export const cyan = style("cyan")

const WIDTH = 100
const MARGIN = " ".repeat(3)

/** Cuts a text to `length` characters on one line. */
export const excerpt = (text: string, length: number): string => {
  const line = text.replaceAll(/\s+/g, " ").trim()
  return line.length <= length ? line : `${line.slice(0, length - 1).trimEnd()}…`
}

/** Prints text below a heading. Long lines are wrapped between words. */
export const printText = (text: string) =>
  Console.log(Bun.wrapAnsi(text, WIDTH - MARGIN.length).replaceAll(/^(?=.)/gm, MARGIN))

/** Prints a line below a heading without wrapping it, because it is aligned or meant to be copied. */
export const printLine = (line: string) => Console.log(MARGIN + line)

let headings = 0

/** Prints the heading of the next step with its number. */
export const printHeading = (text: string) => Console.log(`\n${bold(`${++headings}  ${text}`)}`)

/** Prints a heading, runs the step, and prints how long it took. */
export const step = <A, E, R>(text: string, action: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    yield* printHeading(text)
    const [duration, result] = yield* Effect.timed(action)
    yield* printLine(dim(`${Duration.toSeconds(duration).toFixed(1)} s`))
    return result
  })
