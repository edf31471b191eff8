import { readdirSync, readFileSync } from "node:fs"
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
}

/** Samples of a folder. */
interface Share {
  /** Within its own functions. */
  own: number
  /** With those within the libraries and the runtime that they call. */
  used: number
}

const FOLDER = /\/(src\/(?:[^/]+\/)?|node_modules\/(?:@[^/]+\/)?[^/]+)/

/** The folder of a script: two levels of ours, the package of a library. */
const folderOf = (url: string): string => {
  const path = url.slice(url.lastIndexOf("/node_modules/") + 1)
  return FOLDER.exec(`/${path}`)?.[1]?.replace(/\/$/, "") ?? "runtime"
}

const IDLE = new Set(["(idle)", "(program)"])

/**
 * Counts the samples of a profile by the folder of their function, and by the nearest folder of ours that called it. A
 * fiber's steps are called by Effect alone. The times of the samples are of no use: they contain those in which the
 * thread had to wait for a processor.
 */
export const byFolder = ({ nodes, samples }: CpuProfile): ReadonlyMap<string, Share> => {
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
  follow(nodes[0]?.id ?? 0, "called by no folder of ours")
  const shares = new Map<string, Share>()
  const shareOf = (name: string): Share => {
    const known = shares.get(name) ?? { own: 0, used: 0 }
    shares.set(name, known)
    return known
  }
  for (const id of samples) {
    const node = byId.get(id)
    if (node === undefined || IDLE.has(node.callFrame.functionName)) continue
    shareOf(folderOf(node.callFrame.url)).own += 1
    shareOf(users.get(id) ?? "").used += 1
  }
  return shares
}

/** Prints which folders a process spends its time in. Argument: the directory that `--profile` of a benchmark names. */
export const run = ([directory = "."]: ReadonlyArray<string>): void => {
  for (const name of readdirSync(directory).filter((name) => name.endsWith(".cpuprofile"))) {
    const shares = byFolder(JSON.parse(readFileSync(join(directory, name), "utf8")) as CpuProfile)
    const total = Array.from(shares.values()).reduce((sum, { own }) => sum + own, 0)
    const cell = (samples: number) => `${((100 * samples) / total).toFixed(1)} %`.padStart(20)
    const rows = Array.from(shares).sort(([, left], [, right]) => right.used - left.used || right.own - left.own)
    const lines = rows.map(([folder, { own, used }]) => `${folder.padEnd(44)}${cell(own)}${cell(used)}`)
    const head = `${"".padEnd(44)}${"own".padStart(20)}${"with libraries".padStart(20)}`
    process.stdout.write(`${name}, ${total} samples\n${head}\n${lines.join("\n")}\n`)
  }
}
