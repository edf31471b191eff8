import { describe, expect, test } from "bun:test"
import { Duration, Effect, Layer } from "effect"
import { detect, type Format } from "../../../src/domain/knowledge/Formats.ts"
import { Extract, type ExtractSettings, TextLimit } from "../../../src/readers/Extract.ts"
import { WallClockFactor } from "../../../src/readers/process/Watch.ts"
import { defaults } from "../../lib/Defaults.ts"
import { slownessWithMemory } from "../../lib/effort/Guard.ts"
import type { Fate, HostileFile } from "../../lib/files/Fates.ts"
import { hostileFiles, hostileNames } from "../../lib/files/HostileFiles.ts"
import { quiet } from "../../lib/Layers.ts"
import { sharedRun } from "../../lib/Scoped.ts"

/*
 * Malicious files, each read beside a harmless one, as a server reads them: with lower limits than its defaults, so that
 * files which reach them do so soon. `test/http/HostileFiles.test.ts` uploads a few of them to a server.
 */

const run = sharedRun()

/** One process for the malicious file, and another for the harmless one. */
const extractWith = (settings: Partial<ExtractSettings>) => {
  const all = { ...defaults.extract, concurrency: 2, memory: 256 * 1024 * 1024, ocr: "off", ...settings }
  const layer = Layer.provide(Extract.layer(all), Layer.succeed(TextLimit, 3_000_000))
  // The processes have the lowest priority, and on a busy machine they may wait much longer than they work.
  return run(Layer.build(Layer.mergeAll(layer, Layer.succeed(WallClockFactor, 1_000), quiet)))
}

/** The processes take new memory most of all. */
const slow = Math.ceil(await slownessWithMemory())
/** For files that may run out of time: on a faster or slower machine they fail in another of the ways that are fine. */
const hasty = await extractWith({ deadline: Duration.seconds(slow) })
/** For files that must not run out of time. None of them takes a fifth of it. */
const patient = await extractWith({ deadline: Duration.seconds(5 * slow) })

const extractFor = (fate: Fate) =>
  fate.status === "failed" && fate.codes.includes("extraction_timed_out") ? hasty : patient

const read = (name: string, format: Format, content: Uint8Array<ArrayBuffer>) =>
  Effect.map(
    Extract.use(({ split }) => split({ name, format, content: new Blob([content]) })),
    ({ passages }) => passages.map(({ text }) => text).join("\n\n"),
  )

/** Reads a harmless file in a process, and checks that it is read whole. */
const readSibling = Effect.fnUntraced(function* (name: string) {
  const text = `The heron breeds beside the mill, number ${Bun.hash(name)}.`
  expect(yield* read("sibling.html", "html", new TextEncoder().encode(`<p>${text}`))).toBe(text)
})

test("there are at least sixty hostile files, each with a name of its own", () => {
  const names = [...hostileFiles, ...hostileNames].map(({ name }) => name)
  expect(names.length).toBeGreaterThanOrEqual(60)
  expect(new Set(names).size).toBe(names.length)
})

describe("a hostile file ends as expected, and affects no file that is read beside it", () => {
  test.each(hostileFiles.map((file) => [file.name, file] as const))(
    "%s",
    async (_, { fate, make, name }: HostileFile) => {
      const content = make()
      const format = detect(name, content, content)
      if (fate.status === 415) return expect(format).toBeUndefined()
      if (format === undefined) throw new Error("The file is of none of the formats that are read.")
      const both = Effect.all([Effect.result(read(name, format, content)), readSibling(name)], { concurrency: 2 })
      const [result] = await Effect.runPromiseWith(extractFor(fate))(both)
      if (fate.status === "ready") return expect(result).toMatchObject({ _tag: "Success" })
      expect(result).toMatchObject({ _tag: "Failure", failure: { message: expect.stringMatching(/^[A-Z].*\.$/s) } })
      if (result._tag === "Failure") expect(fate.codes).toContain("code" in result.failure ? result.failure.code : "")
    },
    600_000,
  )
})
