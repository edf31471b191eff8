import { connect } from "node:net"
import { join } from "node:path"
import { afterAll, expect, test } from "bun:test"
import { VISITOR_TOKEN_VERSION } from "../../../src/domain/widget/Visitor.ts"
import { makeSiblings, seatOf } from "../../../src/http/server/Siblings.ts"
import { sharedRun } from "../../lib/Scoped.ts"
import { temporaryDirectory } from "../../lib/TemporaryDirectory.ts"

const SEATS = 2
const directory = await sharedRun()(temporaryDirectory("siblings"))
const socketOf = (seat: number) => join(directory, `${seat}.sock`)
const none = () => Promise.resolve("")

/** A token with a wrong signature, of a visitor whose replies the second worker has. */
const forged = ((): string => {
  for (let visitor = 0; ; visitor++) {
    const token = `${VISITOR_TOKEN_VERSION}.${Buffer.from(JSON.stringify({ v: String(visitor) })).toString("base64url")}.x`
    const headers = { authorization: `Bearer ${token}` }
    const request = new Request("http://x/api/widget/chat", { method: "POST", headers })
    if (seatOf(request, SEATS) === 2) return token
  }
})()

const second = makeSiblings(
  { number: 2, seats: SEATS, socketOf, isReplaced: () => false },
  async (request) => new Response(`${second.peerOf(request)} ${await request.text()}`),
  none,
)
const listening = second.listen()
afterAll(() => listening.close())
let kept = 0
const first = makeSiblings(
  { number: 1, seats: SEATS, socketOf, isReplaced: () => false },
  () => Promise.reject(new Error()),
  none,
  200,
)
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: (request) => first.forward(request, "192.0.2.7", () => kept++) ?? new Response("own"),
})
afterAll(() => server.stop(true))

test("a request that is handed over arrives with its body and the address of its client, whatever it claims itself", async () => {
  const response = await fetch(`http://127.0.0.1:${server.port}/api/widget/chat`, {
    method: "POST",
    headers: { authorization: `Bearer ${forged}`, "x-parley-peer": "127.0.0.1" },
    body: "Hello",
  })
  expect([await response.text(), kept]).toEqual(["192.0.2.7 Hello", 1])
})

test("a body that does not arrive ends the request, and its connection keeps its limit of silence until then", async () => {
  kept = 0
  const answer = await new Promise<string>((resolve, reject) => {
    const socket = connect(server.port ?? 0, "127.0.0.1", () =>
      socket.write(
        `POST /api/widget/chat HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${forged}\r\ncontent-length: 1000\r\n\r\nHel`,
      ),
    )
    socket.on("data", (data) => (resolve(data.toString()), socket.destroy()))
    socket.on("error", reject)
  })
  expect([answer.split("\r\n")[0], kept]).toEqual(["HTTP/1.1 408 Request Timeout", 0])
})

test("a worker that leaves hands what is for its place to the worker that has the place now", async () => {
  let isReplaced = false
  const place = { number: 2, seats: SEATS, socketOf: (seat: number) => join(directory, `place-${seat}.sock`) }
  const leaving = makeSiblings(
    { ...place, isReplaced: () => isReplaced },
    async () => new Response("the old one"),
    none,
  )
  const next = makeSiblings({ ...place, isReplaced: () => false }, async () => new Response("the next one"), none)
  const closes = [leaving, next].map((worker) => worker.listen().close)
  const ask = async () => {
    const headers = { authorization: `Bearer ${forged}` }
    const request = new Request("http://x/api/widget/chat", { method: "POST", headers })
    return (await leaving.forward(request, undefined, () => {}))?.text()
  }
  try {
    expect(await ask()).toBeUndefined()
    isReplaced = true
    expect(await ask()).toBe("the next one")
  } finally {
    for (const close of closes) close()
  }
})
