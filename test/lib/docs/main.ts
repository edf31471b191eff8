import { generatedPages } from "./Generated.ts"

/* `bun run docs`: writes the pages of `docs/` that are generated from the code. */

for (const { path, text } of await generatedPages()) await Bun.write(path, text)
