import { isatty } from "node:tty"
import { dirname } from "node:path"
import { Console, Effect, FileSystem, Layer, Redacted } from "effect"
import { StartupError } from "../system/StartupError.ts"
import { wordsOf } from "../system/SystemError.ts"
import { Organizations } from "./Organizations.ts"

export interface BootstrapSettings {
  /** The first API key. If undefined, the first start generates one and shows it once. */
  readonly apiKey: Redacted.Redacted | undefined
  /** The file that a generated key is written to where nobody reads the output. */
  readonly keyFile: string
}

const STDOUT = 1

/**
 * Creates the operator's organization and its first key if they are missing, before the server listens. A generated key
 * is printed to a terminal. Any other output is usually kept, as the logs of containers are, and read by more people
 * than may use the key, so that there the key goes into a file that only the server's user can read.
 */
export const layer = ({ apiKey, keyFile }: BootstrapSettings) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const key = yield* (yield* Organizations).bootstrap(apiKey)
      if (key === undefined) return
      if (isatty(STDOUT)) return yield* Console.log(`Your API key, shown this once:\n\n  ${Redacted.value(key)}\n`)
      yield* write(keyFile, Redacted.value(key))
      yield* Console.log(`Your API key is in ${keyFile}, which you should delete once you have the key.`)
    }),
  )

/** Writes a new file. One that is there already is removed first, because its mode and owner would stay. */
const write = Effect.fnUntraced(
  function* (path: string, key: string) {
    const files = yield* FileSystem.FileSystem
    yield* files.makeDirectory(dirname(path), { recursive: true, mode: 0o700 })
    yield* files.remove(path, { force: true })
    yield* files.writeFileString(path, `${key}\n`, { flag: "wx", mode: 0o600 })
  },
  (written, path) =>
    Effect.mapError(
      written,
      (error) =>
        new StartupError({
          what: `The first API key could not be written to ${path}: ${wordsOf(error)}.`,
          doThis: "`bun run parley keys create first --scope all` makes another one.",
        }),
    ),
)
