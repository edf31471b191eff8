import { Context, type Duration, Effect, Fiber, Layer, Option } from "effect"
import type { StartupError } from "../system/StartupError.ts"
import type { BackupReport } from "../domain/system/BackupReport.ts"
import { Backup, type BackupOptions } from "./Backup.ts"

/** Backups that a server makes on behalf of commands, which ask again and again how far one is. */
export class BackupRuns extends Context.Service<BackupRuns>()("parley/backup/BackupRuns", {
  make: Effect.gen(function* () {
    const backup = yield* Backup
    const scope = yield* Effect.scope
    const runs = new Map<string, Fiber.Fiber<BackupReport, StartupError>>()

    return {
      /**
       * Begins a backup, or joins the one to the same directory that is under way, and waits for its end. Returns
       * undefined when it has not ended by then; it goes on in any case. A backup that has ended meanwhile is only
       * returned to a command that asks again: a new command whose predecessor was cut off gets a backup of its own.
       */
      run: Effect.fn("BackupRuns.run")(function* (options: BackupOptions, wait: Duration.Duration, asksAgain: boolean) {
        const name = JSON.stringify([options.directory, options.organization])
        const before = runs.get(name)
        const isJoined = before !== undefined && (asksAgain || before.pollUnsafe() === undefined)
        const fiber = isJoined ? before : yield* Effect.forkIn(backup.run(options), scope)
        runs.set(name, fiber)
        const ended = yield* Effect.timeoutOption(Fiber.await(fiber), wait)
        if (Option.isNone(ended)) return undefined
        runs.delete(name)
        return yield* ended.value
      }),
    }
  }),
}) {
  static readonly layer = Layer.effect(this, this.make)
}
