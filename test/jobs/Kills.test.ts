import { expect, setDefaultTimeout, test } from "bun:test"
import { Effect } from "effect"
import { killAndCompare } from "../lib/Kills.ts"

// It starts a dozen servers. `bun run bench kills` is the same at length.
setDefaultTimeout(240_000)

test("a server that is killed again and again loses nothing, doubles nothing and leaves nothing behind", async () => {
  const seed = Math.floor(Math.random() * 2 ** 31)
  const kills = killAndCompare({
    kills: 3,
    files: 24,
    seed,
    // The embedded database has room for one.
    companion: process.env["DATABASE_URL"] !== undefined,
    tell: () => {},
  })
  const { documents, faults } = await Effect.runPromise(Effect.scoped(kills))
  // The seed tells which files, and when it was killed.
  expect({ seed, documents, faults }).toEqual({ seed, documents: expect.any(Number), faults: [] })
  expect(documents).toBeGreaterThanOrEqual(23)
})
