import { Glob } from "bun"
import { readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"

/*
 * Checks the direction of imports: which part of the program may import which. `bun run imports` checks this checkout,
 * and so does `bun run verify`.
 */

/** A forbidden import, with the reason. Paths are relative to the root. */
export interface WrongImport {
  readonly file: string
  readonly line: number
  readonly imported: string
  readonly why: string
}

interface Import {
  readonly file: string
  readonly line: number
  readonly imported: string
  readonly isTypeOnly: boolean
}

const ground = ["domain", "text", "language", "system", "observability"]
const stores = [...ground, "storage", "embeddings"]

/**
 * The folders that each folder of `src` may import beside itself. A file at the top of `src` counts as a folder.
 * `main.ts` chooses the layers, so that it alone may import everything.
 */
const mayImport: Readonly<Record<string, ReadonlyArray<string>>> = {
  text: [],
  language: ["text"],
  domain: ["text", "language"],
  system: ["domain"],
  api: ["domain"],
  storage: ground,
  outbound: ground,
  embeddings: [...ground, "outbound"],
  models: [...ground, "outbound", "storage"],
  blobs: [...ground, "storage", "outbound"],
  readers: ground,
  knowledge: [...stores, "outbound", "readers"],
  agent: [...stores, "models", "outbound", "knowledge"],
  evaluation: [...stores, "knowledge", "models", "agent", "admission", "outbound"],
  backup: [...ground, "storage", "blobs"],
  identity: [...ground, "outbound", "storage"],
  admission: [...ground, "storage"],
  sources: [...stores, "blobs", "knowledge", "outbound", "readers"],
  topics: ["domain", "text", "language"],
  jobs: [
    ...stores,
    "admission",
    "blobs",
    "identity",
    "knowledge",
    "outbound",
    "readers",
    "sources",
    "evaluation",
    "topics",
  ],
  services: [
    ...stores,
    "admission",
    "blobs",
    "identity",
    "knowledge",
    "models",
    "outbound",
    "agent",
    "jobs",
    "readers",
    "sources",
    "topics",
    "evaluation",
  ],
  http: ["api", "admission", "services", "backup", ...ground, "Config.ts"],
  config: ["domain", "system", "outbound", "observability"],
  "Config.ts": ["config", "system"],
  "Logged.ts": ["Config.ts", "observability", "system"],
  observability: ["domain", "system"],
  supervisor: ["system", "Config.ts", "Launcher.ts"],
  cli: ["api", "services", "jobs", "backup", "embeddings", "domain", "system", "Config.ts"],
  "SettingsWarnings.ts": ["Config.ts", "system", "text"],
  "Installed.ts": [],
  "Launcher.ts": [],
  "launch.ts": [],
  quickstart: ["api", "domain", "system", "Launcher.ts"],
  web: ["api", "domain", "language"],
}

/** The folder whose files run in a browser, so that of other folders they may import types alone. */
const browser = "web"

/** Matches the file of a language, of which a browser may load what the widget says. It imports types alone. */
const languageFile = /^src\/language\/languages\/[a-z]{2}\.ts$/

/**
 * What others may import of a folder that has a face. That of the readers opens no file that somebody has sent: only a
 * process that is confined does so.
 */
const faces: Readonly<Record<string, ReadonlyArray<string>>> = {
  language: [
    "Detection.ts",
    "Language.ts",
    "Locale.ts",
    "Locales.ts",
    "WidgetTexts.ts",
    "messages/Books.ts",
    "messages/HumanWish.ts",
    "messages/QuestionWords.ts",
    "messages/Refusals.ts",
    "messages/SearchText.ts",
    "messages/SmallTalk.ts",
    "words/Commonness.ts",
    "words/PhraseBook.ts",
    "words/PlainLetters.ts",
    "words/QuestionForm.ts",
    "words/UnicodeWords.ts",
    "words/WordForms.ts",
    "words/WordTable.ts",
    "words/Words.ts",
  ],
  readers: [
    "Extract.ts",
    "extract/Decode.ts",
    "extract/Extraction.ts",
    "ocr/Ocr.ts",
    "process/ReaderSandbox.ts",
    "process/Sandbox.ts",
  ],
}

const entry = "src/main.ts"

/** What chooses the layers: these files may import everything, and nothing else in `src` imports them. */
const composition: ReadonlySet<string> = new Set([entry, "src/start.ts", "src/Layers.ts", "src/CommandLayers.ts"])

/** What makes the documentation for a build. A server loads none of it, nor the packages that it needs: it has the files. */
const documentation = "src/http/web/docs/"
const build = "src/http/web/BuildMain.ts"

/** What starts whole servers for tests. */
const wholeServer = "test/lib/TestServer.ts"

/** `src/http/App.ts` → `http`; `src/Config.ts` → `Config.ts`. */
const folderOf = (file: string): string => file.split("/")[1] ?? file

const whyWrong = ({ file, imported, isTypeOnly }: Import): string | undefined => {
  if (
    file.startsWith("src/") &&
    file !== build &&
    imported.startsWith(documentation) &&
    !file.startsWith(documentation)
  )
    return "only the build of the web pages makes the documentation"
  if (imported === build) return "a server starts the build as a process of its own"
  if (composition.has(file)) return undefined
  if (composition.has(imported)) {
    return imported === entry && file.startsWith("test/lib/")
      ? undefined
      : "only test/lib may import what chooses the layers"
  }
  if (!file.startsWith("src/")) return undefined
  // Without the extension, the import would name no file of the graph, and the checks below would miss it.
  if (!/\.\w+$/.test(imported)) return "an import names its file with the extension"
  if (imported.startsWith("test/")) return "src does not know its tests"
  if (!imported.startsWith("src/")) return undefined
  const [from, to] = [folderOf(file), folderOf(imported)]
  const allowed = mayImport[from]
  if (allowed === undefined) return `${from} has no place in the direction of imports yet: see mayImport`
  if (languageFile.test(file) && !isTypeOnly) return "the file of a language imports types alone: browsers load it"
  if (from === to) return undefined
  const isLoaded = from === browser && languageFile.test(imported)
  if (!isLoaded && faces[to]?.every((file) => imported !== `src/${to}/${file}`))
    return `of ${to}, others import only the files that \`faces\` lists`
  if (from === browser && !isTypeOnly && !isLoaded) return `${from} imports only types of other folders`
  if (allowed.includes(to)) return undefined
  return `${from} may import ${allowed.length === 0 ? "nothing else of ours" : `only ${allowed.join(", ")}`}`
}

/**
 * Matches static, type-only, re-exporting and dynamic imports, and workers: `new URL("./Worker.ts", import.meta.url)`.
 */
const importPattern = /(?:\bfrom\s*|\bimport\s*\(?\s*|\bnew URL\(\s*(?="[^"]+\.ts"))"(\.{1,2}\/[^"]+)"/g

const importsOf = (file: string, text: string): ReadonlyArray<Import> =>
  Array.from(text.matchAll(importPattern), (match) => ({
    file,
    line: text.slice(0, match.index).split("\n").length + match[0].split("\n").length - 1,
    imported: normalize(join(dirname(file), match[1] ?? "")),
    isTypeOnly: /^(?:import|export) type\b/.test(
      text.slice(text.slice(0, match.index).search(/(?:import|export)\b[^;"]*$/)),
    ),
  }))

/** Finds the import that closes each cycle. `nodeOf` returns the node of the graph that a file belongs to. */
const cycles = (
  graph: ReadonlyMap<string, ReadonlyArray<Import>>,
  nodeOf: (file: string) => string,
): ReadonlyArray<WrongImport> => {
  const found: Array<WrongImport> = []
  const finished = new Set<string>()
  const path: Array<string> = []
  const visit = (node: string): void => {
    path.push(node)
    for (const edge of graph.get(node) ?? []) {
      const next = nodeOf(edge.imported)
      const start = path.indexOf(next)
      if (start !== -1) found.push({ ...edge, why: `a cycle: ${[...path.slice(start), next].join(" → ")}` })
      else if (!finished.has(next)) visit(next)
    }
    path.pop()
    finished.add(node)
  }
  for (const node of graph.keys()) if (!finished.has(node)) visit(node)
  return found
}

/** Whether one folder is within the other, or both are the same. */
const areNested = (one: string, other: string): boolean =>
  one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`)

/**
 * Finds cycles among the folders of `src`, at any depth. A folder stands for the files directly in it. A folder and
 * those within it may import each other.
 */
const roomCycles = (graph: ReadonlyMap<string, ReadonlyArray<Import>>): ReadonlyArray<WrongImport> => {
  const between = Array.from(graph.values()).flatMap((imports) =>
    imports.filter(
      ({ file, imported }) =>
        file.startsWith("src/") && imported.startsWith("src/") && !areNested(dirname(file), dirname(imported)),
    ),
  )
  return cycles(
    Map.groupBy(between, ({ file }) => dirname(file)),
    dirname,
  )
}

/** Every file below `src` and `test` of `root`, with its imports. */
const graphOf = (root: string): ReadonlyMap<string, ReadonlyArray<Import>> => {
  const files = Array.from(new Glob("{src,test}/**/*.{ts,tsx}").scanSync(root)).toSorted()
  return new Map(files.map((file) => [file, importsOf(file, readFileSync(join(root, file), "utf8"))]))
}

const isTestFile = (file: string): boolean => /\.test\.tsx?$/.test(file)

/** The files that import one of these, directly or indirectly, and these themselves; `isFollowed` chooses the imports that count. */
const importersOf = (
  graph: ReadonlyMap<string, ReadonlyArray<Import>>,
  modules: ReadonlyArray<string>,
  isFollowed: (edge: Import) => boolean = () => true,
): ReadonlySet<string> => {
  const edges = Array.from(graph.values()).flat().filter(isFollowed)
  const importers = Map.groupBy(edges, ({ imported }) => imported)
  const found = new Set(modules)
  // A set that grows while it is walked is walked to its end.
  for (const module of found) for (const { file } of importers.get(module) ?? []) found.add(file)
  return found
}

/** The test files that import one of these modules, directly or indirectly. */
export const testsWith = (root: string, modules: ReadonlyArray<string>): ReadonlyArray<string> =>
  Array.from(importersOf(graphOf(root), modules))
    .filter(isTestFile)
    .toSorted()

/**
 * The test files that a change of these files can touch: those that import them, directly or indirectly, and those of the
 * same path below `test` as a file of `src` that does. What only `main.ts` and the server of tests lead to is not
 * followed: a test of a whole server contains everything, and is about the file whose path it has. Types alone change nothing that runs.
 */
export const testsTouchedBy = (root: string, changed: ReadonlyArray<string>): ReadonlyArray<string> => {
  const graph = graphOf(root)
  const touched = importersOf(
    graph,
    changed,
    ({ file, imported, isTypeOnly }) =>
      !isTypeOnly && imported !== entry && !(file === wholeServer && imported.startsWith("src/")),
  )
  const mirrors = Array.from(touched, (file) => file.replace(/^src\/(.*)\.tsx?$/, "test/$1.test.ts"))
  return Array.from(new Set([...touched, ...mirrors]))
    .filter((file) => isTestFile(file) && graph.has(file))
    .toSorted()
}

/**
 * Finds every import below `src` and `test` of `root` that breaks the direction, or closes a cycle among files or among
 * folders. Type-only imports count.
 */
export const wrongImports = (root: string): ReadonlyArray<WrongImport> => {
  const graph = graphOf(root)
  const misdirected = Array.from(graph.values()).flatMap((imports) =>
    imports.flatMap((one) => {
      const why = whyWrong(one)
      return why === undefined ? [] : [{ ...one, why }]
    }),
  )
  return [...misdirected, ...cycles(graph, (file) => file), ...roomCycles(graph)]
}

if (import.meta.main) {
  const wrong = wrongImports(join(import.meta.dir, "../.."))
  for (const { file, line, imported, why } of wrong) console.error(`${file}:${line} imports ${imported}: ${why}`)
  process.exitCode = wrong.length === 0 ? 0 : 1
}
