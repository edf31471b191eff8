import { describe, expect, test } from "bun:test"
import type { Duplex } from "node:stream"
import { type Backend, Wire } from "../../../src/storage/embedded/Wire.ts"
import { until } from "../../lib/Client.ts"

const message = (type: string, body = ""): Buffer => {
  const bytes = Buffer.alloc(5 + body.length, type)
  bytes.writeInt32BE(4 + body.length, 1)
  bytes.write(body, 5)
  return bytes
}
const query = (text: string): Buffer => message("Q", `${text}\0`)
const ready = message("Z", "I")
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

/** An engine that records its batches. */
const makeEngine = () => {
  const batches: Array<ReadonlyArray<string>> = []
  const backend: Backend = async (batch) => {
    await Bun.sleep(1)
    // Only a startup message has a zero in its first byte.
    if (batch[0] === 0) return ready
    const asked = names(batch)
    batches.push(asked)
    return ready
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
/** Waits until the engine has got so many batches. */
const asked = (batches: ReadonlyArray<unknown>, count: number) => until(() => Promise.resolve(batches.length), count)
const ended = (connection: Duplex) => until(() => Promise.resolve(connection.destroyed), true)

describe("Wire", () => {
  test("collects messages up to a Sync, however the stream splits them", async () => {
    const { backend, batches } = makeEngine()
    const connection = connect(new Wire(backend))
    const bytes = Buffer.concat([message("P", "parse"), message("B", "bind"), message("E"), message("S"), query("two")])
    for (const byte of bytes) connection.write(Buffer.of(byte))
    await asked(batches, 2)
    expect(batches).toEqual([["P", "B", "E", "S"], ["two"]])
  })

  test("gives the session to a new connection, after what the one before has left was rolled back and reset", async () => {
    const { backend, batches } = makeEngine()
    const wire = new Wire(backend)
    const first = connect(wire)
    first.write(query("begin"))
    await asked(batches, 1)
    first.write(query("too late"))
    const second = connect(wire)
    second.write(query("second"))
    await asked(batches, 3)
    expect(batches).toEqual([["begin"], ["S", "ROLLBACK", "DISCARD ALL"], ["second"]])
    expect(first.destroyed).toBe(true)
  })

  test("keeps the session for a connection while another one asks for a cancellation", async () => {
    const { backend, batches } = makeEngine()
    const wire = new Wire(backend)
    const first = connect(wire)
    first.write(query("begin"))
    wire.connect().write(startup(80_877_102))
    first.write(query("commit"))
    await asked(batches, 2)
    expect(batches).toEqual([["begin"], ["commit"]])
  })

  test("ends a connection that says goodbye", async () => {
    const { backend, batches } = makeEngine()
    const wire = new Wire(backend)
    const connection = connect(wire)
    connection.end(message("X"))
    await ended(connection)
    // The engine gets what comes next, and got nothing before.
    connect(wire).write(query("next"))
    await asked(batches, 2)
    expect(batches).toEqual([["S", "ROLLBACK", "DISCARD ALL"], ["next"]])
  })

  test("refuses encryption, and ignores a request to cancel", async () => {
    const { backend, batches } = makeEngine()
    const wire = new Wire(backend)
    const ssl = wire.connect()
    const answer = new Promise<string>((resolve) => ssl.once("data", (bytes: Buffer) => resolve(bytes.toString())))
    ssl.write(startup(80_877_103))
    expect(await answer).toBe("N")
    const cancel = wire.connect()
    cancel.write(startup(80_877_102))
    await ended(cancel)
    connect(wire).write(query("next"))
    await asked(batches, 1)
    expect(batches).toEqual([["next"]])
  })

  test("fails the connection, and every new one, once the engine has ended", async () => {
    const { backend, batches } = makeEngine()
    const wire = new Wire(backend)
    const connection = connect(wire)
    connection.write(query("begin"))
    await asked(batches, 1)
    const failureOf = (one: Duplex) => new Promise<Error>((resolve) => one.once("error", resolve))
    const failure = failureOf(connection)
    wire.fail(new Error("gone"))
    expect((await failure).message).toBe("gone")
    expect((await failureOf(wire.connect())).message).toBe("gone")
  })
})
