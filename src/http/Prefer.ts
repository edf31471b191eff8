import { Duration } from "effect"

export interface WaitSettings {
  /** When the request says nothing. */
  readonly uploadWait: Duration.Duration
  readonly uploadWaitLimit: Duration.Duration
}

/**
 * How long a request is willing to wait, from its `Prefer` header (RFC 7240): `respond-async`, or `wait=N` seconds.
 * What is not understood is ignored, as the RFC wants it.
 */
export const waitOf = (prefer: string | undefined, settings: WaitSettings): Duration.Duration => {
  const preferences = (prefer ?? "")
    .split(",")
    .map((preference) => preference.split(";")[0]?.trim().toLowerCase() ?? "")
  for (const preference of preferences) {
    if (preference === "respond-async") return Duration.zero
    const seconds = /^wait\s*=\s*"?(\d{1,9})"?$/.exec(preference)?.[1]
    if (seconds !== undefined) return Duration.min(Duration.seconds(Number(seconds)), settings.uploadWaitLimit)
  }
  return settings.uploadWait
}
