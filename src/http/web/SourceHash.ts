import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/*
 * The sources of the web pages, and the hash by which a build of them is known.
 */

/** The directory of the program. */
export const root = fileURLToPath(new URL("../../..", import.meta.url))

/** The directory of the sources of everything that runs in a browser. */
export const webSources = join(root, "src/web")

/**
 * What decides about a build beside the sources: the languages, of which the widget loads what it says; what the
 * documentation is made of, where it is there; how all is built, and with which packages.
 */
const others = ["src/{api,domain,languages,text}/**", "src/http/web/**", "docs/*.md", "*.md", "bun.lock"]

const filesOf = async (sources: string): Promise<ReadonlyArray<string>> => {
  const scan = (pattern: string, cwd: string) => Array.fromAsync(new Bun.Glob(pattern).scan({ cwd, absolute: true }))
  const found = await Promise.all([scan("**", sources), ...others.map((pattern) => scan(pattern, root))])
  return found.flat().toSorted()
}

/**
 * The hash of the sources, the packages, the version of Bun, and the place of the program, on which the names of chunks
 * depend: 16 hexadecimal digits.
 */
export const hashOf = async (sources: string): Promise<string> => {
  const hash = createHash("sha256").update(`${Bun.version} ${root}`)
  const files = await filesOf(sources)
  const contents = await Promise.all(files.map((file) => readFile(file)))
  for (const [index, content] of contents.entries()) hash.update(`\0${files[index]}\0`).update(content)
  return hash.digest("hex").slice(0, 16)
}
