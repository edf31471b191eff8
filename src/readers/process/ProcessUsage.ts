import { readdirSync, readFileSync } from "node:fs"
import { Effect } from "effect"

/** Resources that a process on this machine uses. */
export interface ProcessUsage {
  /** Resident memory in bytes. */
  readonly bytes: number
  /** Processor time since the process started. */
  readonly milliseconds: number
}

const NONE: ProcessUsage = { bytes: 0, milliseconds: 0 }

const PAGE_BYTES = 4096
/** The unit of processor time in `/proc`: one second divided by USER_HZ, which is 100 on every architecture. */
const TICK_MILLISECONDS = 10

/** Reads the usage of a process from `/proc`, which exists on Linux only. A process that has ended uses nothing. */
export const linuxUsageOf = (pid: number): ProcessUsage => {
  try {
    // The second field, the name in parentheses, may contain any character; counting begins with the third.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? []
    return {
      bytes: Number(fields[21]) * PAGE_BYTES,
      milliseconds: (Number(fields[11]) + Number(fields[12])) * TICK_MILLISECONDS,
    }
  } catch {
    return NONE
  }
}

/**
 * The ids of a process and of all that it has started, and those have started, on Linux only. A process in a sandbox
 * runs behind programs that wait for it.
 */
export const linuxTreeOf = (pid: number): ReadonlyArray<number> => {
  try {
    const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter(Boolean).map(Number),
    )
    return [pid, ...children.flatMap(linuxTreeOf)]
  } catch {
    return [pid]
  }
}

const linuxUsageOfTree = (pid: number): ProcessUsage =>
  linuxTreeOf(pid)
    .map(linuxUsageOf)
    .reduce((sum, one) => ({ bytes: sum.bytes + one.bytes, milliseconds: sum.milliseconds + one.milliseconds }))

/** Whether `usageOf` only reads files. Elsewhere it starts a process, `ps`. */
export const isUsageCheap = process.platform === "linux"

/** The usage of a process by its id, on Linux with all that it has started. A process that has ended uses nothing. */
export const usageOf: (pid: number) => Effect.Effect<ProcessUsage> = isUsageCheap
  ? (pid) => Effect.sync(() => linuxUsageOfTree(pid))
  : (pid) =>
      Effect.promise(async () => {
        const text = await new Response(Bun.spawn(["ps", "-o", "rss=,cputime=", "-p", `${pid}`]).stdout).text()
        const [kibibytes, time] = text.trim().split(/\s+/)
        if (kibibytes === undefined || time === undefined) return NONE
        // The format is `[hours:]minutes:seconds`.
        const seconds = time.split(":").reduce((sum, part) => 60 * sum + Number(part), 0)
        return { bytes: Number(kibibytes) * 1024, milliseconds: seconds * 1_000 }
      })
