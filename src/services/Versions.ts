import { Effect } from "effect"
import { PreconditionFailed } from "../domain/Errors.ts"

/** A resource with its version, which increases with every change of it. */
export interface Versioned {
  readonly version: bigint
}

/** The value of the `If-Match` header; undefined matches every version. */
export type IfMatch = string | undefined

/** The strong ETag of a version of a resource. */
export const etagOf = ({ version }: Versioned): string => `"${version}"`

/** Fails when `If-Match` names another version of a resource. */
export const ensureMatch = (resource: Versioned, ifMatch: IfMatch): Effect.Effect<void, PreconditionFailed> =>
  ifMatch === undefined || ifMatch.trim() === "*" || ifMatch.split(",").some((tag) => tag.trim() === etagOf(resource))
    ? Effect.void
    : Effect.fail(new PreconditionFailed({ detail: "It has changed since the version that If-Match names." }))
