import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { chmod, mkdir, mkdtemp, readdir, rename, rm, stat } from "node:fs/promises"
import { basename, dirname, join, resolve } from "node:path"
import { brotliCompressSync, constants, gzipSync } from "node:zlib"
import type { BuildArtifact, BunPlugin } from "bun"
import { ICON, type Manifest, MANIFEST, type WebFile } from "./Manifest.ts"
import { hashOf, root, webSources } from "./Sources.ts"

/*
 * `bun src/http/web/BuildMain.ts <directory> [<sources>]` builds the loader, the widget and the console into a directory:
 * bundled, minified and compressed, with a manifest of all files. The server runs it in a process of its own, since the
 * memory that `Bun.build` takes is not given back. The directory appears whole or not at all.
 */

/** The name of a build in the server's cache, or of the directory of one that was not finished. */
const cached = /^[0-9a-f]{16}(?:\.unfinished-.*)?$/

/**
 * `marked` without all but its lexer. It is one file, whose last statements make a converter to HTML, so that the bundler
 * would keep the whole of it: 3 kB more, compressed, of what nothing here uses.
 */
const lexerOnly: BunPlugin = {
  name: "lexer of marked",
  setup: (build) => {
    build.onLoad({ filter: /\/marked\.esm\.js$/ }, async ({ path }) => {
      const text = await Bun.file(path).text()
      const converter = /var \w+=new \w+;function \w+\(\w+,\w+\)\{return \w+\.parse\([^]*(export\{.*)$/m.exec(text)
      const lexer = /\b(\w+) as Lexer\b/.exec(converter?.[1] ?? "")?.[1]
      if (converter === null || lexer === undefined) throw new Error("This version of marked has another form.")
      return { contents: `${text.slice(0, converter.index)}export{${lexer} as Lexer}`, loader: "js" }
    })
  },
}

/**
 * Bundles one entry. Each is bundled alone, so that what one of them uses of a shared module makes no other one larger.
 */
const bundle = async (entry: string, isModule: boolean): Promise<ReadonlyArray<BuildArtifact>> => {
  const { outputs } = await Bun.build({
    entrypoints: [entry],
    target: "browser",
    format: isModule ? "esm" : "iife",
    minify: true,
    splitting: isModule,
    plugins: [lexerOnly],
    naming: { entry: "[name].[ext]", chunk: "[name]-[hash].[ext]", asset: "[name]-[hash].[ext]" },
    define: { "process.env.NODE_ENV": '"production"' },
    jsx: { runtime: "automatic", importSource: "preact", development: false },
    tsconfig: join(root, "src/web/tsconfig.json"),
  })
  return outputs
}

/** The chunks that a bundle imports statically, so that a page can ask for all of them at once. */
const preloads = (entry: string, texts: ReadonlyMap<string, string>): ReadonlyArray<string> => {
  const transpiler = new Bun.Transpiler({ loader: "js" })
  const found = new Set<string>()
  const visit = (name: string): void => {
    for (const { kind, path } of transpiler.scanImports(texts.get(name) ?? "")) {
      const imported = path.replace(/^\.\//, "")
      if (kind !== "import-statement" || found.has(imported)) continue
      found.add(imported)
      visit(imported)
    }
  }
  visit(entry)
  return Array.from(found)
}

const mediaTypes: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
}

/** Writes a file and its compressed forms. */
const write = async (directory: string, name: string, content: Uint8Array<ArrayBuffer>): Promise<WebFile> => {
  const extension = name.slice(name.lastIndexOf(".") + 1)
  const type = mediaTypes[extension]
  if (type === undefined) throw new Error(`There is no media type for ${name}.`)
  const forms = {
    br: brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length } }),
    gzip: gzipSync(content, { level: 9 }),
  }
  await Bun.write(join(directory, name), content)
  await Bun.write(join(directory, `${name}.br`), forms.br)
  await Bun.write(join(directory, `${name}.gzip`), forms.gzip)
  return {
    type,
    etag: createHash("sha256").update(content).digest("base64url").slice(0, 22),
    sizes: { identity: content.length, br: forms.br.length, gzip: forms.gzip.length },
  }
}

