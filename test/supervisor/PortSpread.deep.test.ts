import { connect } from "node:net"
import { expect, test } from "bun:test"
import { spread, spreadProgram } from "../../src/supervisor/PortSpread.ts"

/** Runs the program on the port of a client of IPv4, as the kernel does. */
const placeFor = (places: ReadonlyArray<number>, clientPort: number): number => {
  const program = spreadProgram(places)
  let value = 0
  for (let at = 0; ; at++) {
    const [code, jumpTrue, jumpFalse, operand] = program[at] ?? [0, 0, 0, 0]
    if (code === 0x30) value = 0x45
    else if (code === 0x28) value = clientPort
    else if (code === 0x74) value >>= operand
    else if (code === 0x94) value %= operand
    else if (code === 0x05) at += operand === 0 ? 0 : operand
    else if (code === 0x15) at += value === operand ? jumpTrue : jumpFalse
    else return operand
  }
}

test("connections from ports in turn go to the listeners in turn, and to no other", () => {
  const ports = Array.from({ length: 9 }, (_, index) => 40_001 + 2 * index)
  expect(ports.map((port) => placeFor([0, 1, 2], port))).toEqual([2, 0, 1, 2, 0, 1, 2, 0, 1])
  expect(new Set(ports.map((port) => placeFor([0, 2], port)))).toEqual(new Set([0, 2]))
  expect(new Set(ports.map((port) => placeFor([1], port)))).toEqual(new Set([1]))
})

const askOnce = (port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ""
    const socket = connect(port, "127.0.0.1", () =>
      socket.write("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
    )
    socket.on("data", (bytes) => (text += String(bytes)))
    socket.on("error", reject)
    socket.on("close", () => resolve(text.at(-1) ?? ""))
  })

test.if(process.platform === "linux")("the kernel leaves out a listener that is about to close", async () => {
  const first = Bun.serve({ hostname: "127.0.0.1", port: 0, reusePort: true, fetch: () => new Response("1") })
  const port = first.port ?? 0
  const second = Bun.serve({ hostname: "127.0.0.1", port, reusePort: true, fetch: () => new Response("2") })
  try {
    expect(spread(port, [1])).toBe(true)
    expect(new Set(await Promise.all(Array.from({ length: 40 }, () => askOnce(port))))).toEqual(new Set(["2"]))
    expect(spread(port, [0, 1])).toBe(true)
    expect(new Set(await Promise.all(Array.from({ length: 40 }, () => askOnce(port))))).toEqual(new Set(["1", "2"]))
  } finally {
    await Promise.all([first.stop(true), second.stop(true)])
  }
})

test("a port on which this process does not listen is left as it is", () => {
  expect(spread(1, [0])).toBe(false)
})
