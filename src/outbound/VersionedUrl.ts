/**
 * The base URL of a provider's API, without a slash at its end and with the version that its path lacks: people write
 * the address with `/v1` and without. A path that names a version keeps it, because not every server calls its own
 * `v1`.
 */
export const withVersion = (baseUrl: string): string => {
  const base = baseUrl.replace(/\/+$/, "")
  return /\/v\d[^/]*(\/|$)/.test(new URL(base).pathname) ? base : `${base}/v1`
}
