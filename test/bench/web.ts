/**
 * `bun run bench web [--only sizes,open,frames] [--answers mixed,list] [--rounds 5]`: the widget and the console in a
 * real browser. Sizes as they are transferred, the time from the click on the launcher until one can type, and late frames
 * while an answer of 15 kB is streamed at a processor slowed four times. It runs as a program of its own, which knows the
 * types of browsers.
 */
export const run = async (args: ReadonlyArray<string>): Promise<void> => {
  const script = new URL("../browser/bench/Main.ts", import.meta.url).pathname
  const child = Bun.spawn([process.execPath, script, ...args], { stdio: ["ignore", "inherit", "inherit"] })
  process.exitCode = await child.exited
}
