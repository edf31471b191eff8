import { dirname } from "node:path"
import { Duration, Effect, Exit } from "effect"
import { languageShownIn } from "../../languages/Detection.ts"
import { bounded } from "../../text/BoundedText.ts"
import type { Sandbox } from "../process/Sandbox.ts"
import { type Engine, type Image, OcrFailed, type OcrSettings, type PageReader, runOcr } from "./OcrEngine.ts"
import { languagesOfTexts, namesOf, namesOfScript } from "./OcrLanguages.ts"
import { textOfTable } from "./PageText.ts"

/** The data by which tesseract tells scripts apart, and how a page lies, among its languages. */
const SCRIPTS = "osd"
/** The first page that is less sure is recognized again, in the languages of its script. */
const UNSURE = 70

/** Recognizes pages by tesseract, which is confined as the processes that read documents are. */
export const tesseractEngine = Effect.fnUntraced(function* (
  settings: OcrSettings,
  program: string,
  chosen: Effect.Effect<Sandbox>,
): Effect.fn.Return<Engine> {
  // Its own threads make it slower, not faster, where documents are read side by side.
  const command = ["/usr/bin/env", "OMP_THREAD_LIMIT=1", program]
  const run = Effect.fnUntraced(function* (options: ReadonlyArray<string>, image?: Image) {
    const { wrap } = yield* chosen
    const wrapped = wrap([...command, ...options], [dirname(program)])
    return yield* runOcr(settings, wrapped, {}, image ?? new Uint8Array(), image !== undefined)
  })
  const installed = yield* Effect.cachedWithTTL(
    Effect.map(run(["--list-langs"]), ({ output }) => output.trim().split("\n").slice(1)),
    (exit) => (Exit.isSuccess(exit) ? Duration.infinity : Duration.zero),
  )

  return (texts) =>
    Effect.sync((): PageReader => {
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
          if (!hasScripts) return undefined
          const report = yield* run(["stdin", "stdout", "--psm", "0"], image)
          milliseconds += report.milliseconds
          return namesOfScript(report.output, languages)
          // It fails on pages with few letters.
        }).pipe(Effect.catchTag("OcrFailed", () => Effect.undefined))

        if (settled !== undefined) return { text: (yield* recognize(settled)).text, milliseconds }
        let best = yield* recognize(namesOf(languagesOfTexts(yield* texts), languages))
        const shown = languageShownIn(bounded(best.text))
        const others = best.confidence < UNSURE ? yield* byScript : shown && namesOf([shown], languages)
        if (others?.every((name) => best.names.includes(name)) === false) {
          const second = yield* recognize(others)
          if (second.confidence > best.confidence) best = second
        }
        if (best.text !== "") settled = best.names
        return { text: best.text, milliseconds }
      })
    })
})
