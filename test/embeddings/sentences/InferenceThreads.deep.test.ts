import { describe, expect, setDefaultTimeout, test } from "bun:test"
import { Duration, Effect, Fiber, Logger, type Scope } from "effect"
import { Unavailable } from "../../../src/domain/Errors.ts"
import { TextRefused } from "../../../src/embeddings/Embeddings.ts"
import {
  type InferenceThreads,
  startThreads,
  type ThreadSettings,
} from "../../../src/embeddings/sentences/InferenceThreads.ts"
import { temporaryDirectory } from "../../lib/TemporaryDirectory.ts"
import { writeFileSync } from "node:fs"
import { join } from "node:path"

setDefaultTimeout(180_000)

/**
 * The script of a thread in place of that with a real model. Its vector is the number of texts that the thread has
 * computed before. The text "die" ends the thread and "break" fails it, "nothing" has no vector, and "die once" ends the
 * first thread that gets it. The start fails while the file of the model holds "damaged".
 */
const script = `
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { parentPort, workerData } from "node:worker_threads"
const { model } = workerData.files
let computed = 0
parentPort.on("message", (text) => {
  if (text === "die" || (text === "die once" && !existsSync(model + ".died"))) {
    writeFileSync(model + ".died", "")
    process.exit(1)
  }
  if (text === "break") return parentPort.postMessage({ kind: "failed", message: "it is broken" })
  if (text === "nothing") return parentPort.postMessage({ kind: "refused" })
  parentPort.postMessage({ kind: "vector", vector: Float32Array.of(computed++) })
})
parentPort.postMessage(readFileSync(model, "utf8") === "damaged" ? { kind: "failed", message: "it is damaged" } : { kind: "ready" })
`

/** Runs `body` with threads of that script. `damage` and `mend` change the file of the model. */
const withThreads = <A, E>(
  body: (
    threads: InferenceThreads,
    file: { readonly damage: () => void; readonly mend: () => void },
  ) => Effect.Effect<A, E, Scope.Scope>,
  settings: Partial<ThreadSettings> = {},
) =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory("threads")
    const model = join(directory, "model")
    const write = (content: string) => () => writeFileSync(model, content)
    const file = { damage: write("damaged"), mend: write("whole") }
    yield* Effect.sync(() => {
      file.mend()
      writeFileSync(join(directory, "script.mjs"), script)
    })
    const threads = yield* startThreads({
      model: {
        files: { model, tokenizer: "", tokenizerConfig: undefined, runtime: "" },
        pooling: "mean",
        dimensions: 1,
        maxTokens: 16,
      },
      threads: 1,
      script: Bun.pathToFileURL(join(directory, "script.mjs")),
      restartDelay: Duration.millis(50),
      ...settings,
    })
    return yield* body(threads, file)
  }).pipe(Effect.scoped, Effect.provide(Logger.layer([])), Effect.runPromise)

const passages = (threads: InferenceThreads, texts: ReadonlyArray<string>) =>
  Effect.forEach(texts, (text) => Effect.map(threads.passage(text), (vector) => vector[0]), {
    concurrency: "unbounded",
  })

describe("threads of an embedding model", () => {
  test("compute passages in their order, and a question before all passages that wait", () =>
    withThreads(
      Effect.fnUntraced(function* (threads) {
        const waiting = yield* Effect.forkScoped(passages(threads, ["one", "two", "three", "four"]), {
          startImmediately: true,
        })
        const [place = Number.NaN] = yield* threads.question("what?")
        // The first passage may be in progress already.
        expect(place).toBeLessThanOrEqual(1)
        expect(yield* Fiber.join(waiting)).toEqual([0, 1, 2, 3, 4].filter((other) => other !== place))
      }),
    ))

  test("compute passages again whose thread has died, and lose none", () =>
    withThreads(
      Effect.fnUntraced(function* (threads) {
        const vectors = yield* passages(threads, ["one", "die once", "two"])
        expect(vectors).toEqual([0, 0, 1])
      }),
    ))

  test.each(["die", "break"])("refuse a passage that always ends its thread (%s), and compute the others", (text) =>
    withThreads(
      Effect.fnUntraced(function* (threads) {
        const results = yield* Effect.forEach(["one", text, "two"], (each) => Effect.exit(threads.passage(each)), {
          concurrency: "unbounded",
        })
        expect(results.map(({ _tag }) => _tag)).toEqual(["Success", "Failure", "Success"])
        expect(yield* Effect.flip(threads.passage(text))).toBeInstanceOf(TextRefused)
      }),
    ),
  )

  test("refuse a text that has no vector, without ending a thread", () =>
    withThreads(
      Effect.fnUntraced(function* (threads) {
        expect(yield* passages(threads, ["one"])).toEqual([0])
        expect(yield* Effect.flip(threads.passage("nothing"))).toBeInstanceOf(TextRefused)
        expect(yield* passages(threads, ["two"])).toEqual([1])
      }),
    ))

  test("fail a question at once whose thread dies, and answer the next one when there is another thread", () =>
    withThreads(
      Effect.fnUntraced(function* (threads) {
        expect(yield* Effect.flip(threads.question("die"))).toBeInstanceOf(Unavailable)
        expect(yield* passages(threads, ["one"])).toEqual([0])
        expect(yield* threads.question("what?")).toEqual(Float32Array.of(1))
      }),
    ))

  test("say that they are unavailable while none can be started, and go on when one can", () =>
    withThreads(
      Effect.fnUntraced(function* (threads, { damage, mend }) {
        yield* Effect.sync(damage)
        expect(yield* Effect.flip(threads.passage("die"))).toMatchObject({
          _tag: "Unavailable",
          detail: expect.stringContaining("it is damaged"),
        })
        expect(yield* Effect.flip(threads.question("what?"))).toBeInstanceOf(Unavailable)
        yield* Effect.sync(mend)
        const vector = yield* Effect.eventually(threads.passage("one"))
        expect(vector).toEqual(Float32Array.of(0))
      }),
    ))

  test("fail when the first start fails", async () => {
    const started = withThreads(() => Effect.void, { script: new URL("data:text/javascript,process.exit(1)") })
    expect(await started.catch((error: unknown) => error)).toMatchObject({ _tag: "ThreadFailure" })
  })
})
