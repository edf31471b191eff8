import { Context, Duration } from "effect"

/** Waits for the documents of an upload, which proxies let pass: they give up after a minute or later. */
export interface UploadWaits {
  /** Wait of a request that says nothing. */
  readonly usual: Duration.Input
  /** Longest wait, whatever the request says. */
  readonly longest: Duration.Input
}

export const UploadWaits: Context.Reference<UploadWaits> = Context.Reference<UploadWaits>("parley/http/UploadWaits", {
  defaultValue: () => ({ usual: "20 seconds", longest: "60 seconds" }),
})

/**
 * Returns the wait before a request with this `Prefer` header is answered (RFC 7240): `wait=N` seconds, or not
 * at all with `respond-async` alone. Preferences that the server does not know are ignored, as the RFC demands.
 */
export const waitOf = (prefer: string | undefined, waits: UploadWaits): Duration.Duration => {
  const preferences = (prefer ?? "")
    .split(",")
    .map((preference) => preference.split(";")[0]?.trim().toLowerCase() ?? "")
  const [seconds] = preferences.flatMap((preference) => /^wait\s*=\s*"?(\d{1,9})"?$/.exec(preference)?.[1] ?? [])
  if (seconds !== undefined)
    return Duration.min(Duration.seconds(Number(seconds)), Duration.fromInputUnsafe(waits.longest))
  return preferences.includes("respond-async") ? Duration.zero : Duration.fromInputUnsafe(waits.usual)
}
