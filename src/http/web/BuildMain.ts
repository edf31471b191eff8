import { chmod, copyFile, mkdir, mkdtemp, readdir, rename, rm, stat } from "node:fs/promises"
import { basename, dirname, extname, join, resolve } from "node:path"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import { ICON, LOADER, type Manifest, MANIFEST } from "./Manifest.ts"
import { hashOf, root, webSources } from "./SourceHash.ts"

/*
 * `bun src/http/web/BuildMain.ts <directory> [<sources>]` builds the loader, the widget, the console and the documentation into a directory:
 * bundled, minified and compressed, with a manifest of all files. The server runs it in a process of its own, since the
 * memory that `Bun.build` takes is not given back. The directory appears whole or not at all.
 */

/** The name of a build in the server's cache, or of the directory of one that was not finished. */
const buildName = /^[0-9a-f]{16}(?:\.unfinished-.*)?$/

/** Matches all of `marked` but its lexer: 3 kB of the widget that no page uses, and that a bundler has to keep. */
const beyondLexer = /var (\w+)=new \w+;function \w+\(\w+,\w+\)\{return \1\.parse\([^]*export\{[^]*?(\w+) as Lexer[^]*$/

const lexerOnly: Bun.BunPlugin = {
  name: "lexer of marked",
  setup: (build) => {
    build.onLoad({ filter: /[/\\]marked\.esm\.js$/ }, async ({ path }) => {
      const source = await Bun.file(path).text()
      if (!beyondLexer.test(source)) throw new Error(`The lexer is not where it was in ${path}.`)
      return { contents: source.replace(beyondLexer, "export{$2 as Lexer}"), loader: "js" }
    })
  },
}

/**
 * Bundles one entry into a directory, under a name of its own. Each is bundled alone, so that what one of them uses of a
 * shared module makes no other one larger.
 */
const bundle = (entry: string, name: string, directory: string, isModule: boolean) =>
  Bun.build({
    entrypoints: [entry],
    outdir: directory,
    target: "browser",
    format: isModule ? "esm" : "iife",
    minify: true,
    splitting: isModule,
    naming: { entry: `${name}.[ext]`, chunk: "[name]-[hash].[ext]", asset: "[name]-[hash].[ext]" },
    define: { "process.env.NODE_ENV": '"production"' },
    jsx: { runtime: "automatic", importSource: "preact", development: false },
    tsconfig: join(root, "src/web/tsconfig.json"),
    plugins: [lexerOnly],
  })

const mediaTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
}

const [brotli, gzipped] = [promisify(brotliCompress), promisify(gzip)]

/** Writes the compressed forms of a file beside it, and returns its media type. */
const compress = async (path: string): Promise<string> => {
  const type = mediaTypes[extname(path)]
  if (type === undefined) throw new Error(`There is no media type for ${path}.`)
  const content = await Bun.file(path).bytes()
  // The documentation is large: it would take two seconds for a tenth less.
  const quality = /html|json/.test(type) ? 9 : constants.BROTLI_MAX_QUALITY
  await Bun.write(`${path}.br`, await brotli(content, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }))
  await Bun.write(`${path}.gzip`, await gzipped(content, { level: 9 }))
  return type
}

const build = async (sources: string, directory: string): Promise<void> => {
  const hash = await hashOf(sources)
  // It is made while the threads of the bundler work.
  const documentation = import("./docs/Pages.ts")
  await bundle(join(sources, "widget/frame.tsx"), "frame", directory, true)
  await bundle(join(sources, "voice/CallView.tsx"), "voice", directory, true)
  await bundle(join(sources, "console/main.tsx"), "console", directory, true)
  await bundle(join(sources, "docs/docs.ts"), "docs", directory, true)
  await bundle(join(sources, "voice/worklet.ts"), "voice-worklet", directory, false)
  await bundle(join(sources, "widget/loader.ts"), basename(LOADER, ".js"), directory, false)
  await copyFile(join(sources, ICON), join(directory, ICON))
  for (const [name, content] of (await documentation).docsFiles(hash)) await Bun.write(join(directory, name), content)
  const names = await Array.fromAsync(new Bun.Glob("**").scan(directory))
  const files = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await compress(join(directory, name))])),
  )
  const isOther = buildName.test(basename(directory)) && !directory.includes(hash)
  if (isOther || hash !== (await hashOf(sources))) throw new Error("The sources change meanwhile.")
  const manifest: Manifest = { hash, files }
  await Bun.write(join(directory, MANIFEST), JSON.stringify(manifest))
}

/** Builds that the cache keeps: pages that are open may still load files of an earlier one. */
const KEPT_BUILDS = 8

/** Deletes the oldest builds of a cache, and with them what killed processes have left. */
const prune = async (cache: string): Promise<void> => {
  const paths = (await readdir(cache)).filter((name) => buildName.test(name)).map((name) => join(cache, name))
  const builds = await Promise.all(paths.map(async (path) => ({ path, time: (await stat(path)).mtimeMs })))
  const oldest = builds.toSorted((one, other) => other.time - one.time).slice(KEPT_BUILDS)
  await Promise.all(oldest.map(({ path }) => rm(path, { recursive: true, force: true })))
}

if (import.meta.main) {
  const [target, sources = webSources] = process.argv.slice(2)
  if (target === undefined) throw new Error("Expected the directory to build into.")
  const directory = resolve(target)
  const from = resolve(sources)
  // Bun derives the names of chunks from paths relative to the working directory.
  process.chdir(root)
  await mkdir(dirname(directory), { recursive: true })
  const unfinished = await mkdtemp(`${directory}.unfinished-`)
  try {
    await build(from, unfinished)
    // Another process may have built the same meanwhile; `bun run web` builds again what is there.
    await rm(directory, { recursive: true, force: true })
    await chmod(unfinished, 0o755)
    await rename(unfinished, directory)
    if (buildName.test(basename(directory))) await prune(dirname(directory))
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}
