/** `bun run bench loop PART`: the measurements of what makes answers better. The file of each part documents its own. */

const parts: Readonly<Record<string, () => Promise<{ readonly run: (args: ReadonlyArray<string>) => Promise<void> }>>> =
  {
    grounding: () => import("./loop/Grounding.ts"),
  }

export const run = async ([name, ...args]: ReadonlyArray<string>): Promise<void> => {
  const chosen = Object.entries(parts).filter(([part]) => name === undefined || part === name)
  if (chosen.length === 0) throw new Error(`There is no part ${name}: ${Object.keys(parts).join(", ")}`)
  for (const [, load] of chosen) await (await load()).run(args)
}
