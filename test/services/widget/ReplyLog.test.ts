import { describe, expect, test } from "bun:test"
import { Effect, Fiber } from "effect"
import * as fc from "fast-check"
import { ReplyLog } from "../../../src/services/widget/ReplyLog.ts"

const text = (text: string) => ({ type: "text" as const, text })

/** A reader as a browser is one: it keeps the text that it has seen and the number of the last event. */
class Reader {
  seen = ""
  place = 0
  isAttached = true

  /** Reads at most so many of the events that there are. Returns false where they are not kept. */
  read(log: ReplyLog, most: number): boolean {
    const events = log.after(this.place)
    if (events === undefined) return false
    for (const event of events.slice(0, most)) {
      this.seen += JSON.parse(event).text
      this.place++
    }
    return true
  }
}

type Command =
  | { readonly do: "write"; readonly text: string }
  | { readonly do: "attach" }
  | { readonly do: "detach" | "resume" | "read"; readonly reader: number; readonly most: number }

const command: fc.Arbitrary<Command> = fc.oneof(
  fc.record({ do: fc.constant("write" as const), text: fc.string({ unit: "grapheme" }) }),
  fc.record({ do: fc.constant("attach" as const) }),
  fc.record({
    do: fc.constantFrom("detach" as const, "resume" as const, "read" as const, "read" as const),
    reader: fc.nat(7),
    most: fc.integer({ min: 1, max: 5 }),
  }),
)

describe("the log of a reply", () => {
  test("gives every reader the exact text, however readers come, leave, fall behind and go on", () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 60 }), (commands) => {
        const log = new ReplyLog()
        const readers = [new Reader()]
        let written = ""
        for (const one of commands) {
          if (one.do === "write") {
            log.add(text(one.text))
            written += one.text
          } else if (one.do === "attach") readers.push(new Reader())
          else {
            const reader = readers[one.reader % readers.length]
            if (reader === undefined) continue
            if (one.do !== "read") reader.isAttached = one.do === "resume"
            else if (reader.isAttached) reader.read(log, one.most)
            expect(written).toStartWith(reader.seen)
          }
        }
        log.end()
        for (const reader of readers) {
          expect(reader.read(log, Number.POSITIVE_INFINITY)).toBe(true)
          expect(reader.seen).toBe(written)
        }
      }),
    )
  })

  test("never gives a reader who lacks dropped events anything else in their place", () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1 }), fc.nat(), fc.nat(3), (texts, read, drops) => {
        const log = new ReplyLog()
        for (const one of texts) log.add(text(one))
        const reader = new Reader()
        reader.read(log, read % (texts.length + 1))
        for (let drop = 0; drop < drops; drop++) log.dropHalf()
        const goesOn = reader.read(log, Number.POSITIVE_INFINITY)
        expect(goesOn).toBe(reader.place >= log.dropped)
        if (goesOn) expect(reader.seen).toBe(texts.join(""))
      }),
    )
  })

  test("does not know of events that it has never had", () => {
    const log = new ReplyLog()
    log.add(text("a"))
    expect([log.after(0)?.length, log.after(1)?.length, log.after(2)]).toEqual([1, 0, undefined])
  })

  test("wakes readers for each event and at the end, and forgets those who stop waiting", async () => {
    const log = new ReplyLog()
    const waiting = Effect.runFork(log.changedAfter(0))
    const leaving = Effect.runFork(log.changedAfter(0))
    await Effect.runPromise(Fiber.interrupt(leaving))
    log.add(text("a"))
    await Effect.runPromise(Fiber.join(waiting))
    const ending = Effect.runFork(log.changedAfter(1))
    log.end()
    await Effect.runPromise(Fiber.join(ending))
    await Effect.runPromise(log.changedAfter(9))
    log.add(text("too late"))
    expect(log.last).toBe(1)
  })

  test("counts the bytes that it takes, and none after all is dropped", () => {
    const log = new ReplyLog()
    for (let event = 0; event < 10; event++) log.add(text("x".repeat(100)))
    const full = log.size
    expect(full).toBeGreaterThan(2_000)
    let gained = 0
    while (!log.isEmpty) gained += log.dropHalf()
    expect([gained, log.size, log.dropped]).toEqual([full, 0, 10])
  })
})
