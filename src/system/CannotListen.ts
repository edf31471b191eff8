import { lookup } from "node:dns/promises"
import { Effect, Option } from "effect"
import { StartupError } from "./StartupError.ts"
import { wordsOf } from "./SystemError.ts"
import { HOST, PORT } from "./Variables.ts"

const setHost = `Set ${HOST} to an address of this machine: 127.0.0.1 for this machine alone, 0.0.0.0 for all.`

const explain = (host: string, port: number, cause: unknown): readonly [what: string, doThis: string] => {
  switch (cause instanceof Error && "code" in cause ? cause.code : undefined) {
    case "EADDRINUSE":
      return [`Port ${port} on ${host} is in use.`, `Stop what uses it, or set ${PORT}.`]
    case "EACCES":
      return [
        `This user may not listen on port ${port} of ${host}.`,
        `Set ${PORT} to 1024 or more, and let a reverse proxy or a port forwarding listen on the lower one.`,
      ]
    case "EADDRNOTAVAIL":
      return [`${HOST} is ${JSON.stringify(host)}, which is not an address of this machine.`, setHost]
    default:
      return [
        `Cannot listen on port ${port} of ${host}: ${wordsOf(cause)}.`,
        `Set ${HOST} and ${PORT} to what this machine can listen on.`,
      ]
  }
}

/**
 * Explains why `Bun.serve` cannot listen on an address. For an unknown host Bun reports an unrelated earlier error, so the
 * host is looked up first.
 */
export const cannotListen = Effect.fnUntraced(function* (
  { host, port }: { readonly host: string; readonly port: number },
  cause: unknown,
) {
  const address = yield* Effect.option(Effect.tryPromise(() => lookup(host.replace(/^\[(.*)\]$/, "$1"))))
  const [what, doThis] = Option.isNone(address)
    ? [`${HOST} is ${JSON.stringify(host)}, which is no address and no known name.`, setHost]
    : explain(host, port, cause)
  return new StartupError({ what, doThis })
})