const build = async (sources: string, directory: string): Promise<void> => {
  const files: Record<string, WebFile> = {}
  const page = async (name: string, entry: string) => {
    const outputs = await bundle(join(sources, entry), true)
    const texts = new Map<string, string>()
    for (const output of outputs) {
      const file = output.path.replace(/^.*\//, "")
      // The entry is called as the page is, whatever its source is called.
      const named = output.kind === "entry-point" || file === entry.replace(/^.*\/(.*)\..*$/, "$1.css")
      const written = named ? `${name}${file.slice(file.lastIndexOf("."))}` : file
      const bytes = new Uint8Array(await output.arrayBuffer())
      files[written] = await write(directory, written, bytes)
      if (written.endsWith(".js")) texts.set(written, new TextDecoder().decode(bytes))
    }
    const script = `${name}.js`
    const style = `${name}.css`
    const first = preloads(script, texts)
    const later = Array.from(texts.keys()).filter((one) => one !== script && !first.includes(one))
    return { script, preloads: first, later, ...(files[style] === undefined ? {} : { style }) }
  }
  const pages = { frame: await page("frame", "widget/frame.tsx"), console: await page("console", "console/main.tsx") }
  const [loader] = await bundle(join(sources, "widget/loader.ts"), false)
  if (loader === undefined) throw new Error("The loader is missing.")
  files["widget.js"] = await write(directory, "widget.js", new Uint8Array(await loader.arrayBuffer()))
  files[ICON] = await write(directory, ICON, await Bun.file(join(sources, ICON)).bytes())
  const hash = await hashOf(sources)
  if (cached.test(basename(directory)) && !directory.includes(hash)) throw new Error("The sources change meanwhile.")
  const manifest: Manifest = { hash, files, pages, loader: "widget.js" }
  await Bun.write(join(directory, MANIFEST), JSON.stringify(manifest))
}

/** Builds that the cache keeps: pages that are open may still load files of an earlier one. */
const KEPT_BUILDS = 8

/** Deletes the oldest builds of a cache, and with them what killed processes have left. */
const prune = async (directory: string): Promise<void> => {
  const cache = dirname(directory)
  const builds = (await readdir(cache)).filter((name) => cached.test(name)).map((name) => join(cache, name))
  const times = new Map(await Promise.all(builds.map(async (path) => [path, (await stat(path)).mtimeMs] as const)))
  const oldest = builds.toSorted((one, other) => (times.get(other) ?? 0) - (times.get(one) ?? 0)).slice(KEPT_BUILDS)
  await Promise.all(oldest.map((path) => rm(path, { recursive: true, force: true })))
}

/** The reason for which a build has failed: a line for each mistake, with its place. */
const reason = (error: unknown): string => {
  if (error instanceof AggregateError) return error.errors.map(reason).join("\n")
  const isPlaced = error instanceof BuildMessage || error instanceof ResolveMessage
  if (!isPlaced || error.position === null) return String(error)
  const { column, file, line } = error.position
  return `${file}:${line}:${column}: ${error.message}`
}

if (import.meta.main) {
  const [target, sources = webSources] = process.argv.slice(2)
  if (target === undefined) {
    process.stderr.write("Expected the directory to build into.\n")
    process.exit(1)
  }
  const directory = resolve(target)
  const from = resolve(sources)
  // Bun derives the names of chunks from paths relative to the working directory.
  process.chdir(root)
  await mkdir(dirname(directory), { recursive: true })
  const unfinished = await mkdtemp(`${directory}.unfinished-`)
  try {
    await build(from, unfinished)
    // Another process may have built the same meanwhile; `bun run web` builds again what is there.
    if (existsSync(directory)) await rm(directory, { recursive: true })
    await chmod(unfinished, 0o755)
    await rename(unfinished, directory)
    if (cached.test(basename(directory))) await prune(directory)
  } catch (error) {
    process.stderr.write(`${reason(error)}\n`)
    process.exitCode = 1
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}
