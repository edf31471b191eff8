import { existsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { MANIFEST } from "../../src/http/web/Manifest.ts"
import { hashOf, webSources } from "../../src/http/web/SourceHash.ts"

/** The cache of all servers of tests, which share the web pages that the first of them builds. */
export const sharedCache = join(tmpdir(), "parley-test-cache")

/** Builds the web pages of this checkout into that cache, if nobody has done so yet, and returns their directory. */
export const builtPages = async (): Promise<string> => {
  const directory = join(sharedCache, "web", await hashOf(webSources))
  if (existsSync(join(directory, MANIFEST))) return directory
  const main = join(import.meta.dir, "../../src/http/web/BuildMain.ts")
  const build = Bun.spawn([process.execPath, main, directory], { stdout: "inherit", stderr: "inherit" })
  if ((await build.exited) !== 0) throw new Error("The web pages cannot be built.")
  return directory
}
