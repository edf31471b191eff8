import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { decodeSegment, encodeSegment } from "../../../src/knowledge/segments/SegmentFile.ts"
import { chunkIdOf as idOf } from "../../../src/knowledge/segments/Segment.ts"
import { chunkIdOf, chunkOf, segmentOf } from "../../lib/Lexemes.ts"

const owner = { organization: "0199aaaa-0000-7000-8000-000000000001", chatbot: "0199bbbb-0000-7000-8000-000000000001" }

const words = fc.array(fc.constantFrom("oak", "elm", "ash", "fir", "yew", "Häuser", "超级"), { maxLength: 30 })
const chunk = fc.record({
  document: fc.integer({ min: 0, max: 4 }),
  revision: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
  language: fc.constantFrom("english" as const, "german" as const, "simple" as const),
  title: words,
  text: words,
  sketch: fc.option(fc.uint8Array({ minLength: 3, maxLength: 3 })),
})
const segments = fc.array(chunk, { maxLength: 20 }).map((chunks) =>
  segmentOf(
    chunks.map(({ document, revision, language, title, text, sketch }, number) => ({
      ...chunkOf(number, text.join(" "), { title: title.join(" "), document, revision }),
      language,
      sketch,
    })),
  ),
)

describe("a segment's file", () => {
  test("decodes to exactly the segment that was encoded", () => {
    fc.assert(
      fc.property(segments, (segment) => {
        const bytes = encodeSegment(segment, owner)
        expect(decodeSegment(bytes, owner)).toEqual({ ...segment, bytes: bytes.length })
      }),
    )
  })

  test("is refused for another owner, and when its format or its length is wrong", () => {
    fc.assert(
      fc.property(segments, fc.nat(7), fc.integer({ min: 1, max: 40 }), (segment, place, length) => {
        const bytes = encodeSegment(segment, owner)
        expect(decodeSegment(bytes, { ...owner, organization: owner.chatbot })).toBeUndefined()
        expect(decodeSegment(bytes, { ...owner, chatbot: owner.organization })).toBeUndefined()
        expect(decodeSegment(bytes.slice(0, -length), owner)).toBeUndefined()
        expect(decodeSegment(Buffer.concat([bytes, new Uint8Array(8 * length)]), owner)).toBeUndefined()
        bytes.set([(bytes[place] ?? 0) ^ 1], place)
        expect(decodeSegment(bytes, owner)).toBeUndefined()
      }),
    )
  })
})

test("a segment returns the ids of its chunks", () => {
  const segment = segmentOf([chunkOf(7, "oak"), chunkOf(8, "elm")])
  expect([idOf(segment, 0), idOf(segment, 1)]).toEqual([chunkIdOf(7), chunkIdOf(8)])
})
