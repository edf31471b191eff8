/**
 * `bun run bench loop improve [--rounds 3]`: the way of a new user in a real browser, from a thumb down in the widget to
 * a mended answer that is kept as a test: its clicks and seconds, by the document and by a question with its answer. The
 * hand that clicks waits for nothing but the page; a person adds the time to read.
 */
export const run = async (args: ReadonlyArray<string>): Promise<void> => {
  const script = new URL("../../browser/bench/Improve.ts", import.meta.url).pathname
  const child = Bun.spawn([process.execPath, script, ...args], { stdio: ["ignore", "inherit", "inherit"] })
  process.exitCode = await child.exited
}
