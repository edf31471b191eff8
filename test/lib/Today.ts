import { beforeEach } from "bun:test"

/** More milliseconds than a test takes. */
const A_WHILE = 30_000
const DAY = 86_400_000

/** The day in UTC, as `2026-11-28`. */
export const today = (): string => new Date().toISOString().slice(0, 10)

/** Lets each test of a file that counts by days begin and end on the same day. */
export const keepWithinADay = (): void =>
  beforeEach(async () => {
    const left = DAY - (Date.now() % DAY)
    if (left < A_WHILE) await Bun.sleep(left)
  })
