import { Effect } from "effect"
import { Backups } from "../../storage/backup/Backups.ts"
import { count, note, ok } from "./Check.ts"

const DAY = 24 * 60 * 60
/** Days after which a backup is old. */
const OLD = 7

/** Reports how old the last backup is that `parley backup` has finished. Others may make backups in other ways. */
export const backupsCheck = Effect.gen(function* () {
  const latest = yield* (yield* Backups).latest
  if (latest === undefined) return [ok("backups", "`parley backup` has made none of this database yet")]
  const days = Math.floor(latest.age_seconds / DAY)
  const age = days === 0 ? "less than a day" : count(days, "day")
  return [(days >= OLD ? note : ok)("backups", `the last one is ${age} old, with ${count(latest.files, "file")}`)]
})
