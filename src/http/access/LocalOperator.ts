import { timingSafeEqual } from "node:crypto"
import { Context, Effect, FileSystem, Layer, type Scope } from "effect"
import { SecureRandom } from "effect/crypto"
import type { HttpServerRequest } from "effect/http"
import { allScopes } from "../../domain/keys/ApiKey.ts"
import { noBudget } from "../../domain/organizations/Budget.ts"
import { type Caller, COMMAND_LINE } from "../../domain/Caller.ts"
import { everything } from "../../domain/Page.ts"
import { Organizations } from "../../services/organizations/Organizations.ts"
import { DatabaseTraits } from "../../system/DatabaseTraits.ts"
import { writePrivateFile } from "../../system/PrivateFile.ts"
import { encodeRunningServer, TOKEN_PREFIX } from "../../system/RunningServer.ts"
import { StartupError } from "../../system/StartupError.ts"
import { wordsOf } from "../../system/SystemError.ts"
import { unguessableText } from "../../system/UnguessableId.ts"

type Request = HttpServerRequest.HttpServerRequest

/** A listener for programs on the same machine. */
export interface LocalListener {
  readonly url: string
  /** Whether a request has come by this listener. */
  readonly isLocal: (request: Request) => boolean
}

interface LocalOperatorSettings {
  /** The file that names the server and its token to commands. */
  readonly file: string
  readonly listenLocally: Effect.Effect<LocalListener, StartupError, Scope.Scope>
}

const nobody = (_request: Request, _key: string): Caller["Service"] | undefined => undefined

/**
 * Recognizes the operator's commands on the machine of the server, which cannot open the embedded database while the
 * server runs: they send a token that the server has written into a file of the data directory.
 */
export class LocalOperator extends Context.Service<LocalOperator>()("parley/http/access/LocalOperator", {
  /**
   * Listens for commands, writes the address and a new token into `file`, and removes that when the scope closes. On a
   * Postgres server, where commands need no server, there is neither listener nor file.
   */
  make: ({ file, listenLocally }: LocalOperatorSettings) =>
    Effect.gen(function* () {
      if (!(yield* DatabaseTraits).isAlone) return { callerOf: nobody }
      const files = yield* FileSystem.FileSystem
      const random = yield* SecureRandom.SecureRandom
      const { items } = yield* (yield* Organizations).list(everything)
      const organization = yield* Effect.orDie(Effect.fromNullishOr(items.find((one) => one.is_operator)))
      const caller: Caller["Service"] = {
        apiKeyId: COMMAND_LINE,
        organizationId: organization.id,
        scopes: allScopes,
        chatbots: null,
        expiresAt: null,
        budgets: { organization: organization.budget, key: noBudget },
      }
      const token = `${TOKEN_PREFIX}${yield* unguessableText(random)}`
      const expected = Buffer.from(token)
      const { isLocal, url } = yield* listenLocally

      yield* Effect.acquireRelease(
        Effect.flatMap(encodeRunningServer({ url, pid: process.pid, token }), (text) =>
          writePrivateFile(file, `${text}\n`),
        ).pipe(
          Effect.mapError(
            (error) =>
              new StartupError({
                what: `${file} cannot be written: ${wordsOf(error)}.`,
                doThis: "Let the server's user write to its directory.",
              }),
          ),
        ),
        () => Effect.ignore(files.remove(file)),
      )

      return {
        /**
         * The operator, if the request has the token as its key, and has come by the listener that only the file names,
         * so that it is from this machine and no proxy has passed it on; undefined for every other request.
         */
        callerOf: (request: Request, key: string): Caller["Service"] | undefined => {
          if (!key.startsWith(TOKEN_PREFIX) || !isLocal(request)) return undefined
          const sent = Buffer.from(key)
          return sent.length === expected.length && timingSafeEqual(sent, expected) ? caller : undefined
        },
      }
    }),
}) {
  static readonly layer = (settings: LocalOperatorSettings) => Layer.effect(this, this.make(settings))
}
