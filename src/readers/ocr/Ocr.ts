import { Context, Effect, Layer } from "effect"
import { OCR_COMMAND } from "../../system/Variables.ts"
import { ReaderSandbox } from "../process/ReaderSandbox.ts"
import { type Engine, type OcrSettings, runOcr } from "./OcrEngine.ts"
import { languagesOfTexts } from "./OcrLanguages.ts"
import { textOfLines } from "./PageText.ts"
import { FindTesseract, tesseractEngine } from "./Tesseract.ts"

const OFF = "off"

/** Recognizes pages by the operator's command, which nothing confines: it may use a network and other devices. */
const commandEngine =
  (settings: OcrSettings, command: string): Engine =>
  (texts) =>
    Effect.map(Effect.cached(Effect.map(texts, languagesOfTexts)), (languages) =>
      Effect.fnUntraced(function* (image) {
        const { PATH = "/usr/local/bin:/usr/bin:/bin", HOME = "/" } = process.env
        const environment = { PATH, HOME, OCR_LANGUAGES: (yield* languages).join() }
        const { milliseconds, output } = yield* runOcr(settings, ["/bin/sh", "-c", command], environment, image, false)
        return { text: textOfLines(output), milliseconds }
      }),
    )

/** Recognizes text in images by another program. */
export class Ocr extends Context.Service<
  Ocr,
  {
    /** What recognizes text now, for the operator; undefined where nothing does. */
    readonly program: Effect.Effect<string | undefined>
    /** Begins a document; undefined where no program recognizes text. */
    readonly begin: Engine | undefined
  }
>()("parley/readers/ocr/Ocr") {
  static readonly layer = (settings: OcrSettings) =>
    Layer.effect(
      Ocr,
      Effect.gen(function* () {
        const { chosen } = yield* ReaderSandbox
        const find = yield* FindTesseract
        if (settings.ocr === OFF) return { program: Effect.undefined, begin: undefined }
        if (settings.ocr !== undefined) {
          return { program: Effect.succeed(OCR_COMMAND), begin: commandEngine(settings, settings.ocr) }
        }
        const program = Effect.sync(() =>
          find() === null ? "the tesseract among the packages; an installed one is faster" : "tesseract",
        )
        return { program, begin: tesseractEngine(settings, find, chosen) }
      }),
    )
}
