import { Effect } from "effect"
import { type DatabasePlace, placeOf } from "../../storage/sql/Database.ts"
import { type DatabaseFacts, Inspection } from "../../storage/inspection/Inspection.ts"
import { count, ok } from "./Check.ts"

/** Reports where the database is, its versions, and the limits that it keeps. */
export const databaseCheck = Effect.fn("Doctor.database")(function* (settings: DatabasePlace) {
  const facts = yield* (yield* Inspection).database
  return [
    ok(
      "database",
      `PostgreSQL ${facts.postgres}, pgvector ${facts.pgvector}, ${count(facts.migrations.length, "migration")} up to ${facts.migrations.at(-1)}, in ${placeOf(settings)}`,
    ),
    ...ofLimits(facts),
  ]
})

/** Reports the time limits that a Postgres server keeps; the embedded database has none. */
const ofLimits = ({ limits }: DatabaseFacts) =>
  limits.statement === 0
    ? []
    : [
        ok(
          "database",
          `cancels a statement after ${limits.statement / 1_000} s, and ends a transaction that idles for ${limits.idleTransaction / 1_000} s`,
        ),
      ]
