import { Option, Schema } from "effect"
import { HttpUrl } from "../domain/schema/HttpUrl.ts"
import { Name, textBetween } from "../domain/schema/Text.ts"
import type { Profile } from "../domain/people/Person.ts"

/** The most values of a claim that are looked at: more than a person has groups. */
const VALUES_MAX = 2_000

export type Claims = Readonly<Record<string, unknown>>

const decodeSubject = Schema.decodeUnknownOption(textBetween(1, 255))
const decodeName = Schema.decodeUnknownOption(Name)
const decodeEmail = Schema.decodeUnknownOption(textBetween(3, 320))
const decodeAvatar = Schema.decodeUnknownOption(HttpUrl)

/** Reads a profile from claims; undefined where the subject cannot be stored. */
export const profileIn = (issuer: string, claims: Claims): Profile | undefined => {
  const subject = Option.getOrUndefined(decodeSubject(claims["sub"]))
  if (subject === undefined) return undefined
  const named = [claims["name"], claims["preferred_username"], claims["email"]].flatMap((name) =>
    Option.toArray(decodeName(name)),
  )
  return {
    issuer,
    subject,
    name: named[0],
    email: Option.getOrUndefined(decodeEmail(claims["email"])),
    avatar: Option.getOrUndefined(decodeAvatar(claims["picture"])),
  }
}

const isRecord = (value: unknown): value is Claims => typeof value === "object" && value !== null

/**
 * The value of a claim. A name that no claim has may be a path with dots, such as Keycloak's `realm_access.roles`; names
 * that are URLs have dots, too.
 */
export const claimIn = (claims: Claims, name: string): unknown =>
  Object.hasOwn(claims, name)
    ? claims[name]
    : name
        .split(".")
        .reduce<unknown>((at, key) => (isRecord(at) && Object.hasOwn(at, key) ? at[key] : undefined), claims)

/** The texts of a claim, which is a text or a list of texts. */
export const valuesIn = (claims: Claims, name: string): ReadonlyArray<string> => {
  const found = claimIn(claims, name)
  const list: ReadonlyArray<unknown> = Array.isArray(found) ? found.slice(0, VALUES_MAX) : [found]
  return list.filter((value) => typeof value === "string")
}
