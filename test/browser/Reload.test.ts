import { expect, test } from "bun:test"
import { reloadWhileWriting } from "./lib/Reloads.ts"
import { startSuite } from "./lib/Suite.ts"

const suite = await startSuite()

test("a page that is reloaded while an answer is written shows in the end what is stored", async () => {
  expect(await reloadWhileWriting({ ...suite, times: 8, seed: 8 })).toEqual([])
})
