import { expect, test } from "bun:test"
import * as fc from "fast-check"
import type { Segment } from "../../../src/knowledge/segments/Segment.ts"
import { SegmentBuilder } from "../../../src/knowledge/segments/SegmentBuilder.ts"
import { disjoint, outdatedBy, planSegments, sizeOf } from "../../../src/knowledge/segments/SegmentPlan.ts"
import { chunkOf, documentIdOf, uuidBytes } from "../../lib/Lexemes.ts"

interface Wanted {
  readonly document: number
  readonly revision: number
  readonly chunks: number
}

const serving = (wanted: ReadonlyArray<Wanted>) =>
  wanted.map(({ document, revision, chunks }) => ({
    id: documentIdOf(document),
    revision,
    chunks,
    isEmbedded: false,
  }))

const build = (wanted: ReadonlyArray<ReturnType<typeof serving>[number]>): Segment => {
  const builder = new SegmentBuilder()
  for (const { id, revision, chunks } of wanted) {
    for (let number = 0; number < chunks; number++)
      builder.add({ ...chunkOf(number, "oak"), documentId: uuidBytes(id), revision })
  }
  return builder.build()
}

const states = fc.array(
  fc.uniqueArray(
    fc.record({
      document: fc.integer({ min: 0, max: 30 }),
      revision: fc.integer({ min: 1, max: 3 }),
      chunks: fc.integer({ min: 1, max: 5 }),
    }),
    { selector: ({ document }) => document, maxLength: 25 },
  ),
  { minLength: 1, maxLength: 12 },
)

test("a document is read again once it has its sketches, and its old copy is outdated", () => {
  const [document] = serving([{ document: 1, revision: 1, chunks: 3 }])
  if (document === undefined) throw new Error("no document")
  const other = serving([{ document: 2, revision: 1, chunks: 9 }])
  const segment = build([document, ...other])
  const embedded = [{ ...document, isEmbedded: true }, ...other]
  expect(planSegments([segment], [document, ...other])).toMatchObject({ keep: [segment], load: [] })
  expect(planSegments([segment], embedded)).toMatchObject({
    keep: [segment],
    load: [{ ...document, isEmbedded: true }],
  })
  expect(segment.documents.map(outdatedBy(embedded))).toEqual([true, false])
})

test("a document in a segment is outdated when it was deleted or is older than the serving revision, but not when it is newer", () => {
  const [listed] = serving([{ document: 1, revision: 2, chunks: 3 }])
  if (listed === undefined) throw new Error("no document")
  const isOutdated = outdatedBy([listed])
  expect([1, 2, 3].map((revision) => isOutdated({ ...listed, revision }))).toEqual([true, false, false])
  expect(serving([{ document: 2, revision: 2, chunks: 3 }]).map(isOutdated)).toEqual([true])
  expect(sizeOf([listed, listed])).toBe(6)
})

test("of segments that share a document only the largest stays", () => {
  const [a, b, c] = [1, 2, 3].map((document) => ({ document, revision: 1, chunks: document }))
  if (a === undefined || b === undefined || c === undefined) throw new Error("no document")
  const [small, large, other] = [build(serving([a])), build(serving([a, b])), build(serving([c]))]
  const again = build(serving([{ ...a, revision: 2 }]))
  expect(disjoint([small, large, other, again])).toEqual([large, other, again])
  expect(disjoint([])).toEqual([])
})

test("a new segment absorbs one of twice its size, but no larger one", () => {
  const [small, large] = [
    serving([{ document: 1, revision: 1, chunks: 6 }]),
    serving([{ document: 2, revision: 1, chunks: 19 }]),
  ]
  const fresh = serving([{ document: 3, revision: 1, chunks: 3 }])
  const [joining, staying] = [build(small), build(large)]
  expect(planSegments([staying, joining], [...small, ...large, ...fresh])).toMatchObject({
    keep: [staying],
    load: [...fresh, ...joining.documents],
  })
})

test("after every change, the segments contain each serving revision exactly once", () => {
  fc.assert(
    fc.property(states, (history) => {
      let segments: ReadonlyArray<Segment> = []
      // The number of chunks is fixed for each revision.
      const chunksOf = ({ document, revision }: Wanted): number => 1 + ((7 * document + 3 * revision) % 5)
      for (const state of history) {
        const wanted = serving(state.map((one) => ({ ...one, chunks: chunksOf(one) })))
        const { keep, load } = planSegments(segments, wanted)
        segments = load.length === 0 ? keep : [...keep, build(load)]
        const held = segments.flatMap((segment) => segment.documents).map(({ id, revision }) => `${id} ${revision}`)
        expect(new Set(held).size).toBe(held.length)
        for (const { id, revision } of wanted) expect(held).toContain(`${id} ${revision}`)
      }
    }),
  )
})

test("documents that are added one by one end up in few segments, and each is read few times", () => {
  const documents = serving(Array.from({ length: 200 }, (_, document) => ({ document, revision: 1, chunks: 3 })))
  let segments: ReadonlyArray<Segment> = []
  let read = 0
  for (let count = 1; count <= documents.length; count++) {
    const { keep, load } = planSegments(segments, documents.slice(0, count))
    read += load.length
    segments = [...keep, build(load)]
    expect(segments.length).toBeLessThanOrEqual(8)
  }
  expect(read).toBeLessThan(documents.length * 8)
})

test("a segment is dissolved when few of its documents still serve", () => {
  const documents = serving(Array.from({ length: 10 }, (_, document) => ({ document, revision: 1, chunks: 1 })))
  const { keep, load } = planSegments([build(documents)], documents.slice(0, 3))
  expect(keep).toEqual([])
  expect(load.map(({ id }) => id).toSorted()).toEqual(documents.slice(0, 3).map(({ id }) => id))
  const half = build(documents)
  expect(planSegments([half], documents.slice(0, 5))).toMatchObject({ keep: [half], load: [] })
})
