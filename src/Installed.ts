/*
 * Runs before anything else (see bunfig.toml) and imports no package. Without `node_modules` Bun fetches packages by
 * itself, but not for threads: the one of the embedded database would fail, as if the database were broken.
 */
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { dependencies } from "../package.json" with { type: "json" }

/** In the checkout, or in a directory above it, as packages are looked up. */
const isInstalled = (name: string, directory: string): boolean =>
  existsSync(join(directory, "node_modules", name)) ||
  (directory !== dirname(directory) && isInstalled(name, dirname(directory)))

const missing = Object.keys(dependencies).find((name) => !isInstalled(name, dirname(import.meta.dir)))
if (missing !== undefined) {
  process.stderr.write(
    `parley: The package ${missing} is not installed. Run \`bun install\` (or \`npx --yes bun@${Bun.version} install\`) first.\n`,
  )
  process.exit(1)
}
