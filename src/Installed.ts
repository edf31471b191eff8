/*
 * Runs before anything else (see bunfig.toml) and imports no package. Without `node_modules` Bun fetches packages by
 * itself, but not for threads: the one of the embedded database would fail, as if the database were broken. On an engine
 * that is too old, faults would look like Parley's own.
 */
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { dependencies, engines } from "../package.json" with { type: "json" }

/** In the checkout, or in a directory above it, as packages are looked up. */
const isInstalled = (name: string, directory: string): boolean =>
  existsSync(join(directory, "node_modules", name)) ||
  (directory !== dirname(directory) && isInstalled(name, dirname(directory)))

const fail = (message: string): never => {
  process.stderr.write(`parley: ${message}\n`)
  process.exit(1)
}

if (!Bun.semver.satisfies(Bun.version, engines.bun)) {
  const needed = engines.bun.replace(/^\D+/, "")
  fail(`This is Bun ${Bun.version}, and Parley needs ${needed} or later: \`npx --yes bun@${needed} …\` runs it.`)
}

const missing = Object.keys(dependencies).find((name) => !isInstalled(name, dirname(import.meta.dir)))
if (missing !== undefined) {
  fail(
    `The package ${missing} is not installed. Run \`bun install\` (or \`npx --yes bun@${Bun.version} install\`) first.`,
  )
}
