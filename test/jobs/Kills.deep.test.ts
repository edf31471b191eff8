import { expect, setDefaultTimeout, test } from "bun:test"
import { Effect } from "effect"
import { killAndCompare } from "../lib/Kills.ts"
import { searchSeed, sizeOf } from "../lib/Sample.ts"

// The test starts a dozen servers in CI, and fewer elsewhere.
setDefaultTimeout(240_000)

const FILES = sizeOf(24, 10)

test("a server that is killed at any moment neither loses nor duplicates documents, and leaves no garbage behind", async () => {
  const kills = killAndCompare({
    kills: sizeOf(3, 1),
    files: FILES,
    seed: searchSeed,
    // The embedded database serves one process at a time, so there is no companion.
    companion: process.env["DATABASE_URL"] !== undefined,
  })
  const { documents, faults } = await Effect.runPromise(Effect.scoped(kills))
  expect(faults).toEqual([])
  expect(documents).toBeGreaterThanOrEqual(FILES - 1)
})
