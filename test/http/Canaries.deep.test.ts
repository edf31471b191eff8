import { expect, setDefaultTimeout, test } from "bun:test"
import { Effect } from "effect"
import { canaryRun } from "../lib/Canaries.ts"
import { isWholeSearch, searchSeed } from "../lib/Sample.ts"

// It uses a server in some fifty ways, one after the other.
setDefaultTimeout(180_000)

test("secrets and private texts are nowhere but where they belong", async () => {
  const { canaries, hits, places } = await Effect.runPromise(
    Effect.scoped(canaryRun({ format: searchSeed % 2 === 0 ? "json" : "pretty", isWhole: isWholeSearch })),
  )
  expect(hits).toEqual([])
  expect(canaries.length).toBeGreaterThanOrEqual(20)
  // Nothing is found in places that nobody looked at.
  expect(places.filter(({ bytes }) => bytes > 0).map(({ place }) => place)).toEqual(
    expect.arrayContaining([
      "log",
      "refusals",
      "answers to the website's key",
      "answers to the owner's key",
      "OpenAPI and documentation",
      "requests to models",
      "database",
      "files of the data directory",
    ]),
  )
})
