import type { Scope } from "../../../../domain/keys/ApiKey.ts"
import { formatDay } from "../../../shared/Format.ts"
import { type ApiKey, stateOf } from "../../data/Admin.ts"

/*
 * Rights of keys and their time, in words.
 */

export const scopeChoices: ReadonlyArray<{ scope: Scope; label: string; hint: string }> = [
  { scope: "chat", label: "Chat", hint: "Talk to chatbots and rate replies." },
  { scope: "chatbots:read", label: "Read chatbots", hint: "View settings, tools and widgets." },
  { scope: "chatbots:write", label: "Manage chatbots", hint: "Create, edit and delete chatbots." },
  { scope: "knowledge:read", label: "Read knowledge", hint: "View and search documents." },
  { scope: "knowledge:write", label: "Manage knowledge", hint: "Upload, replace and delete documents." },
  { scope: "conversations:read", label: "Read conversations", hint: "View conversations and usage." },
  { scope: "conversations:write", label: "Delete conversations", hint: "Delete conversations and erase visitors." },
  { scope: "admin", label: "Manage keys", hint: "Manage keys and people, and view the audit log." },
  { scope: "operator", label: "Operate the server", hint: "Manage organizations and view the server's status." },
]

/** The scopes that a new key may have: those of the key that makes it. */
export const grantable = (own: ReadonlyArray<string>, isForOperator: boolean) =>
  scopeChoices.filter(({ scope }) => own.includes(scope) && (scope !== "operator" || isForOperator))

export const originsField = {
  label: "Address of your website",
  hint: "The widget works on its pages only. One per line; https://*.example.com is all below it, and * any website.",
  placeholder: "https://example.com",
  spellcheck: false,
  required: true,
  rows: 3,
}

export const endOf = (key: Pick<ApiKey, "expires_at" | "revoked_at">, now = Date.now()): string => {
  if (key.revoked_at !== null) return `Revoked ${formatDay(key.revoked_at.slice(0, 10))}`
  if (key.expires_at === null) return "Never"
  const day = formatDay(key.expires_at.slice(0, 10))
  return stateOf(key, now) === "expired" ? `Expired ${day}` : day
}

export const makerOf = (created_by: string | null, nameOf: (id: string) => string): string => {
  if (created_by === null) return "unknown"
  if (created_by === "operator" || created_by === "command line") return `the ${created_by}`
  return created_by === "bootstrap" ? "the first start" : nameOf(created_by)
}
