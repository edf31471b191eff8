import type { Scope } from "../../../../domain/ApiKey.ts"
import { formatDay } from "../../../shared/Format.ts"

/*
 * Rights of keys and their time, in words.
 */

/** A right of a key, as people choose it. */
export interface ScopeChoice {
  readonly scope: Scope
  readonly label: string
  readonly hint: string
}

export const scopeChoices: ReadonlyArray<ScopeChoice> = [
  { scope: "chat", label: "Chat", hint: "Talk to chatbots, and rate replies." },
  { scope: "chatbots:read", label: "Read chatbots", hint: "Their settings, tools and widgets." },
  { scope: "chatbots:write", label: "Change chatbots", hint: "Create, change and delete them." },
  { scope: "knowledge:read", label: "Read knowledge", hint: "Documents, and the search in them." },
  { scope: "knowledge:write", label: "Change knowledge", hint: "Upload, replace and delete documents." },
  { scope: "conversations:read", label: "Read conversations", hint: "What visitors said, and usage." },
  { scope: "conversations:write", label: "Delete conversations", hint: "And erase visitors." },
  { scope: "admin", label: "Manage keys", hint: "Create and revoke keys, and read the audit log." },
  { scope: "operator", label: "Operate the server", hint: "All organizations, and the state of the server." },
]

/** The scopes that a new key may have: those of the key that makes it. */
export const grantable = (own: ReadonlyArray<string>, isForOperator: boolean): ReadonlyArray<ScopeChoice> =>
  scopeChoices.filter(({ scope }) => own.includes(scope) && (scope !== "operator" || isForOperator))

/** An explanation of the texts that a form takes for allowed origins. */
export const originsHint =
  "One a line: https://example.com, or https://*.example.com for all subdomains. * allows every page."

/** For how long a key is good. */
export const lifetimes = [
  { value: "never", label: "Never" },
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
  { value: "day", label: "On a day" },
] as const
export type Lifetime = (typeof lifetimes)[number]["value"]

const DAY_MILLIS = 86_400_000

/** Time at which a key expires; undefined for never. A day is whole: the key expires at its end, in UTC. */
export const expiryOf = (lifetime: Lifetime, day: string, now: number): string | undefined => {
  if (lifetime === "never") return undefined
  if (lifetime === "day") return `${day}T23:59:59Z`
  return new Date(now + Number(lifetime) * DAY_MILLIS).toISOString()
}

interface Timed {
  readonly expires_at: string | null
  readonly revoked_at: string | null
}

/** Whether a key can be used. */
export const stateOf = ({ expires_at, revoked_at }: Timed, now: number): "active" | "expired" | "revoked" => {
  if (revoked_at !== null) return "revoked"
  return expires_at !== null && Date.parse(expires_at) <= now ? "expired" : "active"
}

/** End of a key's validity, in words. */
export const endOf = (key: Timed, now: number): string => {
  const state = stateOf(key, now)
  if (state === "revoked") return `Revoked ${formatDay((key.revoked_at ?? "").slice(0, 10))}`
  if (key.expires_at === null) return "Never"
  const day = formatDay(key.expires_at.slice(0, 10))
  return state === "expired" ? `Expired ${day}` : day
}

/** The maker of a key, in words. */
export const makerOf = (created_by: string | null, nameOf: (id: string) => string): string => {
  if (created_by === null) return "unknown"
  if (created_by === "operator") return "the operator"
  if (created_by === "command line") return "the command line"
  return created_by === "bootstrap" ? "the first start" : nameOf(created_by)
}
