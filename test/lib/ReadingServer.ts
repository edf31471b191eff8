import { Duration, Effect } from "effect"
import { ExtractProcess } from "../../src/knowledge/process/ExtractProcess.ts"
import { hostilePdfs } from "./files/HostilePdfs.ts"

/*
 * A process that lets a reader process read an endless document, and prints the id of the reader once it is reading.
 */

const endless = hostilePdfs.find(({ name }) => name === "forms in forms.pdf")

await Effect.runPromise(
  Effect.scoped(
    Effect.gen(function* () {
      const reader = yield* ExtractProcess.start(1_000_000)
      const limits = { memory: Number.POSITIVE_INFINITY, time: Duration.minutes(1) }
      yield* reader.ask({ format: "html", name: "a.html", bytes: new TextEncoder().encode("<p>Ready.") }, limits, false)
      const bytes = endless?.make() ?? new Uint8Array()
      const reading = reader.ask({ format: "pdf", name: "a.pdf", bytes }, limits, false)
      const print = Effect.delay(
        Effect.sync(() => void process.stdout.write(String(reader.pid))),
        "500 millis",
      )
      yield* Effect.all([reading, print], { concurrency: "unbounded" })
    }),
  ),
)
