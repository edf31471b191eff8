import type { Finding } from "../../domain/system/SystemState.ts"
import type { QueueState } from "../../storage/sql/LeaseQueue.ts"

type MakeFinding = (part: Finding["part"], text: string) => Finding

/** All is well. */
export const ok: MakeFinding = (part, text) => ({ state: "ok", part, text })
/** No fault, but worth a look. */
export const note: MakeFinding = (part, text) => ({ state: "note", part, text })
/** A fault that somebody has to mend. */
export const wrong: MakeFinding = (part, text) => ({ state: "wrong", part, text })

/** A number with its noun, in the plural where it has to be. */
export const count = (number: number, what: string): string =>
  `${number.toLocaleString("en")} ${what}${number === 1 ? "" : "s"}`

/** Seconds after which a job that is due, and that no server has taken, is a fault. */
const OVERDUE_SECONDS = 600

/** Reports the jobs of a queue. `what` is the noun for one of them. */
export const ofQueue = (
  part: Finding["part"],
  { waiting, underWay, delayed, overdue_seconds }: QueueState,
  what: string,
): Finding => {
  const text = `${count(waiting, what)} waiting, ${underWay} under way, ${delayed} to be tried later`
  const overdue = overdue_seconds ?? 0
  return overdue > OVERDUE_SECONDS && underWay === 0
    ? wrong(part, `${text}; no server has taken the first for ${Math.floor(overdue / 60)} minutes`)
    : ok(part, text)
}
