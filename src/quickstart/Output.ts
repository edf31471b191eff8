import { Console, Duration, Effect } from "effect"

/* How the story is written on the terminal: numbered steps, what they say indented, colour only for people. */

const isColoured = process.stdout.isTTY && !process.env["NO_COLOR"]
const style = (code: number) => (text: string) => (isColoured ? `\u001b[${code}m${text}\u001b[0m` : text)

export const bold = style(1)
export const dim = style(2)
export const red = style(31)
export const green = style(32)
export const cyan = style(36)

const WIDTH = 100
const INDENT = 3

/** `21.3 KiB`. */
export const kibibytes = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KiB`

/** The first `length` characters of a text, in one line. */
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

/** Below the heading of the step, indented by so much more. Lines that are too long are broken between words. */
export const say = (text: string, { indent = 0, paint = (line: string) => line } = {}) => {
  const margin = " ".repeat(INDENT + indent)
  const lines = text.split("\n").flatMap((line) => wrapLine(line, WIDTH - margin.length))
  return Console.log(lines.map((line) => (line === "" ? "" : margin + paint(line))).join("\n"))
}

/** Not to be broken: what is copied, or aligned already. */
export const show = (line: string) => Console.log(" ".repeat(INDENT) + line)

let headings = 0

/** The next step, numbered. */
export const heading = (text: string) => Console.log(`\n${bold(`${++headings}  ${text}`)}`)

/** Writes the heading, does the step, and tells how long it took. */
export const step = <A, E, R>(text: string, action: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    yield* heading(text)
    const [duration, result] = yield* Effect.timed(action)
    yield* show(dim(`${Duration.toSeconds(duration).toFixed(1)} s`))
    return result
  })
