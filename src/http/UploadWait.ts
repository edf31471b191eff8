import { Duration } from "effect"

export interface WaitSettings {
  /** How long the server waits for documents when the request says nothing. */
  readonly wait: Duration.Duration
  /** The longest that the server waits, whatever the request says. */
  readonly waitLimit: Duration.Duration
}

/**
 * How long the server waits before it answers a request with this `Prefer` header (RFC 7240): `wait=N` seconds, or not
 * at all with `respond-async` alone. Preferences that the server does not know are ignored, as the RFC demands.
 */
export const waitOf = (prefer: string | undefined, settings: WaitSettings): Duration.Duration => {
  const preferences = (prefer ?? "")
    .split(",")
    .map((preference) => preference.split(";")[0]?.trim().toLowerCase() ?? "")
  const [seconds] = preferences.flatMap((preference) => /^wait\s*=\s*"?(\d{1,9})"?$/.exec(preference)?.[1] ?? [])
  if (seconds !== undefined) return Duration.min(Duration.seconds(Number(seconds)), settings.waitLimit)
  return preferences.includes("respond-async") ? Duration.zero : settings.wait
}
