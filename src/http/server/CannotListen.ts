import { lookup } from "node:dns/promises"
import { Effect, Option } from "effect"
import { StartupError } from "../../system/StartupError.ts"
import { wordsOf } from "../../system/SystemError.ts"
import { HOST as SERVER_HOST, PORT as SERVER_PORT } from "../../system/Variables.ts"

/** The settings of the address on which the server listens. */
const OF_SERVER = [SERVER_HOST, SERVER_PORT] as const

/**
 * Explains why `Bun.serve` cannot listen on an address, which settings of these names choose. For an unknown host Bun
 * reports an unrelated earlier error, so the host is looked up first.
 */
export const cannotListen = Effect.fnUntraced(function* (
  { host, port }: { readonly host: string; readonly port: number },
  cause: unknown,
  [HOST, PORT]: readonly [host: string, port: string] = OF_SERVER,
) {
  const setHost = `Set ${HOST} to an address of this machine: 127.0.0.1 for this machine alone, 0.0.0.0 for all.`
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : ""
  const address = yield* Effect.option(Effect.tryPromise(() => lookup(host.replace(/^\[(.*)\]$/, "$1"))))
  if (Option.isNone(address)) {
    return new StartupError({
      what: `${HOST} is ${JSON.stringify(host)}, which is no address and no known name.`,
      doThis: setHost,
    })
  }
  switch (code) {
    case "EADDRINUSE":
      return new StartupError({
        what: `Port ${port} on ${host} is in use.`,
        doThis: `Stop what uses it, or set ${PORT}.`,
      })
    case "EACCES":
      return new StartupError({
        what: `This user may not listen on port ${port} of ${host}.`,
        doThis: `Set ${PORT} to 1024 or more, and let a reverse proxy or a port forwarding listen on the lower one.`,
      })
    case "EADDRNOTAVAIL":
      return new StartupError({
        what: `${HOST} is ${JSON.stringify(host)}, which is not an address of this machine.`,
        doThis: setHost,
      })
    default:
      return new StartupError({
        what: `Cannot listen on port ${port} of ${host}: ${wordsOf(cause)}.`,
        doThis: `Set ${HOST} and ${PORT} to what this machine can listen on.`,
      })
  }
})
