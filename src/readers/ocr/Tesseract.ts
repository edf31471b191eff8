import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { Context, Effect } from "effect"
import { languageShownIn } from "../../language/Detection.ts"
import { bounded } from "../../text/BoundedText.ts"
import type { Sandbox } from "../process/Sandbox.ts"
import { type Engine, type Image, OcrFailed, type OcrSettings, runOcr } from "./OcrEngine.ts"
import { languagesOfTexts, namesOf, namesOfScript, type ScriptNames } from "./OcrLanguages.ts"
import { textOfTable } from "./PageText.ts"

/** The data by which tesseract tells scripts apart, and how a page lies, among its languages. */
const SCRIPTS = "osd"
/** The first page that is less sure is recognized again, in the languages of its script. */
const UNSURE = 70

/** tesseract in WebAssembly, a package that is always there. It is a third to a fifth as fast as the real one. */
const PACKAGED = fileURLToPath(new URL("./TesseractMain.ts", import.meta.url))

/** Finds the path of the tesseract that is installed now; null where none is. */
export const FindTesseract: Context.Reference<() => string | null> = Context.Reference(
  "parley/readers/ocr/FindTesseract",
  { defaultValue: () => () => Bun.which("tesseract") },
)

/** The command that recognizes pages now. Its own threads make it slower, not faster, where documents are read side by side. */
const commandOf = (program: string | null) =>
  program === null
    ? { command: [process.execPath, PACKAGED], directories: [], data: "@tesseract.js-data/" }
    : {
        command: ["/usr/bin/env", "OMP_THREAD_LIMIT=1", program],
        directories: [dirname(program)],
        data: "tesseract's ",
      }

/** Recognizes pages by tesseract, which is confined as the processes that read documents are. */
export const tesseractEngine = (
  settings: OcrSettings,
  find: () => string | null,
  chosen: Effect.Effect<Sandbox>,
): Engine =>
  Effect.fnUntraced(function* (texts) {
    // Both are looked for at each document: what is installed meanwhile needs no restart.
    const { command, data, directories } = commandOf(find())
    const run = Effect.fnUntraced(function* (options: ReadonlyArray<string>, image?: Image) {
      const { wrap } = yield* chosen
      const wrapped = wrap([...command, ...options], directories)
      return yield* runOcr(settings, wrapped, {}, image ?? new Uint8Array(), image !== undefined)
    })
    const installed = yield* Effect.cached(
      Effect.map(run(["--list-langs"]), ({ output }) => output.trim().split("\n").slice(1)),
    )
    /** The languages in which a page of the document was recognized. */
    let settled: ReadonlyArray<string> | undefined

    return Effect.fnUntraced(function* (image) {
      const languages = new Set(yield* installed)
      const hasScripts = languages.delete(SCRIPTS)
      if (languages.size === 0) return yield* new OcrFailed({ how: "it has no languages", isUnreadable: false })
      let milliseconds = 0
      const recognize = Effect.fnUntraced(function* (names: ReadonlyArray<string>) {
        const layout = hasScripts ? "1" : "3"
        const result = yield* run(["stdin", "stdout", "-l", names.join("+"), "--psm", layout, "tsv"], image)
        milliseconds += result.milliseconds
        return { ...textOfTable(result.output), names }
      })
      const byScript = Effect.gen(function* () {
        if (!hasScripts) return {}
        const report = yield* run(["stdin", "stdout", "--psm", "0"], image)
        milliseconds += report.milliseconds
        return namesOfScript(report.output, languages)
        // It fails on pages with few letters.
      }).pipe(Effect.catchTag("OcrFailed", () => Effect.succeed({})))

      if (settled !== undefined) return { text: (yield* recognize(settled)).text, milliseconds }
      let best = yield* recognize(namesOf(languagesOfTexts(yield* texts), languages))
      const shown = languageShownIn(bounded(best.text))
      const { lacks, names: others }: ScriptNames =
        best.confidence < UNSURE ? yield* byScript : { names: shown && namesOf([shown], languages) }
      if (others?.every((name) => best.names.includes(name)) === false) {
        const second = yield* recognize(others)
        if (second.confidence > best.confidence) best = second
      }
      if (best.text !== "") settled = best.names
      const missing =
        lacks && best.text === ""
          ? `Its letters look like ${lacks.script}, for which ${data}${lacks.language} has to be installed on the server.`
          : undefined
      return { text: best.text, milliseconds, lacks: missing }
    })
  })
