import { expect, test } from "bun:test"
import { searchSeed, sizeOf } from "../lib/Sample.ts"
import { reloadWhileWriting } from "./lib/Reloads.ts"
import { startSuite } from "./lib/Suite.ts"

const suite = await startSuite()

test("a page that is reloaded while an answer is written shows in the end what is stored", async () => {
  expect(await reloadWhileWriting({ ...suite, times: sizeOf(20, 4), seed: searchSeed })).toEqual([])
})
