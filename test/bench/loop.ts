/** `bun run bench loop NAME [options]`: what makes the answers of a chatbot better. Each file of `loop` documents its benchmark. */
const pieces: Readonly<Record<string, () => Promise<{ readonly run: (args: ReadonlyArray<string>) => unknown }>>> = {
  grounding: () => import("./loop/Grounding.ts"),
  gaps: () => import("./loop/Gaps.ts"),
}

export const run = async ([name = "", ...args]: ReadonlyArray<string>): Promise<void> => {
  const load = pieces[name]
  if (load === undefined) {
    process.stderr.write(`usage: bun run bench loop ${Object.keys(pieces).join("|")} [options]\n`)
    process.exitCode = 1
  } else await (await load()).run(args)
}
