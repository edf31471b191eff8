import { existsSync, readdirSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { parseArgs } from "node:util"
import { detect, type Format } from "../../src/domain/knowledge/Formats.ts"
import { readDocument as read } from "../lib/Defaults.ts"
import { renderedText } from "./lib/RenderedText.ts"

/** Returns the words in lower case, without diacritics. In scripts without spaces each character is a word. */
const wordsOf = (text: string): ReadonlyMap<string, number> => {
  const words = new Map<string, number>()
  const plain = text.normalize("NFKC").toLowerCase()
  for (const [word] of plain.matchAll(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{M}\p{N}]+/gu)) {
    words.set(word, (words.get(word) ?? 0) + 1)
  }
  return words
}

/** Returns the expected text without its markup: comments, addresses, escapes, entities. */
const spoken = (markdown: string): string =>
  markdown
    .replace(/<!--[\s\S]*?-->/g, " ")
    .replace(/\]\((?:[^()]|\([^()]*\))*\)/g, "] ")
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&amp;/g, "&")
    .replace(/\\(?=[_*#])/g, "")

const count = (words: ReadonlyMap<string, number>) => words.values().reduce((sum, number) => sum + number, 0)

interface Recall {
  readonly found: number
  readonly expected: number
}

/** Counts how many of the expected words a text has, each at most as often as it is expected. */
const recall = (expected: string, text: string): Recall => {
  const [wanted, had] = [wordsOf(expected), wordsOf(spoken(text))]
  let found = 0
  for (const [word, number] of wanted) found += Math.min(number, had.get(word) ?? 0)
  return { found, expected: count(wanted) }
}

/** Reads a file; rejects if it is unreadable. */
type Extractor = (bytes: Uint8Array, path: string, format: Format) => Promise<string>

interface Library {
  readonly name: string
  readonly extract: Extractor
}

interface Outcome {
  readonly format: Format
  readonly file: string
  readonly recall: Recall | undefined
  readonly milliseconds: number
}

const parley: Library = {
  name: "Parley",
  extract: async (bytes, path, format) => (await read({ format, name: path, bytes })).text,
}

/** A document and its expected words. */
interface Sample {
  readonly path: string
  readonly expected: string
}

const withExpectedText = (directory: string): ReadonlyArray<Sample> =>
  readdirSync(join(directory, "files"))
    .sort()
    .map((file) => ({ path: join(directory, "files", file), expected: join(directory, "expected", `${file}.md`) }))
    .filter(({ expected }) => existsSync(expected))
    .map(({ path, expected }) => ({ path, expected: spoken(readFileSync(expected, "utf8")) }))

/** All Markdown documents below a directory. The expected text of each is its rendered text. */
const rendered = (directory: string): ReadonlyArray<Sample> =>
  readdirSync(directory, { encoding: "utf8", recursive: true })
    .filter((file) => file.endsWith(".md"))
    .sort()
    .map((file) => join(directory, file))
    .map((path) => ({ path, expected: renderedText(readFileSync(path, "utf8")) }))
    .filter(({ expected }) => wordsOf(expected).size > 0)

const measure = async (library: Library, { path, expected }: Sample): Promise<Outcome | undefined> => {
  const bytes = readFileSync(path)
  const format = detect(basename(path), bytes, bytes)
  if (format === undefined) return undefined
  const begin = performance.now()
  const text = await library.extract(new Uint8Array(bytes), path, format).catch(() => undefined)
  const milliseconds = performance.now() - begin
  return { format, file: basename(path), recall: text === undefined ? undefined : recall(expected, text), milliseconds }
}

const share = ({ found, expected }: Recall) => found / expected

const row = (cells: ReadonlyArray<string>) =>
  cells.map((cell, index) => (index === 0 ? cell.padEnd(16) : cell.padStart(12))).join("")

const line = (text: string) => void process.stdout.write(`${text}\n`)

const report = (library: Library, outcomes: ReadonlyArray<Outcome>): void => {
  for (const [format, files] of Map.groupBy(outcomes, (each) => each.format)) {
    const recalls = files.map((each) => each.recall ?? { found: 0, expected: 1 })
    const mean = recalls.reduce((sum, each) => sum + share(each), 0) / files.length
    const all = files.flatMap((each) => each.recall ?? [])
    const pooled = share({
      found: all.reduce((sum, each) => sum + each.found, 0),
      expected: all.reduce((sum, each) => sum + each.expected, 0),
    })
    const failed = files.filter((each) => each.recall === undefined).length
    const milliseconds = files.reduce((sum, each) => sum + each.milliseconds, 0) / files.length
    line(
      row([
        library.name,
        format,
        String(files.length),
        mean.toFixed(3),
        pooled.toFixed(3),
        String(failed),
        milliseconds.toFixed(1),
      ]),
    )
  }
}

const isLibrary = (value: unknown): value is Library =>
  typeof value === "object" && value !== null && "name" in value && "extract" in value

/** Another library's adapter: a module whose `libraries` each have a `name` and `extract(bytes, path, format)`. */
const others = async (module: string | undefined): Promise<ReadonlyArray<Library>> => {
  if (module === undefined) return []
  const loaded: unknown = await import(module)
  const list: unknown = typeof loaded === "object" && loaded !== null && "libraries" in loaded ? loaded.libraries : []
  return Array.isArray(list) ? list.filter(isLibrary) : []
}

/** Shows the text of each file in a directory, for people to compare with what its own program shows. */
const show = async (directory: string): Promise<void> => {
  for (const file of readdirSync(directory).sort()) {
    const bytes = readFileSync(join(directory, file))
    const format = detect(file, bytes, bytes)
    if (format === undefined) continue
    const text = await parley.extract(new Uint8Array(bytes), file, format).catch((cause: unknown) => String(cause))
    line(`===== ${file}\n${text}\n`)
  }
}

/**
 * Measures the share of the expected words that extraction finds, by format. `--data DIR` holds documents in `files`
 * and their text as Markdown in `expected`, under the document's name and `.md`; of the Markdown below `--markdown DIR`
 * what an independent renderer shows is expected. `--files` lists each file; `--beside MODULE` measures other libraries
 * too. `--show DIR` shows the text of each file instead.
 */
export const run = async (args: ReadonlyArray<string>): Promise<void> => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      data: { type: "string" },
      markdown: { type: "string" },
      show: { type: "string" },
      files: { type: "boolean", default: false },
      beside: { type: "string" },
    },
  })
  const { data, markdown } = values
  if (values.show !== undefined) return show(values.show)
  if (data === undefined && markdown === undefined)
    throw new Error("--data DIR, --markdown DIR or --show DIR is missing")
  const samples = [
    ...(data === undefined ? [] : withExpectedText(data)),
    ...(markdown === undefined ? [] : rendered(markdown)),
  ]
  line(row(["library", "format", "files", "mean recall", "all words", "failed", "ms per file"]))
  for (const library of [parley, ...(await others(values.beside))]) {
    const outcomes: Array<Outcome> = []
    for (const sample of samples) {
      const outcome = await measure(library, sample)
      if (outcome !== undefined) outcomes.push(outcome)
    }
    report(library, outcomes)
    if (!values.files) continue
    for (const each of outcomes) {
      line(`  ${each.file.padEnd(52)} ${each.recall === undefined ? "failed" : share(each.recall).toFixed(3)}`)
    }
  }
}
