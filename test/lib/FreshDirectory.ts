import { renameSync } from "node:fs"
import { Effect } from "effect"
import { freshDirectory } from "./TestDatabase.ts"

/*
 * `bun test/lib/FreshDirectory.ts DIRECTORY` makes an embedded database with the current schema there. It is a program,
 * because the types of browsers and of servers do not go together.
 */

const [target] = process.argv.slice(2)
if (target === undefined) throw new Error("Expected the directory to make.")
await Effect.runPromise(Effect.scoped(Effect.map(freshDirectory, ({ directory }) => renameSync(directory, target))))
