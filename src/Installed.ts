/*
 * Checks the version of Bun and that the packages are installed. It runs before anything else (see bunfig.toml), so it
 * imports no package itself. Without `node_modules` Bun downloads packages on demand, but not in worker threads: the
 * thread of the embedded database would fail as if the database were broken. An engine that is too old would fail in
 * ways that look like faults of Parley.
 */
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { dependencies, engines } from "../package.json" with { type: "json" }

/** Whether a package is installed in this directory or in one above it, which is where imports look for it. */
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
