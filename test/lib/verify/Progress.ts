/*
 * What the runner of checks says: lines that stay, and on a terminal a line below them that is written again and again.
 */

const isTerminal = process.stdout.isTTY && process.env["CI"] === undefined

/** Elsewhere a line of progress is printed now and then, so that nobody takes a long stage for one that hangs. */
const ELSEWHERE_EVERY_MILLIS = 60_000
let written = performance.now()

/** Shows how far a stage is. */
export const show = (line: string): void => {
  if (isTerminal) return void process.stdout.write(`\r\u001B[K${line.slice(0, process.stdout.columns - 1)}`)
  if (performance.now() - written < ELSEWHERE_EVERY_MILLIS) return
  written = performance.now()
  console.log(line)
}

/** Prints lines that stay. */
export const print = (lines: string): void => console.log(isTerminal ? `\r\u001B[K${lines}` : lines)

/** The beginning of a stage's line: its name, and the seconds since its start. */
export const label = (name: string, start: number): string =>
  `${name.padEnd(11)}${((performance.now() - start) / 1_000).toFixed(1).padStart(6)} s  `
