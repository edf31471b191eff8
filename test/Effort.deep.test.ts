import { beforeAll, describe, expect, test } from "bun:test"
import { functions } from "./lib/effort/Functions.ts"
import { type Excess, makeExcess, slownessWithMemory } from "./lib/effort/Guard.ts"
import { REQUESTS, textOperations } from "./lib/effort/Operations.ts"
import { ENGLISH, english, fewUnits, textOf } from "./lib/effort/Texts.ts"
import { wideRequests } from "./lib/effort/Structures.ts"
import { unlimited } from "./lib/effort/Unlimited.ts"
import { repeatedWait } from "./lib/EventLoop.ts"
import { sampleOf } from "./lib/Sample.ts"
import { startServer, testTimeout } from "./lib/TestServer.ts"

/*
 * No text costs much more than plain English of its length, whatever it consists of: neither in the functions that
 * analyse texts, nor in any operation that takes one. And no file and no body blocks the server, whatever its structure.
 * Each kind of text and file is tried in CI, and a sample elsewhere.
 */

const { client } = await startServer(unlimited)

const UNITS = fewUnits()

let excess: Excess
beforeAll(async () => {
  excess = await makeExcess()
})

/** The units of a text that take too long, with the milliseconds that they take more than English. */
const slowUnits = async (work: (text: string) => unknown, length: number, units: ReadonlyArray<string>) => {
  const found: Array<string> = []
  for (const unit of units) {
    const more = await excess(work, textOf(unit, length), english(length))
    if (more > 0) found.push(`${unit.slice(0, 20)}: ${more.toFixed(0)} ms`)
  }
  return found
}

describe("no text takes long", () => {
  test.each(Object.entries(functions))(
    "%s",
    async (_, [work, length]) => {
      expect(await slowUnits(work, length, sampleOf(UNITS, 4))).toEqual([])
    },
    2 * testTimeout,
  )

  test("and one that takes quadratic time is found", async () => {
    const quadratic = (text: string) => text.replaceAll(/(?<=[a-z]\p{M}*)\p{M}+/gu, "")
    expect(await slowUnits(quadratic, 10_000, ["a", "\u0ccb\u0301"])).toHaveLength(1)
  })
})

/** What a few characters become in analysis: eighteen letters, pairs of Katakana; and all kinds together. */
const FEW = ["\ufdfa", "\u3316", UNITS.at(-1) ?? ""]

test(
  "no text takes long in any operation, in a conversation of several turns or in a document",
  async () => {
    const operations = await textOperations(client)
    const slow: Array<string> = []
    for (const { name, send } of operations) {
      for (const unit of sampleOf(FEW, 3)) {
        const more = await excess((of) => send((length) => textOf(of, length)), unit, ENGLISH, REQUESTS)
        if (more > 0) slow.push(`${name} with ${unit.slice(0, 20)}: ${more.toFixed(0)} ms more than English`)
      }
    }
    expect(slow).toEqual([])
    // New operations are covered by themselves; those that texts are meant for are known.
    const names = operations.map(({ name }) => name)
    for (const known of ["POST /api/external/chatbot/{chatbotId}/chat", "POST /api/widget/chat", "POST /mcp chat"]) {
      expect(names).toContain(known)
    }
  },
  5 * testTimeout,
)

/** The longest time for which a request may keep all others waiting, in milliseconds of a machine of today. */
const BLOCKED_MAX = 150

test(
  "no file and no body keeps other requests waiting, however wide, deep or repeated what it holds is",
  async () => {
    const requests = await wideRequests(client)
    const names = requests.map(({ name }) => name)
    expect(names).toContain("POST /api/widget/voice/turns with nested.webm")
    expect(names).toContain("POST /api/external/chatbot/{chatbotId}/tests/import with deep.json")
    expect(names).toContain("POST /api/external/chatbot/{chatbotId}/sources/preview with the widest body")
    const slow = await slownessWithMemory()
    const blocking: Array<string> = []
    for (const { name, send } of sampleOf(requests, 8)) {
      const [, wait] = await repeatedWait(BLOCKED_MAX * slow, send)
      // Beside other programs the same work takes more of a processor than it took at the start.
      const limit = BLOCKED_MAX * Math.max(slow, wait < BLOCKED_MAX * slow ? 1 : await slownessWithMemory())
      if (wait >= limit) blocking.push(`${name}: ${wait.toFixed(0)} of ${limit.toFixed(0)} ms`)
    }
    expect(blocking).toEqual([])
  },
  5 * testTimeout,
)
