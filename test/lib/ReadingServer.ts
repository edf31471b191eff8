import { Duration, Effect } from "effect"
import { ExtractProcess } from "../../src/readers/process/ExtractProcess.ts"
import { ReaderSandbox } from "../../src/readers/process/ReaderSandbox.ts"
import { hostilePdfs } from "./files/HostilePdfs.ts"
import { eventually } from "./Layers.ts"

/*
 * A stand-in for the server: it starts a process that reads an endless document, and prints the ids of that process, and of
 * those behind which it runs in a sandbox, once the document is being read.
 */

/** The processor time in milliseconds after which the document is being read for sure. */
const WORK = 200

const endless = hostilePdfs.find(({ name }) => name === "forms in forms.pdf")

await Effect.runPromise(
  Effect.scoped(
    Effect.gen(function* () {
      const { chosen } = yield* ReaderSandbox
      const reader = yield* ExtractProcess.start(1_000_000, yield* chosen)
      const limits = { memory: Number.POSITIVE_INFINITY, time: Duration.minutes(1) }
      yield* reader.read({ format: "html", name: "a.html", content: new Blob(["<p>Ready."]) }, limits)
      const content = new Blob([new Uint8Array(endless?.make() ?? [])])
      const reading = reader.read({ format: "pdf", name: "a.pdf", content }, limits)
      const { milliseconds } = yield* reader.usage
      const printPid = eventually(reader.usage, (now) => now.milliseconds > milliseconds + WORK).pipe(
        Effect.andThen(Effect.sync(() => void process.stdout.write(reader.pids.join(" ")))),
      )
      yield* Effect.all([reading, printPid], { concurrency: "unbounded" })
    }).pipe(Effect.provide(ReaderSandbox.layer("auto"))),
  ),
)
