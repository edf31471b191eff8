import { Duration } from "effect"

export interface WaitSettings {
  /** When the request says nothing. */
  readonly wait: Duration.Duration
  readonly waitLimit: Duration.Duration
}

/**
 * How long a request is willing to wait, from its `Prefer` header (RFC 7240): `wait=N` seconds, or not at all with
 * `respond-async` alone. What is not understood is ignored, as the RFC wants it.
 */
export const waitOf = (prefer: string | undefined, settings: WaitSettings): Duration.Duration => {
  const preferences = (prefer ?? "")
    .split(",")
    .map((preference) => preference.split(";")[0]?.trim().toLowerCase() ?? "")
  const [seconds] = preferences.flatMap((preference) => /^wait\s*=\s*"?(\d{1,9})"?$/.exec(preference)?.[1] ?? [])
  if (seconds !== undefined) return Duration.min(Duration.seconds(Number(seconds)), settings.waitLimit)
  return preferences.includes("respond-async") ? Duration.zero : settings.wait
}
