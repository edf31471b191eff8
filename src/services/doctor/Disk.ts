import { dirname } from "node:path"
import { Effect } from "effect"
import { freeBytes, mebibytes } from "../../system/Disk.ts"
import { DATA_DIR } from "../../system/Variables.ts"
import { note, ok, wrong } from "./Check.ts"

export interface DiskSettings {
  /** The directory of the embedded database, in the data directory. */
  readonly directory: string
  /** The free bytes below which the embedded database is only read. */
  readonly diskReserve: number
}

const MEBIBYTE = 1024 * 1024
/** Free bytes below which uploads, indexes and the log may fill the disk within minutes. */
const WRONG_BELOW = 256 * MEBIBYTE
const NOTE_BELOW = 2_048 * MEBIBYTE

/** Examines the space on the disk of the data directory; there is nothing to report before the first start. */
export const diskCheck = ({ directory, diskReserve }: DiskSettings) =>
  Effect.map(freeBytes(dirname(directory)), (free) => {
    if (free === undefined) return []
    const text = `${mebibytes(free)} are free in ${DATA_DIR}`
    if (free < Math.max(WRONG_BELOW, diskReserve)) return [wrong("disk", `only ${text}`)]
    return [(free < NOTE_BELOW ? note : ok)("disk", text)]
  })
