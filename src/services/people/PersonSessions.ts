import { Duration, Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { Caller } from "../../domain/Caller.ts"
import { NotFound, Unauthorized, type Unavailable } from "../../domain/Errors.ts"
import { ApiKeyId } from "../../domain/Ids.ts"
import { hashKey, KEY_ENTROPY_BYTES } from "../../domain/keys/ApiKey.ts"
import { makeSessionSecret } from "../../domain/people/Invitation.ts"
import { scopesOf } from "../../domain/people/Rights.ts"
import type { PersonSession } from "../../domain/people/Person.ts"
import { Service } from "../../domain/Service.ts"
import { atBorder } from "../../observability/Border.ts"
import * as Storage from "../../storage/people/PersonSessions.ts"
import { regularly } from "../../system/Background.ts"
import { recentLookups } from "../keys/RecentLookups.ts"

/** Whom a session is for, and how they have signed in. */
export type SessionOf = Omit<Storage.NewSession, "hash" | "id" | "lifetime">

const FORGET_INTERVAL = Duration.hours(1)

const isOver = new Unauthorized({ detail: "This session has ended. Sign in again." })
const noSession = new NotFound({ detail: "You have no such session." })

/** Sessions of people who are signed in at the console. What ends one holds within a second, on every server. */
export class PersonSessions extends Service<PersonSessions>()("parley/services/people/PersonSessions", function* () {
  const storage = yield* Storage.PersonSessions
  const random = yield* SecureRandom.SecureRandom
  yield* Effect.forkScoped(regularly(FORGET_INTERVAL, "Old sessions were not deleted", storage.forget))

  const lookups = yield* recentLookups(
    (hash) => atBorder(storage.findLive(Buffer.from(hash, "base64")), { span: "session lookup" }),
    ({ expires_in }) => expires_in,
  )

  return {
    /**
     * Returns the person to whom a session's secret belongs. `unlessKnown` runs before anything else, except for
     * sessions that this process has found before.
     */
    authenticate: Effect.fnUntraced(function* <E = never>(
      secret: string,
      unlessKnown: Effect.Effect<void, E> = Effect.void,
    ): Effect.fn.Return<Caller["Service"], Unauthorized | Unavailable | E> {
      const hash = Buffer.from(hashKey(secret)).toString("base64")
      if (!lookups.isKnown(hash)) yield* unlessKnown
      const live = yield* lookups.find(hash)
      if (live === undefined) return yield* isOver
      const { budgets, id, is_operator, organization_id, person, roles, version } = live
      return {
        apiKeyId: ApiKeyId.make(person.id),
        organizationId: organization_id,
        scopes: scopesOf(roles, null).filter((scope) => scope !== "operator" || is_operator),
        chatbots: null,
        expiresAt: null,
        person,
        session: { id, roles, version },
        budgets,
      }
    }),

    begin: Effect.fnUntraced(function* (of: SessionOf, lifetime: Duration.Duration) {
      const secret = makeSessionSecret(yield* random.randomBytes(KEY_ENTROPY_BYTES))
      yield* storage.insert({ ...of, id: yield* random.uuidV7(), hash: hashKey(secret), lifetime })
      return secret
    }),

    /** Ends the session with this secret. Returns it; undefined where there is none. */
    end: (secret: string) => storage.end(hashKey(secret)),

    /** Lists the caller's own sessions, the latest use first; none of an API key. */
    own: Caller.use(({ person, session }) =>
      person === undefined
        ? Effect.succeed([])
        : Effect.map(storage.list(person.id), (found): ReadonlyArray<PersonSession> =>
            found.map((one) => ({ ...one, is_current: one.id === session?.id })),
          ),
    ),

    endOwn: (id: string) =>
      Caller.use(({ person }) => (person === undefined ? noSession : Effect.asVoid(storage.remove(person.id, id)))),
  }
}) {}
