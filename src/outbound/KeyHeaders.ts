import { Redacted } from "effect"

/** Matches the hosts of Azure's models. */
const AZURE = /\.(?:openai|cognitiveservices|services\.ai)\.azure\.com$/

/**
 * The headers with which a server gets its key: as a bearer token, and on Azure also as `api-key`. There, endpoints of one
 * kind know the one and those of another kind the other, so that Azure's own clients send both, too.
 */
export const keyHeaders = (url: string, apiKey: Redacted.Redacted | undefined): Record<string, string> => {
  if (apiKey === undefined) return {}
  const key = Redacted.value(apiKey)
  return { authorization: `Bearer ${key}`, ...(AZURE.test(new URL(url).hostname) && { "api-key": key }) }
}
