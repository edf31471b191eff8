import { isatty } from "node:tty"
import { Console, Effect, Layer, Redacted } from "effect"
import { writePrivateFile } from "../../system/PrivateFile.ts"
import { StartupError } from "../../system/StartupError.ts"
import { wordsOf } from "../../system/SystemError.ts"
import { ConsoleSessions } from "../people/ConsoleSessions.ts"
import { Organizations } from "./Organizations.ts"
import { PublicUrl } from "../PublicUrl.ts"

export interface BootstrapSettings {
  /** The first API key. If undefined, the first start generates one and shows it once. */
  readonly apiKey: Redacted.Redacted | undefined
  /** The file that a generated key is written to where nobody reads the output. */
  readonly keyFile: string
  /** The file that a link to sign in at the console is written to where nobody reads the output. */
  readonly linkFile: string
}

const STDOUT = 1

/**
 * Creates the operator's organization and its first key if they are missing. A generated key is printed to a terminal.
 * Any other output is usually kept, as the logs of containers are, and read by more people than may use the key, so that
 * there the key goes into a file that only the server's user can read.
 */
const bootstrap = Effect.fnUntraced(function* ({ apiKey, keyFile }: BootstrapSettings) {
  const key = yield* (yield* Organizations).bootstrap(apiKey)
  if (key === undefined) return undefined
  if (isatty(STDOUT)) {
    yield* Console.log(`Your API key, shown this once:\n\n  ${Redacted.value(key)}\n`)
  } else {
    yield* write(keyFile, Redacted.value(key))
    yield* Console.log(`Your API key is in ${keyFile}, which you should delete once you have the key.`)
  }
  return key
})

/** Prepares the database for commands on keys and organizations. */
export const layer = (settings: BootstrapSettings) => Layer.effectDiscard(bootstrap(settings))

/**
 * Prepares the database for a server, before it listens. Where a key is generated, it shows a link as well, which signs
 * in at the console with that key: once, within an hour, and at this process.
 */
export const layerOfServer = (settings: BootstrapSettings) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const key = yield* bootstrap(settings)
      if (key === undefined) return
      const link = `${yield* PublicUrl}/console#sign-in=${yield* (yield* ConsoleSessions).makeLink(key)}`
      if (isatty(STDOUT))
        return yield* Console.log(`Open the console by this link, once and within an hour:\n\n  ${link}\n`)
      yield* write(settings.linkFile, link)
      yield* Console.log(`A link that opens the console, once and within an hour, is in ${settings.linkFile}.`)
    }),
  )

/** Writes a key, or a link with one, into a file that only the server's user can read. */
const write = (path: string, key: string) =>
  Effect.mapError(
    writePrivateFile(path, `${key}\n`),
    (error) =>
      new StartupError({
        what: `The first API key could not be written to ${path}: ${wordsOf(error)}.`,
        doThis: "`parley keys create first --scope all` makes another one.",
      }),
  )
