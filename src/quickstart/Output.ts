import { Console, Duration, Effect } from "effect"

/* Writes the steps of the quickstart to the terminal, in colour when it is one. */

const isColoured = process.stdout.isTTY && !process.env["NO_COLOR"]
const style = (code: number) => (text: string) => (isColoured ? `\u001b[${code}m${text}\u001b[0m` : text)

export const bold = style(1)
export const dim = style(2)
export const red = style(31)
export const green = style(32)
export const cyan = style(36)

const WIDTH = 100
const INDENT = 3

/** Formats a size, such as `21.3 KiB`. */
export const kibibytes = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KiB`

/** Cuts a text to `length` characters on one line. */
export const excerpt = (text: string, length: number): string => {
  const line = text.replaceAll(/\s+/g, " ").trim()
  return line.length <= length ? line : `${line.slice(0, length - 1).trimEnd()}…`
}

const wrapLine = (line: string, width: number): ReadonlyArray<string> => {
  const lines = [""]
  for (const word of line.split(" ")) {
    const last = lines.at(-1) ?? ""
    if (last !== "" && last.length + 1 + word.length > width) lines.push(word)
    else lines[lines.length - 1] = last === "" ? word : `${last} ${word}`
  }
  return lines
}

/** Prints text below a heading, indented by `indent` more columns. Long lines are wrapped between words. */
export const printText = (text: string, { indent = 0, paint = (line: string) => line } = {}) => {
  const margin = " ".repeat(INDENT + indent)
  const lines = text.split("\n").flatMap((line) => wrapLine(line, WIDTH - margin.length))
  return Console.log(lines.map((line) => (line === "" ? "" : margin + paint(line))).join("\n"))
}

/** Prints a line below a heading without wrapping it, because it is aligned or meant to be copied. */
export const printLine = (line: string) => Console.log(" ".repeat(INDENT) + line)

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
