import { readFileSync } from "node:fs"
import { Effect } from "effect"

/** What a process of this machine takes. */
export interface ProcessUsage {
  /** Bytes that it holds. */
  readonly bytes: number
  /** Of processor time, so far. */
  readonly milliseconds: number
}

const NONE: ProcessUsage = { bytes: 0, milliseconds: 0 }

const PAGE_BYTES = 4096
/** Of Linux's USER_HZ, which is 100 everywhere. */
const TICK_MILLISECONDS = 10

/** None when it is gone. Linux only. */
export const linuxUsageOf = (pid: number): ProcessUsage => {
  try {
    // The fields from the third, the first after the name in parentheses, which may hold anything.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? []
    return {
      bytes: Number(fields[21]) * PAGE_BYTES,
      milliseconds: (Number(fields[11]) + Number(fields[12])) * TICK_MILLISECONDS,
    }
  } catch {
    return NONE
  }
}

/** Whether a look takes no process of its own. */
export const isUsageCheap = process.platform === "linux"

/** None when it is gone. */
export const usageOf: (pid: number) => Effect.Effect<ProcessUsage> = isUsageCheap
  ? (pid) => Effect.sync(() => linuxUsageOf(pid))
  : (pid) =>
      Effect.promise(async () => {
        const text = await new Response(Bun.spawn(["ps", "-o", "rss=,cputime=", "-p", `${pid}`]).stdout).text()
        const [kibibytes, time] = text.trim().split(/\s+/)
        if (kibibytes === undefined || time === undefined) return NONE
        // Hours, minutes and seconds, as far as there are any.
        const seconds = time.split(":").reduce((sum, part) => 60 * sum + Number(part), 0)
        return { bytes: Number(kibibytes) * 1024, milliseconds: seconds * 1_000 }
      })
