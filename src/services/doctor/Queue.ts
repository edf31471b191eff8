import type { Finding } from "../../domain/console/SystemState.ts"
import type { QueueState } from "../../storage/sql/LeaseQueue.ts"
import { count, ok, wrong } from "./Check.ts"

/** Seconds after which a job that is due, and that no server has taken, is a fault. */
const OVERDUE_SECONDS = 600

/** Reports the jobs of a queue. `what` is the noun for one of them. */
export const ofQueue = (
  part: Finding["part"],
  { waiting, underWay, delayed, overdue_seconds }: QueueState,
  what: string,
): Finding => {
  const text = `${count(waiting, what)} waiting, ${underWay} under way, ${delayed} to be tried later`
  return (overdue_seconds ?? 0) > OVERDUE_SECONDS && underWay === 0
    ? wrong(part, `${text}; no server has taken the first for ${Math.floor((overdue_seconds ?? 0) / 60)} minutes`)
    : ok(part, text)
}
