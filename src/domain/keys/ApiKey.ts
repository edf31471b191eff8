import { createHash } from "node:crypto"
import { DateTime, Schema } from "effect"
import { Budget, BudgetPatch } from "../organizations/Budget.ts"
import { ApiKeyId, ChatbotId, OrganizationId } from "../Ids.ts"
import { keyForm } from "../KeyForm.ts"
import { unexpressed } from "../schema/Unexpressed.ts"
import { Name } from "../schema/Text.ts"
import { Timestamp } from "../schema/Timestamp.ts"
import { AllowedOrigins, isPublishableKey } from "../widget/PublishableKey.ts"

/** Permission of a key. `admin` manages the keys of its organization, and with `operator` all organizations. */
export const Scope = Schema.Literals([
  "chatbots:read",
  "chatbots:write",
  "knowledge:read",
  "knowledge:write",
  "chat",
  "conversations:read",
  "conversations:write",
  "admin",
  "operator",
])
export type Scope = typeof Scope.Type

export const allScopes: ReadonlyArray<Scope> = Scope.literals

/** The scopes that a key of an organization may have: only the operator's organization has keys of the operator. */
export const scopesWithin = ({ is_operator }: { readonly is_operator: boolean }): ReadonlyArray<Scope> =>
  is_operator ? allScopes : allScopes.filter((scope) => scope !== "operator")

/**
 * Maker of a key: another key of its organization, the operator with a key of another organization, the command line,
 * or the first start. An organization learns nothing of the operator's keys.
 */
export const KeyMaker = Schema.Union([ApiKeyId, Schema.Literals(["operator", "command line", "bootstrap"])])
export type KeyMaker = typeof KeyMaker.Type

/** Purpose of a key: `secret` for the API, within its scopes, and `publishable` for the chat widget of a website. */
export const KeyKind = Schema.Literals(["secret", "publishable"])
export type KeyKind = typeof KeyKind.Type

/**
 * A key as it is listed. A secret key itself is shown once, when it is made, and only its hash is stored. A publishable
 * key may be read again.
 */
export const ApiKey = Schema.Struct({
  id: ApiKeyId,
  kind: KeyKind.annotate({
    description:
      "`secret`: a key of the API, within its scopes. `publishable`: a key that stands in the pages of a website, good for the chat widget of one chatbot only.",
  }),
  organization_id: OrganizationId,
  chatbot_id: Schema.NullOr(ChatbotId).annotate({ description: "The only chatbot this key serves, or null for all." }),
  name: Schema.String,
  prefix: Schema.String,
  last_four: Schema.String,
  scopes: Schema.Array(Scope).annotate({ description: "Empty for a publishable key." }),
  public_key: Schema.NullOr(Schema.String).annotate({
    description: "The key itself, if it is publishable; null for a secret one.",
    examples: ["pub_7Hq2mVxT9cKd4LrYw8Zs0B3fQe1d"],
  }),
  allowed_origins: Schema.NullOr(Schema.Array(Schema.String)).annotate({
    description: "Where the widget of a publishable key may be embedded; null for a secret key.",
    examples: [["https://example.com"]],
  }),
  budget: Budget,
  created_at: Timestamp,
  created_by: Schema.NullOr(KeyMaker).annotate({
    description:
      "The id of the key that made it, `operator` for a key of the operator's organization, `command line` or `bootstrap`; null where that was not recorded.",
  }),
  last_used_at: Schema.NullOr(Timestamp),
  expires_at: Schema.NullOr(Timestamp),
  revoked_at: Schema.NullOr(Timestamp),
}).annotate({ identifier: "ApiKey" })
export type ApiKey = typeof ApiKey.Type

export const ApiKeyName = Name

/** The last moment at which a key may expire, which every client and database can express. */
export const LAST_EXPIRY = DateTime.makeUnsafe("9999-12-31T23:59:59.999Z")

/** A date with the time and its offset, as RFC 3339 has it. A day that the month does not have is refused. */
const expiryForm = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/

const isExpiry = (text: string): boolean => {
  const [, day = ""] = expiryForm.exec(text) ?? []
  const midnight = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day)
}

/** The moment at which a key expires, as a client sends it. */
export const Expiry = Schema.String.check(
  Schema.makeFilter((text) => isExpiry(text) || "Expected a time in ISO 8601 with offset", unexpressed),
).pipe(Schema.decodeTo(Schema.DateTimeUtcFromString))

/** A change of a key. A field that is absent stays as it is. */
export const ApiKeyPatch = Schema.Struct({
  name: Schema.optionalKey(ApiKeyName),
  allowed_origins: Schema.optionalKey(AllowedOrigins),
  budget: Schema.optionalKey(BudgetPatch),
})
export type ApiKeyPatch = typeof ApiKeyPatch.Type

/**
 * Random bytes drawn for one key: more than enough to find 43 below 248 (= 4 × 62), so that no letter is likelier than
 * another.
 */
export const KEY_ENTROPY_BYTES = 128

/** 62^43 > 2^256. */
const secretForm = keyForm("prl_", 43)

/**
 * A new key from at least `KEY_ENTROPY_BYTES` random bytes: `prl_`, 43 characters of [0-9A-Za-z], and a checksum by
 * which a typing error or a leaked key in a log is recognized without the database.
 */
export const makeKey = secretForm.make

/**
 * Whether a text can be a secret key at all: one that Parley made, with a valid checksum, or one that an operator chose.
 */
export const isWellFormedKey = (key: string): boolean =>
  secretForm.fits(key) ? secretForm.isSound(key) : !isPublishableKey(key) && /^[!-~]{32,256}$/.test(key)

/** The hash under which a key is stored. A random 256-bit secret needs no slow hash. */
export const hashKey = (key: string): Uint8Array => createHash("sha256").update(key).digest()

/** The parts of a key that lists show. */
export const keyHint = (key: string) => ({ prefix: key.slice(0, 8), last_four: key.slice(-4) })
