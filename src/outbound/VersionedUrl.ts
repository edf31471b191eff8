/** Matches a path that names a version, or a deployment of Azure, which has none: not every server calls its own `v1`. */
const VERSIONED = /\/v\d[^/]*(?:\/|$)|\/openai\/deployments\//
/** The path of the address that people copy in place of a base. */
const CHAT = "/chat/completions"

/**
 * The address of an endpoint of a provider, such as `/embeddings`, below the base that its API has: people write it with
 * `/v1` and without. One that ends in the endpoint is used as it is, and a query stays behind the path.
 */
export const endpointAt = (baseUrl: string, endpoint: string): string => {
  const url = new URL(baseUrl)
  const path = url.pathname.replace(/\/+$/, "")
  if (!path.endsWith(endpoint)) {
    const base = path.endsWith(CHAT) ? path.slice(0, -CHAT.length) : path
    url.pathname = `${base !== path || VERSIONED.test(base) ? base : `${base}/v1`}${endpoint}`
  }
  return url.href
}
