import { chmodSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "bun:test"
import { Duration, Effect, Layer } from "effect"
import { Extract } from "../../../src/readers/Extract.ts"
import { Ocr } from "../../../src/readers/ocr/Ocr.ts"
import { FindTesseract } from "../../../src/readers/ocr/Tesseract.ts"
import { ReaderSandbox } from "../../../src/readers/process/ReaderSandbox.ts"
import { defaults } from "../../lib/Defaults.ts"
import { blank } from "../../lib/files/Scans.ts"
import { temporaryDirectory } from "../../lib/TemporaryDirectory.ts"

const settings = { ...defaults.extract, deadline: Duration.minutes(1), sandbox: "off" } as const

/** A tesseract that has one language and reads one word, whatever the image is. */
const program = (directory: string, language: string) => {
  const path = join(directory, language)
  const row = ["5", "1", "1", "1", "1", "1", "0", "0", "9", "9", "96", `In-${language}`].join("\\t")
  writeFileSync(
    path,
    `#!/bin/sh\ncase $1 in --list*) printf 'Languages\\n${language}\\n';; *) cat >/dev/null; printf '${row}\\n';; esac\n`,
  )
  chmodSync(path, 0o755)
  return path
}

test("a tesseract, or a language of it, that is installed later reads the next document", () =>
  Effect.runPromise(
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory("tesseract")
      let path: string | null = null
      const found = Layer.succeed(FindTesseract, () => path)
      const read = Effect.gen(function* () {
        const extract = yield* Extract
        const source = { format: "png", name: "a.png", content: new Blob([blank(10)]) } as const
        const { passages } = yield* extract.split(source)
        return passages.map(({ text }) => text)
      })
      yield* Effect.gen(function* () {
        path = program(directory, "eng")
        expect(yield* read).toEqual(["In-eng"])
        path = program(directory, "deu")
        expect(yield* read).toEqual(["In-deu"])
      }).pipe(Effect.provide(Extract.layer(settings).pipe(Layer.provide(found))))
      const ocr = Ocr.layer(settings).pipe(Layer.provide(ReaderSandbox.layer("off")), Layer.provide(found))
      yield* Effect.gen(function* () {
        const { program: name } = yield* Ocr
        expect(yield* name).toBe("tesseract")
        path = null
        expect(yield* name).toContain("packages")
      }).pipe(Effect.provide(ocr))
    }).pipe(Effect.scoped),
  ))
