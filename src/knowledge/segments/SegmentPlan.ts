import type { DocumentId } from "../../domain/Ids.ts"
import type { Segment, SegmentDocument } from "./Segment.ts"

/** Plan for bringing an index up to date. */
interface SegmentPlan {
  readonly keep: ReadonlyArray<Segment>
  /** The documents to build one new segment from: those that are missing, and those of segments that do not stay. */
  readonly load: ReadonlyArray<SegmentDocument>
  /** The serving documents that no segment contains in their current state. */
  readonly missing: ReadonlyArray<SegmentDocument>
}

/** A segment is dissolved when a smaller share of its chunks still serves. */
const LEAST_SERVING_SHARE = 0.5
/** A segment up to this many times as large as the new one is merged into it, so that few segments remain. */
const MERGE_RATIO = 2

const keyOf = (document: { readonly id: DocumentId; readonly revision: number }): string =>
  `${document.id}:${document.revision}`

/**
 * Returns a predicate for the documents of a segment: whether the document was deleted, replaced by a newer revision,
 * or embedded since the segment was built.
 */
export const outdatedBy = (serving: ReadonlyArray<SegmentDocument>): ((indexed: SegmentDocument) => boolean) => {
  const documents = new Map(serving.map((document) => [document.id, document]))
  return (indexed) => {
    const current = documents.get(indexed.id)
    if (current === undefined) return true
    // The indexed revision may be newer than the list: it serves, and the knowledge base has another version already.
    if (indexed.revision !== current.revision) return indexed.revision < current.revision
    return current.isEmbedded && !indexed.isEmbedded
  }
}

export const sizeOf = (documents: ReadonlyArray<SegmentDocument>): number =>
  documents.reduce((sum, document) => sum + document.chunks, 0)

/** Sorts segments by size, largest first, and leaves out each that shares a document with one before it. */
export const disjoint = (segments: ReadonlyArray<Segment>): ReadonlyArray<Segment> => {
  const taken = new Set<string>()
  return segments
    .toSorted((left, right) => right.size - left.size)
    .filter(({ documents }) => {
      const keys = documents.map(keyOf)
      if (keys.some((key) => taken.has(key))) return false
      for (const key of keys) taken.add(key)
      return true
    })
}

/**
 * Plans to read the documents that changed, and those of small segments with them. Each chunk is therefore read about
 * log₂(chunks) times over the life of a knowledge base.
 */
export const planSegments = (
  segments: ReadonlyArray<Segment>,
  serving: ReadonlyArray<SegmentDocument>,
): SegmentPlan => {
  const isOutdated = outdatedBy(serving)
  const current = segments.flatMap(({ documents }) => documents.filter((document) => !isOutdated(document)))
  const indexed = new Set(current.map(keyOf))
  const missing = serving.filter((document) => !indexed.has(keyOf(document)))
  const keys = new Set(serving.map(keyOf))
  const measured = segments
    .map((segment) => {
      const live = segment.documents.filter((document) => keys.has(keyOf(document)) && !isOutdated(document))
      return { segment, live, size: sizeOf(live), share: sizeOf(live) / segment.size }
    })
    .sort((left, right) => left.size - right.size)
  const load = [...missing]
  const keep: Array<Segment> = []
  for (const { segment, live, size, share } of measured) {
    if (share < LEAST_SERVING_SHARE || size <= MERGE_RATIO * sizeOf(load)) load.push(...live)
    else keep.push(segment)
  }
  return { keep, load, missing }
}
