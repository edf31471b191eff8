import type { DocumentId } from "../../domain/Ids.ts"
import type { Segment, SegmentDocument } from "./Segment.ts"

/** How to bring an index up to date: the segments that stay, and the documents to make one new segment of. */
export interface SegmentPlan {
  readonly keep: ReadonlyArray<Segment>
  readonly load: ReadonlyArray<SegmentDocument>
}

/** A segment of which less than this share still serves is dissolved. */
const LEAST_SERVING_SHARE = 0.5
/** A segment up to so many times as large as what is new joins it, so that there are never more than a few. */
const JOINING_RATIO = 2

/** Which revision of which document. */
const keyOf = (document: { readonly id: DocumentId; readonly revision: number }): string =>
  `${document.id}:${document.revision}`

/** Tells what a segment holds that does not serve any more, or that has been embedded since. */
export const outdatedBy = (serving: ReadonlyArray<SegmentDocument>): ((held: SegmentDocument) => boolean) => {
  const documents = new Map(serving.map((document) => [document.id, document]))
  return (held) => {
    const now = documents.get(held.id)
    // A newer revision than was listed may have been read: it serves, and the version has moved on.
    if (now === undefined || held.revision !== now.revision) return now === undefined || held.revision < now.revision
    return now.isEmbedded && !held.isEmbedded
  }
}

/** Chunks of the documents. */
export const sizeOf = (documents: ReadonlyArray<SegmentDocument>): number =>
  documents.reduce((sum, document) => sum + document.chunks, 0)

/** Documents that serve, and that none of the segments holds as they are now. */
export const missingFrom = (
  segments: ReadonlyArray<Segment>,
  serving: ReadonlyArray<SegmentDocument>,
): ReadonlyArray<SegmentDocument> => {
  const isGone = outdatedBy(serving)
  const held = new Set(segments.flatMap(({ documents }) => documents.filter((each) => !isGone(each)).map(keyOf)))
  return serving.filter((document) => !held.has(keyOf(document)))
}

/** The segments, largest first, without those that share a document with one before. */
export const disjoint = (segments: ReadonlyArray<Segment>): ReadonlyArray<Segment> => {
  const held = new Set<string>()
  return segments
    .toSorted((left, right) => right.size - left.size)
    .filter(({ documents }) => {
      const keys = documents.map(keyOf)
      if (keys.some((key) => held.has(key))) return false
      for (const key of keys) held.add(key)
      return true
    })
}

/** Reads again what changed, and small segments with it; each chunk is read about log₂(chunks) times in its life. */
export const planSegments = (
  segments: ReadonlyArray<Segment>,
  serving: ReadonlyArray<SegmentDocument>,
): SegmentPlan => {
  const wanted = new Set(serving.map(keyOf))
  const isGone = outdatedBy(serving)
  const isLive = (held: SegmentDocument): boolean => wanted.has(keyOf(held)) && !isGone(held)
  const measured = segments
    .map((segment) => {
      const live = segment.documents.filter(isLive)
      return { segment, live, size: sizeOf(live), share: sizeOf(live) / segment.size }
    })
    .sort((left, right) => left.size - right.size)
  const load = [...missingFrom(segments, serving)]
  const keep: Array<Segment> = []
  for (const { segment, live, size, share } of measured) {
    if (share < LEAST_SERVING_SHARE || size <= JOINING_RATIO * sizeOf(load)) load.push(...live)
    else keep.push(segment)
  }
  return { keep, load }
}
