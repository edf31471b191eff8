import { Context, Effect, Layer } from "effect"
import { OCR_COMMAND } from "../../system/Variables.ts"
import { ReaderSandbox } from "../process/ReaderSandbox.ts"
import { type Engine, type OcrSettings, runOcr } from "./OcrEngine.ts"
import { languagesOfTexts } from "./OcrLanguages.ts"
import { textOfLines } from "./PageText.ts"
import { tesseractEngine } from "./Tesseract.ts"

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
    /** The name of the program for the operator; undefined where there is none. */
    readonly program: string | undefined
    /** Begins a document; undefined where no program recognizes text. */
    readonly begin: Engine | undefined
  }
>()("parley/knowledge/ocr/Ocr") {
  static readonly layer = (settings: OcrSettings) =>
    Layer.effect(
      Ocr,
      Effect.gen(function* () {
        const { chosen } = yield* ReaderSandbox
        const tesseract = Bun.which("tesseract")
        if (settings.ocr === OFF || (settings.ocr === undefined && tesseract === null)) {
          return { program: undefined, begin: undefined }
        }
        if (settings.ocr !== undefined) {
          return { program: OCR_COMMAND, begin: commandEngine(settings, settings.ocr) }
        }
        return { program: "tesseract", begin: yield* tesseractEngine(settings, tesseract ?? "", chosen) }
      }),
    )
}
