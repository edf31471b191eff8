import { Console, Effect, type Layer } from "effect"
import { Command, Flag } from "effect/cli"
import { BlobCopy } from "../jobs/BlobCopy.ts"
import { StartupError } from "../system/StartupError.ts"
import { command } from "./Arguments.ts"

const store = (name: string, description: string) =>
  Flag.Literals(name, ["local", "s3"]).pipe(Flag.withDescription(description))

const copy = command("copy", "Copy all files between the local directory and S3; may be repeated", {
  from: store("from", "The store to read"),
  to: store("to", "The store to write"),
  verify: Flag.Boolean("verify").pipe(
    Flag.withDescription("Read all files of both stores and compare them"),
    Flag.withDefault(false),
  ),
})(
  Effect.fn(function* ({ from, to, verify }) {
    if (from === to) {
      return yield* new StartupError({ what: `Both stores are ${from}.`, doThis: "Name two different ones." })
    }
    const { bytes, copied, different, failed, present } = yield* (yield* BlobCopy).copy({ from, to, verify })
    yield* Console.log(`Files copied: ${copied} (${bytes} bytes). Already there: ${present}.`)
    for (const key of failed) yield* Console.error(`${key} could not be copied.`)
    for (const key of different) yield* Console.error(`${key} is not the same in both stores.`)
    if (failed.length > 0) {
      return yield* new StartupError({
        what: `Files that are not copied: ${failed.length}.`,
        doThis: "Run it again, which continues where it was.",
      })
    }
    if (different.length > 0) {
      return yield* new StartupError({
        what: `Files that differ: ${different.length}.`,
        doThis: `Delete them in ${to} and run it again.`,
      })
    }
    if (verify) yield* Console.log("All files are the same in both stores.")
  }),
)

/** The commands on the store of files. */
export const blobs = <E, R>(layer: Layer.Layer<BlobCopy, E, R>) =>
  Command.make("blobs").pipe(
    Command.withDescription("Move files between stores"),
    Command.withSubcommands([Command.provide(copy, layer)]),
  )
