import { expect, setDefaultTimeout, test } from "bun:test"
import { Effect } from "effect"
import { killAndCompare } from "../lib/Kills.ts"
import { sizeOf } from "../lib/Sample.ts"

// The test starts a dozen servers in CI, and fewer elsewhere. `bun run bench kills` does the same for longer.
setDefaultTimeout(240_000)

const FILES = sizeOf(24, 10)

test("a server that is killed at any moment neither loses nor duplicates documents, and leaves no garbage behind", async () => {
  const seed = Math.floor(Math.random() * 2 ** 31)
  const kills = killAndCompare({
    kills: sizeOf(3, 1),
    files: FILES,
    seed,
    // The embedded database serves one process at a time, so there is no companion.
    companion: process.env["DATABASE_URL"] !== undefined,
    tell: () => {},
  })
  const { documents, faults } = await Effect.runPromise(Effect.scoped(kills))
  // The seed reproduces the files and the moments of the kills.
  expect({ seed, documents, faults }).toEqual({ seed, documents: expect.any(Number), faults: [] })
  expect(documents).toBeGreaterThanOrEqual(FILES - 1)
})
