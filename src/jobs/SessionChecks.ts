import { Context, Duration, Effect, Layer } from "effect"
import { claimedRoles } from "../domain/people/ClaimedRoles.ts"
import { SignInFailed } from "../domain/people/SignInFailure.ts"
import type { SignInProviderId } from "../domain/people/SignInProvider.ts"
import { OpenId } from "../identity/OpenId.ts"
import { PersonSessions } from "../storage/people/PersonSessions.ts"
import { type DueSession, ProviderPeople } from "../storage/people/ProviderPeople.ts"
import { SignInProviders } from "../storage/people/SignInProviders.ts"
import { regularly } from "../system/Background.ts"

/** Time after which a session is checked again with the provider that has signed the person in. */
const CHECKED_EVERY = Duration.minutes(15)

/** The time between two runs. */
export const SessionChecksInterval: Context.Reference<Duration.Duration> = Context.Reference<Duration.Duration>(
  "parley/jobs/SessionChecksInterval",
  { defaultValue: () => Duration.minutes(1) },
)

/** Sessions that are taken together, and those that are checked at once: a provider that is slow holds up the others. */
const SESSIONS_AT_ONCE = 50
const CHECKS_AT_ONCE = 5
const WARNING = "Sessions could not be checked with their providers"

const unreachable = new SignInFailed({ code: "unreachable" })

/**
 * Asks the providers about the people whose sessions were not checked for long enough, and completes when they are. A
 * session ends when the provider knows the person no more, when no role is left, when it has given no refresh token, and
 * when it could not be asked for four times as long.
 */
export const run = Effect.fn("SessionChecks.run")(function* (every: Duration.Duration = CHECKED_EVERY) {
  const people = yield* ProviderPeople
  const providers = yield* SignInProviders
  const sessions = yield* PersonSessions
  const openId = yield* OpenId
  /** Providers that have not answered in this run. */
  const down = new Set<SignInProviderId>()

  const ask = Effect.fnUntraced(function* (session: DueSession) {
    const provider = yield* providers.find(session.provider_id)
    const { tokens } = session
    if (provider === undefined || tokens?.refresh === undefined) return yield* new SignInFailed({ code: "refused" })
    if (down.has(provider.id)) return yield* unreachable
    const said = yield* Effect.tapError(
      openId.ask({ ...provider, redirectUri: tokens.redirectUri }, tokens.refresh, session.subject),
      ({ code }) => Effect.sync(() => (code === "unreachable" ? down.add(provider.id) : down)),
    )
    const roles = said.values && claimedRoles(provider.role_mappings, said.values)
    const given = { refresh: said.refreshToken ?? tokens.refresh, signOut: said.signOutUrl ?? tokens.signOut }
    if (!(yield* people.checked(session, { ...tokens, ...given }, roles)))
      return yield* new SignInFailed({ code: "no_role" })
  })

  const end = ({ id, person_id }: DueSession) =>
    Effect.catchTag(sessions.remove(person_id, id), "NotFound", () => Effect.void)

  const check = (session: DueSession) =>
    Effect.catchTag(ask(session), "SignInFailed", ({ code, detail }) => {
      const mayBeTransient = code !== "refused" && code !== "no_role"
      if (!mayBeTransient || session.is_overdue) return end(session)
      return Effect.logWarning(WARNING, { provider_id: session.provider_id, code, detail })
    })

  yield* Effect.repeat(
    Effect.tap(people.due(every, SESSIONS_AT_ONCE), (due) =>
      Effect.forEach(due, check, { concurrency: CHECKS_AT_ONCE, discard: true }),
    ),
    { while: (due) => due.length > 0 },
  )
})

/** Runs it in the background, every minute, as long as the layer lives. */
export const layer = Layer.effectDiscard(
  Effect.flatMap(SessionChecksInterval, (interval) => Effect.forkScoped(regularly(interval, WARNING, run()))),
)
