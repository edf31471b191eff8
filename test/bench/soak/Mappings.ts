import { readFileSync } from "node:fs"

/*
 * What a process holds in memory, by what it is mapped from. Linux only.
 */

const MEGABYTE_KB = 1_024

/** MB of resident memory, over all of the process's mappings. */
export interface Memory {
  readonly resident: number
  /** By kind, largest first: the name of a file or of a named mapping, or what the size of an anonymous one tells. */
  readonly mappings: ReadonlyArray<readonly [kind: string, megabytes: number]>
}

const HEADER = /^([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \S+ *(.*)$/

export const memoryOf = (pid: number): Memory => {
  const resident = Number(/^Rss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1])
  const byKind = new Map<string, number>()
  let kind = ""
  for (const line of readFileSync(`/proc/${pid}/smaps`, "utf8").split("\n")) {
    const header = HEADER.exec(line)
    if (header !== null) kind = kindOf(header)
    else if (line.startsWith("Rss:")) byKind.set(kind, (byKind.get(kind) ?? 0) + Number.parseInt(line.slice(4)))
  }
  const mappings = Array.from(byKind, ([name, kilobytes]) => [name, kilobytes / MEGABYTE_KB] as const)
  return { resident: resident / MEGABYTE_KB, mappings: mappings.toSorted(([, left], [, right]) => right - left) }
}

const kindOf = ([, from = "", to = "", rights = "", name = ""]: ReadonlyArray<string>): string => {
  if (name !== "") return name.slice(name.lastIndexOf("/") + 1)
  const megabytes = (Number.parseInt(to, 16) - Number.parseInt(from, 16)) / (MEGABYTE_KB * MEGABYTE_KB)
  // Allocators reserve in powers of two and use parts of it with other rights, so that exact sizes would say nothing.
  const size =
    megabytes < 1 ? "< 1" : `${2 ** Math.floor(Math.log2(megabytes))} to ${2 ** (Math.floor(Math.log2(megabytes)) + 1)}`
  return `anonymous ${rights} of ${size} MB`
}
