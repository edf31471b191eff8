import { describe, expect, setDefaultTimeout, test } from "bun:test"
import { Duration, Effect, Fiber, Logger, type Scope } from "effect"
import { Unavailable } from "../../../src/domain/Errors.ts"
import { TextRefused } from "../../../src/embeddings/Embeddings.ts"
import {
  type Inference,
  type InferenceSettings,
  startInference,
} from "../../../src/embeddings/sentences/InferenceProcess.ts"
import { until } from "../../lib/Until.ts"
import { temporaryDirectory } from "../../lib/TemporaryDirectory.ts"
import { writeFileSync } from "node:fs"
import { join } from "node:path"

setDefaultTimeout(180_000)

/**
 * The script of a process in place of that with a real model. Its vector is the number of texts that the process has
 * computed before. The text "die" ends the process and "break" fails it, "nothing" has no vector, and "die once" ends the
 * first process that gets it. The start fails while the file of the model holds "damaged".
 */
const script = `
import { existsSync, readFileSync, writeFileSync } from "node:fs"
let computed = 0
process.once("message", ({ model: { files: { model } } }) => {
  process.on("message", (texts) => {
    for (const text of texts) {
      if (text === "die" || (text === "die once" && !existsSync(model + ".died"))) {
        writeFileSync(model + ".died", "")
        process.exit(1)
      }
      if (text === "break") return process.send({ kind: "failed", message: "it is broken" })
    }
    const vectors = texts.map((text) => (text === "nothing" ? undefined : Float32Array.of(computed++)))
    process.send({ kind: "vectors", vectors })
  })
  const isDamaged = readFileSync(model, "utf8") === "damaged"
  process.send(isDamaged ? { kind: "failed", message: "it is damaged" } : { kind: "ready", isNative: true })
})
`

/** Runs `body` with a process of that script. `damage` and `mend` change the file of the model. */
const withProcess = <A, E>(
  body: (
    inference: Inference,
    file: { readonly damage: () => void; readonly mend: () => void },
  ) => Effect.Effect<A, E, Scope.Scope>,
  settings: Partial<InferenceSettings> = {},
) =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory("inference")
    const model = join(directory, "model")
    const write = (content: string) => () => writeFileSync(model, content)
    const file = { damage: write("damaged"), mend: write("whole") }
    yield* Effect.sync(() => {
      file.mend()
      writeFileSync(join(directory, "script.mjs"), script)
    })
    const inference = yield* startInference({
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
    return yield* body(inference, file)
  }).pipe(Effect.scoped, Effect.provide(Logger.layer([])), Effect.runPromise)

const passages = (inference: Inference, texts: ReadonlyArray<string>) =>
  Effect.forEach(texts, (text) => Effect.map(inference.passage(text), (vector) => vector[0]), {
    concurrency: "unbounded",
  })

describe("the process of an embedding model", () => {
  test("computes passages in their order, and a question before all passages that wait", () =>
    withProcess(
      Effect.fnUntraced(function* (inference) {
        const waiting = yield* Effect.forkScoped(passages(inference, ["one", "two", "three", "four"]), {
          startImmediately: true,
        })
        const [place = Number.NaN] = yield* inference.question("what?")
        // The first passage may be in progress already.
        expect(place).toBeLessThanOrEqual(1)
        expect(yield* Fiber.join(waiting)).toEqual([0, 1, 2, 3, 4].filter((other) => other !== place))
      }),
    ))

  test("is replaced when it dies, and the passages that it had are computed again", () =>
    withProcess(
      Effect.fnUntraced(function* (inference) {
        const vectors = yield* passages(inference, ["one", "die once", "two"])
        expect(vectors).toEqual([0, 0, 1])
      }),
    ))

  test.each(["die", "break"])("refuses a passage that always ends it (%s), and computes the others", (text) =>
    withProcess(
      Effect.fnUntraced(function* (inference) {
        const results = yield* Effect.forEach(["one", text, "two"], (each) => Effect.exit(inference.passage(each)), {
          concurrency: "unbounded",
        })
        expect(results.map(({ _tag }) => _tag)).toEqual(["Success", "Failure", "Success"])
        expect(yield* Effect.flip(inference.passage(text))).toBeInstanceOf(TextRefused)
      }),
    ),
  )

  test("refuses a text that has no vector, without ending", () =>
    withProcess(
      Effect.fnUntraced(function* (inference) {
        expect(yield* passages(inference, ["one"])).toEqual([0])
        expect(yield* Effect.flip(inference.passage("nothing"))).toBeInstanceOf(TextRefused)
        expect(yield* passages(inference, ["two"])).toEqual([1])
      }),
    ))

  test("fails a question at once that it dies of, and its successor answers the next one", () =>
    withProcess(
      Effect.fnUntraced(function* (inference) {
        expect(yield* Effect.flip(inference.question("die"))).toBeInstanceOf(Unavailable)
        expect(yield* passages(inference, ["one"])).toEqual([0])
        expect(yield* inference.question("what?")).toEqual(Float32Array.of(1))
      }),
    ))

  test("is said to be unavailable while it cannot be started, and goes on when it can", () =>
    withProcess(
      Effect.fnUntraced(function* (inference, { damage, mend }) {
        yield* Effect.sync(damage)
        expect(yield* Effect.flip(inference.passage("die"))).toMatchObject({
          _tag: "Unavailable",
          detail: expect.stringContaining("it is damaged"),
        })
        expect(yield* Effect.flip(inference.question("what?"))).toBeInstanceOf(Unavailable)
        yield* Effect.sync(mend)
        const vector = yield* Effect.eventually(inference.passage("one"))
        expect(vector).toEqual(Float32Array.of(0))
      }),
    ))

  test("fails when its first start fails", async () => {
    const started = withProcess(() => Effect.void, { script: new URL("./Missing.ts", import.meta.url) })
    expect(await started.catch((error: unknown) => error)).toMatchObject({ _tag: "ProcessFailure" })
  })
})

test("the process of a model ends when its server is killed", async () => {
  const main = Bun.resolveSync("../../../src/embeddings/sentences/InferenceMain.ts", import.meta.dir)
  const server = `const { pid } = Bun.spawn([process.execPath, ${JSON.stringify(main)}], { ipc: () => {} }); console.log(pid); setInterval(() => {}, 1_000)`
  await using parent = Bun.spawn([process.execPath, "-e", server], { stdout: "pipe" })
  const { value } = await parent.stdout.getReader().read()
  const pid = Number(new TextDecoder().decode(value))
  const lives = () => {
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  }
  expect(lives()).toBe(true)
  parent.kill("SIGKILL")
  await until(lives, false)
})
