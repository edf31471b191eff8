import { describe, expect, test } from "bun:test"
import type { Duplex } from "node:stream"
import { type Backend, Wire } from "../../../src/storage/embedded/Wire.ts"
import { until } from "../../lib/Client.ts"

const GATE_TIMEOUT_MILLIS = 200

const message = (type: string, body = ""): Buffer => {
  const bytes = Buffer.alloc(5 + body.length, type)
  bytes.writeInt32BE(4 + body.length, 1)
  bytes.write(body, 5)
  return bytes
}
const query = (text: string): Buffer => message("Q", `${text}\0`)
const ready = (status: "I" | "T"): Buffer => message("Z", status)
const startup = (code = 196_608): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeInt32BE(8, 0)
  bytes.writeInt32BE(code, 4)
  return bytes
}

/** The names of messages by their types, with the texts of queries. */
const names = (bytes: Uint8Array): ReadonlyArray<string> => {
  const buffer = Buffer.from(bytes)
  const found: Array<string> = []
  for (let at = 0; at < buffer.length; at += 1 + buffer.readInt32BE(at + 1)) {
    const type = String.fromCharCode(buffer[at] ?? 0)
    found.push(type === "Q" ? buffer.toString("utf8", at + 5, at + buffer.readInt32BE(at + 1)) : type)
  }
  return found
}

/** An engine that records its batches, and knows the statements `begin` and `commit`. */
const makeEngine = () => {
  const batches: Array<ReadonlyArray<string>> = []
  let status: "I" | "T" = "I"
  const backend: Backend = async (batch) => {
    await Bun.sleep(1)
    // Only a startup message has a zero in its first byte.
    if (batch[0] === 0) return ready("I")
    const asked = names(batch)
    batches.push(asked)
    for (const text of asked) {
      if (text === "begin") status = "T"
      if (text === "commit" || text === "ROLLBACK") status = "I"
    }
    const answered = asked.some((text) => text.length > 1 || text === "S")
    return answered ? ready(status) : Buffer.alloc(0)
  }
  return { backend, batches }
}

const connect = (wire: Wire): Duplex => {
  const connection = wire.connect()
  connection.on("error", () => {})
  connection.resume()
  connection.write(startup())
  return connection
}
const settled = () => Bun.sleep(100)

describe("Wire", () => {
  test("collects messages up to a Sync, however the stream splits them", async () => {
    const { backend, batches } = makeEngine()
    const connection = connect(new Wire(backend, 60_000))
    const bytes = Buffer.concat([message("P", "parse"), message("B", "bind"), message("E"), message("S"), query("two")])
    for (const byte of bytes) connection.write(Buffer.of(byte))
    await settled()
    expect(batches).toEqual([["P", "B", "E", "S"], ["two"]])
  })

  test("makes other connections wait until an open transaction has ended", async () => {
    const { backend, batches } = makeEngine()
    const wire = new Wire(backend, 60_000)
    const [first, second, third] = [connect(wire), connect(wire), connect(wire)]
    await settled()
    first.write(query("begin"))
    await settled()
    second.write(query("second"))
    third.write(query("third"))
    first.write(query("inside"))
    await settled()
    first.write(query("commit"))
    await settled()
    expect(batches.flat()).toEqual(["begin", "inside", "commit", "second", "third"])
  })

  test("keeps the lock for a batch that ends with a Flush until its Sync", async () => {
    const { backend, batches } = makeEngine()
    const wire = new Wire(backend, 60_000)
    const [first, second] = [connect(wire), connect(wire)]
    await settled()
    first.write(Buffer.concat([message("P"), message("H")]))
    await settled()
    second.write(query("second"))
    await settled()
    first.write(message("S"))
    await settled()
    expect(batches).toEqual([["P", "H"], ["S"], ["second"]])
  })

  test("rolls back the transaction of a connection that ends, and resets the session", async () => {
    const { backend, batches } = makeEngine()
    const wire = new Wire(backend, 60_000)
    const [first, second] = [connect(wire), connect(wire)]
    await settled()
    first.write(query("begin"))
    await settled()
    second.write(query("second"))
    first.end(message("X"))
    await until(
      () => batches.length,
      (count) => count === 3,
    )
    expect(batches).toEqual([["begin"], ["S", "ROLLBACK", "DISCARD ALL"], ["second"]])
    expect(first.destroyed).toBe(true)
  })

  test("fails a connection that waits too long for the transaction of another one", async () => {
    const { backend } = makeEngine()
    const wire = new Wire(backend, GATE_TIMEOUT_MILLIS)
    const [first, second] = [connect(wire), connect(wire)]
    await settled()
    first.write(query("begin"))
    await settled()
    const failure = new Promise<Error>((resolve) => second.once("error", resolve))
    second.write(query("second"))
    expect((await failure).message).toContain(`${GATE_TIMEOUT_MILLIS} ms`)
    expect(first.destroyed).toBe(false)
  })

  test("delivers notifications to every connection, and an answer to the one that sent the query", async () => {
    const notification = message("A", "note")
    const backend: Backend = (batch) =>
      Promise.resolve(batch[0] === 0 ? ready("I") : Buffer.concat([message("C"), notification, ready("I")]))
    const wire = new Wire(backend, 60_000)
    const [first, second] = [connect(wire), connect(wire)]
    await settled()
    const seen: Array<[string, ReadonlyArray<string>]> = []
    first.on("data", (bytes: Uint8Array) => seen.push(["first", names(bytes)]))
    second.on("data", (bytes: Uint8Array) => seen.push(["second", names(bytes)]))
    first.write(query("notify"))
    await settled()
    const of = (who: string) => seen.filter(([name]) => name === who).flatMap(([, types]) => types)
    expect(of("first")).toEqual(["C", "A", "Z"])
    expect(of("second")).toEqual(["A"])
  })

  test("refuses encryption, and ignores a request to cancel", async () => {
    const { backend, batches } = makeEngine()
    const wire = new Wire(backend, 60_000)
    const ssl = wire.connect()
    const answer = new Promise<string>((resolve) => ssl.once("data", (bytes: Buffer) => resolve(bytes.toString())))
    ssl.write(startup(80_877_103))
    expect(await answer).toBe("N")
    const cancel = wire.connect()
    cancel.write(startup(80_877_102))
    await settled()
    expect(cancel.destroyed).toBe(true)
    expect(batches).toEqual([])
  })

  test("fails every connection, and every new one, once the engine has ended", async () => {
    const { backend } = makeEngine()
    const wire = new Wire(backend, 60_000)
    const connections = [connect(wire), connect(wire)]
    await settled()
    const failures = connections.map((connection) => new Promise<Error>((resolve) => connection.once("error", resolve)))
    wire.fail(new Error("gone"))
    expect((await Promise.all(failures)).map((error) => error.message)).toEqual(["gone", "gone"])
    const late = wire.connect()
    const failure = new Promise<Error>((resolve) => late.once("error", resolve))
    expect((await failure).message).toBe("gone")
  })
})
