import { join } from "node:path"
import { testsTouchedBy } from "./lib/imports.ts"
import { filesInMemory, runChecks, stopRunning, testCheck } from "./lib/verify/Checks.ts"
import { isDeep } from "./lib/verify/Classes.ts"

/*
 * `bun run test:affected` runs the everyday tests that the changes of the checkout can touch, by the graph of imports;
 * `bun run test:affected main` those that changed since a commit.
 */

const root = join(import.meta.dir, "..")
const git = (...command: ReadonlyArray<string>): ReadonlyArray<string> =>
  Bun.spawnSync(["git", ...command], { cwd: root, stderr: "inherit" })
    .stdout.toString()
    .split("\n")
    .filter((line) => line !== "")

/** Tests of what is no module, by the beginning of its path. */
const unimported: Readonly<Record<string, ReadonlyArray<string>>> = {
  "docs/": ["test/Docs.test.ts"],
  "README.md": ["test/Docs.test.ts"],
  "sql/": ["test/Migrations.test.ts", "test/storage/sql/Database.test.ts"],
}

process.on("SIGINT", () => {
  stopRunning()
  process.exit(130)
})

const [since = "HEAD"] = process.argv.slice(2)
const changed = [...git("diff", "--name-only", since), ...git("ls-files", "--others", "--exclude-standard")]
const touched = new Set([
  ...testsTouchedBy(root, changed),
  ...changed.flatMap((file) =>
    Object.entries(unimported).flatMap(([path, tests]) => (file.startsWith(path) ? tests : [])),
  ),
])
const files = Array.from(touched)
  .filter((file) => !isDeep(file))
  .toSorted()
const deep = Array.from(touched).filter(isDeep)
console.log(`${changed.length} files have changed, and touch ${files.length} files of everyday tests.`)
if (deep.length > 0) console.log(`Deep tests are left to \`bun run verify --deep\`: ${deep.join(" ")}`)
const inMemory = filesInMemory()
const { failed } = await runChecks([[testCheck("affected", files)]], {
  root,
  variables: { ...(inMemory && { TMPDIR: inMemory }) },
})
process.exitCode = failed === 0 ? 0 : 1
