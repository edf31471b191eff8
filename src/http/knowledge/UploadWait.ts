import { Context, Duration } from "effect"

/** Waits for the documents of an upload, which proxies let pass: they give up after a minute or later. */
export const UploadWaits = Context.Reference("parley/http/UploadWaits", {
  defaultValue: () => ({
    /** Wait of a request that says nothing. */
    usual: Duration.seconds(20) as Duration.Input,
    /** Longest wait, also where the request asks for more. */
    longest: Duration.seconds(60) as Duration.Input,
  }),
})

/**
 * Returns the wait before a request with this `Prefer` header is answered (RFC 7240): `wait=N` seconds, or not
 * at all with `respond-async` alone. Preferences that the server does not know are ignored, as the RFC demands.
 */
export const waitOf = (prefer: string | undefined, waits: (typeof UploadWaits)["Service"]): Duration.Duration => {
  const preferences = (prefer ?? "")
    .split(",")
    .map((preference) => preference.split(";")[0]?.trim().toLowerCase() ?? "")
  const [seconds] = preferences.flatMap((preference) => /^wait\s*=\s*"?(\d{1,9})"?$/.exec(preference)?.[1] ?? [])
  if (seconds !== undefined)
    return Duration.min(Duration.seconds(Number(seconds)), Duration.fromInputUnsafe(waits.longest))
  return preferences.includes("respond-async") ? Duration.zero : Duration.fromInputUnsafe(waits.usual)
}
