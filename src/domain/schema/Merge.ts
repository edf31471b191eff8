import { isDeepStrictEqual } from "node:util"
import type { Effect, Schema } from "effect"
import type { InvalidRequest } from "../Errors.ts"

/*
 * Changes of resources that the API shows as JSON objects (RFC 7396, JSON Merge Patch).
 */

/**
 * Computes the patch that a client asks for from the resource as it is shown now. Fails where the resource cannot be
 * changed so.
 */
export type Change<Shown, Patch> = (shown: Shown) => Effect.Effect<Patch, InvalidRequest>

export const isObject = (value: unknown): value is Schema.JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * JSON merge: objects merge field by field, null removes a field, everything else replaces, absent fields stay. Laws,
 * tested: `merge(a, {}) = a`; where `a` holds no null, `merge(a, a) = a`; and where a field is an object in all of them
 * or in none, as in configurations, and none holds a null, `merge(merge(a, b), c) = merge(a, merge(b, c))`.
 */
export const merge = (base: Schema.JsonObject, patch: Schema.JsonObject): Schema.JsonObject => {
  const merged = new Map(Object.entries(base))
  for (const [key, value] of Object.entries(patch)) {
    const before = merged.get(key)
    if (value === null) merged.delete(key)
    else merged.set(key, isObject(value) ? merge(isObject(before) ? before : {}, value) : value)
  }
  // Assignment would set the prototype instead of a field named `__proto__`.
  return Object.fromEntries(merged)
}

/**
 * The fields of `sent` that differ from `shown`, so that a client that sends back what it read changes nothing. Objects
 * are compared field by field, except for the fields named in `whole`, which a change replaces as a whole. Law, tested:
 * `merge(a, difference(a, b)) = merge(a, b)` where `a` holds no null.
 */
export const difference = (
  shown: Schema.JsonObject,
  sent: Schema.JsonObject,
  whole: ReadonlyArray<string> = [],
): Schema.JsonObject =>
  Object.fromEntries(
    Object.entries(sent).flatMap(([key, value]) => {
      const before = Object.hasOwn(shown, key) ? shown[key] : undefined
      if (isDeepStrictEqual(before, value)) return []
      return [[key, isObject(before) && isObject(value) && !whole.includes(key) ? difference(before, value) : value]]
    }),
  )
