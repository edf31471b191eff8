import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"

/** A profile as `bun --cpu-prof` writes it. */
export interface CpuProfile {
  readonly nodes: ReadonlyArray<{
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
    readonly children?: ReadonlyArray<number>
  }>
  /** The node of each sample. */
  readonly samples: ReadonlyArray<number>
  /** Microseconds before each sample. */
  readonly timeDeltas: ReadonlyArray<number>
}

/** Processor time of a place, in microseconds. */
interface Time {
  /** Within functions of the place itself. */
  own: number
  /** With that of the libraries and of the runtime that these call. */
  used: number
}

const FOLDER = /\/(src\/(?:[^/]+\/)?|node_modules\/(?:@[^/]+\/)?[^/]+)/

/** The folder of a script: two levels of ours, the package of a library. */
const folderOf = (url: string): string => {
  const path = url.slice(url.lastIndexOf("/node_modules/") + 1)
  return FOLDER.exec(`/${path}`)?.[1]?.replace(/\/$/, "") ?? "runtime"
}

const IDLE = new Set(["(idle)", "(program)"])

/** Sums the samples of a profile by the folder of their function, and by the nearest folder of ours that called it. */
export const byFolder = ({ nodes, samples, timeDeltas }: CpuProfile): ReadonlyMap<string, Time> => {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const users = new Map<number, string>()
  const follow = (id: number, user: string): void => {
    const node = byId.get(id)
    if (node === undefined) return
    const folder = folderOf(node.callFrame.url)
    const own = folder.startsWith("src") ? folder : user
    users.set(id, own)
    for (const child of node.children ?? []) follow(child, own)
  }
  follow(nodes[0]?.id ?? 0, "no folder of ours")
  const times = new Map<string, Time>()
  const timeOf = (name: string): Time => {
    const known = times.get(name) ?? { own: 0, used: 0 }
    times.set(name, known)
    return known
  }
  for (const [index, id] of samples.entries()) {
    const node = byId.get(id)
    if (node === undefined || IDLE.has(node.callFrame.functionName)) continue
    const time = timeDeltas[index] ?? 0
    timeOf(folderOf(node.callFrame.url)).own += time
    timeOf(users.get(id) ?? "").used += time
  }
  return times
}

/** Prints where a profile's time goes. Arguments: the file, or the directory of one or more; `--each 1234` divides by so many. */
export const run = ([path = ".", , each = "1"]: ReadonlyArray<string>): void => {
  const files = statSync(path).isDirectory()
    ? readdirSync(path).flatMap((name) => (name.endsWith(".cpuprofile") ? join(path, name) : []))
    : [path]
  for (const file of files) {
    const times = byFolder(JSON.parse(readFileSync(file, "utf8")) as CpuProfile)
    const total = Array.from(times.values()).reduce((sum, { own }) => sum + own, 0)
    const cell = (time: number) =>
      `${(time / 1_000 / Number(each)).toFixed(3).padStart(10)} ms ${((100 * time) / total).toFixed(1).padStart(5)} %`
    const rows = Array.from(times).sort(([, left], [, right]) => right.used - left.used || right.own - left.own)
    const lines = rows.map(([name, { own, used }]) => `${name.padEnd(44)}${cell(own)}${cell(used)}`)
    process.stdout.write(
      `${file}\n${"".padEnd(44)}${"own".padStart(20)}${"with libraries".padStart(20)}\n${lines.join("\n")}\n`,
    )
  }
}
