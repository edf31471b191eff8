import { Effect, Stream } from "effect"
import { StartupError } from "../system/StartupError.ts"
import { openContents } from "./Contents.ts"
import { readFile } from "./Files.ts"

const READ_AT_ONCE = 4
/** The most faults that are reported one by one. */
const EXAMPLES = 5

/** Reads every file of a backup, and compares it with the size and the checksum in the manifest. */
export const verify = Effect.fn("Backup.verify")(function* (directory: string) {
  const { blobs, manifest, pathOf, tables } = yield* openContents(directory)
  const faults: Array<string> = []
  let count = 0
  const note = <A, R>(check: Effect.Effect<A, StartupError, R>) =>
    Effect.catch(Effect.asVoid(check), ({ what }) =>
      Effect.sync(() => {
        count++
        if (faults.length < EXAMPLES) faults.push(what)
      }),
    )
  for (const { pages } of tables) yield* note(Stream.runDrain(pages))
  yield* note(
    Stream.runDrain(
      Stream.mapEffect(blobs, (blob) => note(Stream.runDrain(readFile(pathOf(blob), blob))), {
        concurrency: READ_AT_ONCE,
      }),
    ),
  )
  if (count > 0) {
    return yield* new StartupError({
      what: `${faults.join(" ")}${count > faults.length ? ` ${count - faults.length} other files are damaged too.` : ""}`,
      doThis: "Use another backup, and make a new one.",
    })
  }
  return manifest
})
