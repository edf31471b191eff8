import { once } from "node:events"
import { connect } from "node:net"
import { describe, expect, test } from "bun:test"
import { Effect, Fiber } from "effect"
import * as fc from "fast-check"
import { EventStream } from "../../../src/http/streams/EventStream.ts"
import { until } from "../../lib/Client.ts"

const HEARTBEAT_MILLIS = 20
/** Longer than any test, so that no heartbeat comes. */
const QUIET_MILLIS = 60_000

const open = (heartbeatMillis = QUIET_MILLIS) => {
  let left = 0
  const stream = new EventStream({ heartbeatMillis, onLeave: () => left++ })
  return { stream, left: () => left }
}

/** Writes a text and waits until there is room for more. */
const write = (stream: EventStream, text: string) => Effect.suspend(() => stream.write(text) ?? Effect.void)

const heartbeats = (text: string) => text.split(": heartbeat\n\n").length - 1

/** Lets the event loop do what is ready to be done. */
const turn = async () => {
  for (let rounds = 0; rounds < 3; rounds++) await new Promise(setImmediate)
}

/** Waits until a stream that began just now, and whose client reads, has sent some heartbeats. */
const afterHeartbeats = async () => {
  const { stream } = open(HEARTBEAT_MILLIS)
  let text = ""
  for await (const bytes of stream.body) {
    text += Buffer.from(bytes).toString()
    if (heartbeats(text) === 4) break
  }
  stream.end("")
}

describe("an event stream", () => {
  test("delivers everything that was written, in order, and ends with the last events", () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.string({ minLength: 1, unit: "grapheme" })), async (texts) => {
        const { stream } = open()
        const reading = new Response(stream.body).text()
        for (const text of texts) await Effect.runPromise(write(stream, text))
        stream.end("last")
        expect(await reading).toBe(`${texts.join("")}last`)
      }),
    ))

  test("makes its writer wait until the response begins", async () => {
    const { stream } = open()
    const writing = Effect.runFork(Effect.andThen(write(stream, "x".repeat(20_000)), write(stream, "y")))
    await turn()
    expect(writing.pollUnsafe()).toBeUndefined()
    const reading = new Response(stream.body).text()
    await Effect.runPromise(Fiber.join(writing))
    stream.end("")
    expect(await reading).toBe(`${"x".repeat(20_000)}y`)
  })

  test("makes its writer wait while the client does not read, and continue when it does", async () => {
    const { stream } = open()
    await using server = Bun.serve({ port: 0, fetch: () => new Response(stream.body) })
    const socket = connect(Number(server.url.port), server.url.hostname)
    socket.write("GET / HTTP/1.1\r\nhost: test\r\nconnection: close\r\n\r\n")
    let bytes = 0
    socket.on("data", (data) => {
      bytes += data.length
    })
    const piece = "x".repeat(64 * 1024)
    let written = 0
    const writing = Effect.runFork(Effect.forever(Effect.map(write(stream, piece), () => void written++)))
    await until(
      () => bytes,
      (bytes) => bytes > 0,
    )
    socket.pause()
    const isHeldBack = async () => {
      const before = written
      await Bun.sleep(50)
      return written === before
    }
    await until(isHeldBack, (held) => held)
    const before = written
    socket.resume()
    await until(
      () => written,
      (written) => written > before,
    )
    await Effect.runPromise(Fiber.interrupt(writing))
    stream.end("last")
    await once(socket, "end")
    expect(bytes).toBeGreaterThan(written * piece.length)
    socket.destroy()
  })

  test("opens with the first event, or with the first heartbeat", async () => {
    const { stream } = open()
    const waiting = Effect.runFork(stream.opened)
    await turn()
    expect([stream.isOpen, waiting.pollUnsafe()]).toEqual([false, undefined])
    await Effect.runPromise(write(stream, "a"))
    await Effect.runPromise(Fiber.join(waiting))
    expect(stream.isOpen).toBe(true)
    stream.end("")

    const { stream: silent } = open(HEARTBEAT_MILLIS)
    await Effect.runPromise(silent.opened)
    expect(silent.isOpen).toBe(true)
    silent.end("")

    const { stream: failed } = open()
    const held = Effect.runFork(failed.opened)
    failed.end("")
    await Effect.runPromise(Fiber.join(held))
    expect(failed.isOpen).toBe(false)
    expect(await new Response(failed.body).text()).toBe("")
  })

  test("sends heartbeats to a client that reads, and collects none for one that does not", async () => {
    const { stream } = open(HEARTBEAT_MILLIS)
    // Before any heartbeat, the client is behind.
    expect(stream.write("x".repeat(20_000))).toBeDefined()
    await afterHeartbeats()
    stream.end("last")
    const text = await new Response(stream.body).text()
    expect([heartbeats(text), text.length]).toEqual([0, 20_000 + "last".length])
  })

  test("reports once that its client has disconnected, and makes nobody wait afterwards", async () => {
    const { stream, left } = open(HEARTBEAT_MILLIS)
    const writing = Effect.runFork(Effect.andThen(write(stream, "x".repeat(20_000)), write(stream, "y")))
    await stream.body.cancel()
    await Effect.runPromise(Fiber.join(writing))
    await Effect.runPromise(write(stream, "z"))
    stream.end("last")
    await afterHeartbeats()
    expect(left()).toBe(1)
  })
})
