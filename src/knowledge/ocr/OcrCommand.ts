import { Effect } from "effect"
import { type Engine, type OcrSettings, runOcr } from "./OcrEngine.ts"
import { languagesOfTexts } from "./OcrLanguages.ts"
import { textOfLines } from "./PageText.ts"

/** Recognizes pages by the operator's command, which nothing confines: it may use a network and other devices. */
export const commandEngine =
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
