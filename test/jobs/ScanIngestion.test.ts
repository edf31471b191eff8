import { afterAll, beforeEach, expect } from "bun:test"
import { Duration, Effect, Latch, ManagedRuntime, type Scope } from "effect"
import { ScanWaits } from "../../src/readers/Extract.ts"
import { ingestionNeeds, look, reset, settled, start, startUnhurried, upload } from "../lib/Ingesting.ts"
import { eventually, ExtractControl, plainExtract } from "../lib/Layers.ts"
import { effectTests } from "../lib/EffectTests.ts"

const runtime = ManagedRuntime.make(ingestionNeeds)
type Services = ManagedRuntime.ManagedRuntime.Services<typeof runtime>
const run = <A, E>(effect: Effect.Effect<A, E, Services | Scope.Scope>) => runtime.runPromise(Effect.scoped(effect))
const it = effectTests(run)
afterAll(() => runtime.dispose())
beforeEach(() => run(reset))

it("a scan shows how many of its pages are recognized, with the help of the chatbot's other documents", function* () {
  yield* startUnhurried()
  const other = yield* upload("Was die anderen Dokumente sagen.")
  yield* settled(other)
  const extract = yield* ExtractControl
  const gate = yield* Latch.make(false)
  const texts: Array<string> = []
  extract.extract = (source, scans) =>
    Effect.gen(function* () {
      texts.push(...(yield* scans?.texts ?? Effect.succeed([])))
      scans?.onProgress(0.5)
      yield* gate.await
      return yield* plainExtract(source)
    })
  const scan = yield* upload("Half of its pages are read.", "scan.txt", other)
  const half = yield* eventually(look(scan), ({ progress }) => progress > 0)
  expect(half.status).toBe("extracting")
  expect(half.progress).toBeCloseTo(0.4)
  expect(texts).toEqual(["Was die anderen Dokumente sagen."])
  yield* gate.open
  expect(yield* settled(scan)).toMatchObject({ status: "ready", progress: 1 })
})

it("a scan that has to wait for others is read later, as often as that may be", function* () {
  const extract = yield* ExtractControl
  let waits = 0
  extract.extract = (source) =>
    waits++ < 5 ? Effect.fail(new ScanWaits({ delay: Duration.millis(1) })) : plainExtract(source)
  const scan = yield* upload("Its turn has come.", "scan.txt")
  yield* start()
  expect(yield* settled(scan)).toMatchObject({ status: "ready", error: null })
})
