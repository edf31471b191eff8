import { describe, expect, test } from "bun:test"
import { EventReader, eventsOf } from "../../src/web/shared/EventStream.ts"

const stream =
  ': hello\n\nid: 1\ndata: {"a":1}\n\nid: 2\r\ndata: one\r\ndata: two\r\n\r\nevent: x\ndata\n\nid: 3\ndata:last\n\ndata: cut'
const expected = [
  { id: "1", data: '{"a":1}' },
  { id: "2", data: "one\ntwo" },
  { id: "2", data: "" },
  { id: "3", data: "last" },
]

describe("a stream of server-sent events", () => {
  test.each([1, 2, 3, 7, 1_000])("is read in pieces of %i characters", (size) => {
    const reader = new EventReader()
    const events = []
    for (let at = 0; at < stream.length; at += size) events.push(...reader.read(stream.slice(at, at + size)))
    expect(events).toEqual(expected)
  })

  test("ends its lines where the standard does, and not at the line separators of Unicode", () => {
    expect(new EventReader().read("data: one\u2028two\u2029three\u0085four\n\n")).toEqual([
      { data: "one\u2028two\u2029three\u0085four" },
    ])
  })

  test("is read from a response, with characters of several bytes that are cut in two", async () => {
    const bytes = new TextEncoder().encode("id: 1\ndata: größer 🙂\n\n")
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
        controller.close()
      },
    })
    const events = []
    for await (const some of eventsOf(new Response(body))) events.push(...some)
    expect(events).toEqual([{ id: "1", data: "größer 🙂" }])
  })
})
