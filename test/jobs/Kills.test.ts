import { expect, setDefaultTimeout, test } from "bun:test"
import { Effect } from "effect"
import { killAndCompare } from "../lib/Kills.ts"

// The test starts a dozen servers. `bun run bench kills` does the same for longer.
setDefaultTimeout(240_000)

test("a server that is killed again and again neither loses nor duplicates documents, and leaves no garbage behind", async () => {
  const seed = Math.floor(Math.random() * 2 ** 31)
  const kills = killAndCompare({
    kills: 3,
    files: 24,
    seed,
    // The embedded database serves one process at a time, so there is no companion.
    companion: process.env["DATABASE_URL"] !== undefined,
    tell: () => {},
  })
  const { documents, faults } = await Effect.runPromise(Effect.scoped(kills))
  // The seed reproduces the files and the moments of the kills.
  expect({ seed, documents, faults }).toEqual({ seed, documents: expect.any(Number), faults: [] })
  expect(documents).toBeGreaterThanOrEqual(23)
})
