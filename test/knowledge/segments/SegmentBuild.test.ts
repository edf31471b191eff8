import { expect, test } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { getPriority } from "node:os"
import { Effect, Stream } from "effect"
import { buildSegmentElsewhere } from "../../../src/knowledge/segments/SegmentBuild.ts"

/** The field of a thread's `stat` with its priority, counted from the one after its name. */
const NICE_FIELD = 16

/** The threads of this process that its others come before, also where all of it runs behind other processes. */
const threadsBehind = (): ReadonlyArray<string> =>
  readdirSync("/proc/self/task").filter((thread) => {
    const fields = readFileSync(`/proc/self/task/${thread}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? []
    return Number(fields[NICE_FIELD]) > getPriority()
  })

test.if(process.platform === "linux")("a segment is built behind requests, unless searches wait for it", async () => {
  for (const isAwaited of [true, false]) {
    const before = new Set(threadsBehind())
    let begun: ReadonlyArray<string> = []
    const look = Effect.sync(() => {
      begun = threadsBehind().filter((thread) => !before.has(thread))
      return []
    })
    // The second pack is read when the thread has answered to the first, so that it runs by then.
    const packs = Stream.concat(Stream.make([]), Stream.fromEffect(look))
    expect((await Effect.runPromise(buildSegmentElsewhere(packs, isAwaited))).size).toBe(0)
    expect(begun.length > 0).toBe(!isAwaited)
  }
})
