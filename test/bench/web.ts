/**
 * `bun run bench web [--only sizes,open,frames,pieces] [--answers mixed,list] [--rounds 5] [--reloads 200 --seed N]`: the widget and the console in a real browser. Sizes as
 * they are transferred, the time from the click on the launcher until one can type, late frames while an answer of 15 kB
 * is streamed at a processor slowed four times, what a piece of one of 20 kB costs, beside a page that renders the whole answer anew for each piece, and whether
 * pages that are reloaded while an answer is written show in the end what is stored. It runs as a program of its own,
 * which knows the types of browsers.
 */
export const run = async (args: ReadonlyArray<string>): Promise<void> => {
  const script = new URL("../browser/bench/Main.ts", import.meta.url).pathname
  const child = Bun.spawn([process.execPath, script, ...args], { stdio: ["ignore", "inherit", "inherit"] })
  process.exitCode = await child.exited
}
