import { type Effect, type Option, Semaphore } from "effect"
import type { DocumentId } from "../../domain/Ids.ts"
import type { LanguageCount } from "../../language/Language.ts"
import { RecentMap } from "../../system/RecentMap.ts"
import type { LexicalIndex } from "./LexicalIndex.ts"
import type { Sample } from "./Sample.ts"
import type { Segment } from "../segments/Segment.ts"
import type { SynonymGroups, Synonyms } from "./Synonyms.ts"

/** The state of a chatbot's knowledge at one version. */
export interface Entry {
  readonly version: bigint
  readonly languages: ReadonlyArray<LanguageCount>
  /** The number of passages in the knowledge base. */
  readonly chunks: number
  /** The index or, while there is none, a sample by which the database is searched. */
  readonly content: LexicalIndex | Sample
  /** The chatbot's own groups of synonyms. */
  readonly synonyms: SynonymGroups
  /** Serving revision of each document, where there is no index. */
  readonly revisions?: ReadonlyMap<DocumentId, number>
}

/** A segment that is being built on another thread. */
interface PendingSegment {
  /** The memory that it will take. */
  readonly bytes: number
  /** Waits for it; none where searches wait no longer, and where it could not be built. */
  readonly segment: Effect.Effect<Option.Option<Segment>>
}

/** The approximate memory of one of the revisions of an entry. */
const REVISION_BYTES = 120

/** The place of one chatbot in the cache. */
export class Slot {
  readonly key: string
  /** Only one fiber at a time brings the entry up to date; the others wait, and then use the entry. */
  readonly lock = Semaphore.makeUnsafe(1)
  entry: Entry | undefined
  /** The synonyms of an entry, once a search has needed them. */
  synonyms: Synonyms | undefined
  /** The segments of the entry's index; where it has none, the segments that already exist. */
  segments: ReadonlyArray<Segment> = []
  /** The segment that is being built. */
  pending: PendingSegment | undefined
  /** The version of the knowledge for which the last build began; -1 before the first, and where it may be tried again. */
  lastBuildVersion = -1n
  /** Time at which the slot was last used, in milliseconds by the monotonic clock. */
  usedAt = 0

  constructor(key: string) {
    this.key = key
  }

  get bytes(): number {
    const { entry, pending, synonyms } = this
    return (
      (pending?.bytes ?? 0) +
      (synonyms?.bytes ?? 0) +
      (entry === undefined ? 0 : entry.content.bytes + REVISION_BYTES * (entry.revisions?.size ?? 0))
    )
  }
}

/** The most slots. Those of empty and small knowledge bases take next to nothing of the memory that is counted. */
export const SLOTS_MAX_COUNT = 10_000
/**
 * The time for which an index that is searched displaces no other by being built: where knowledge bases in turn need
 * more memory than there is, the database answers for some of them, and no index is built over and over.
 */
const IN_USE_FOR = 10 * 60_000

/**
 * A cache of the chatbots whose knowledge was recently searched, bounded by memory and by number. The keys contain the
 * organization, so that no organization reaches the index of another one's chatbot.
 */
export class Slots {
  private readonly bytesMax: number
  /** The slots by their keys, the least recently used first. */
  private readonly slots = new RecentMap<Slot>(SLOTS_MAX_COUNT)

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax
  }

  /** Returns the slot with this key, if there is one, and does not count as use. */
  peek(key: string): Slot | undefined {
    return this.slots.find(key)
  }

  /** Returns the slot with this key, or a new one, and makes it the most recently used. */
  touch(key: string, now: number): Slot {
    const slot = this.slots.find(key) ?? new Slot(key)
    slot.usedAt = now
    return this.slots.set(key, slot)
  }

  /** Whether a slot may take so many bytes without displacing another one that is in use. */
  hasRoom(slot: Slot, bytes: number): boolean {
    const inUse = Array.from(this.slots.values()).filter((other) => slot.usedAt - other.usedAt < IN_USE_FOR)
    return sum(inUse.filter((other) => other !== slot)) + bytes <= this.bytesMax
  }

  /** Removes slots until the others fit their bound, the least recently used first; the most recently used one stays. */
  makeRoom(): void {
    let used = sum(this.slots.values())
    for (const slot of Array.from(this.slots.values()).slice(0, -1)) {
      if (used <= this.bytesMax) return
      used -= slot.bytes
      this.slots.delete(slot.key)
    }
  }

  /** The number of slots that have an entry, and the bytes of all of them. */
  get usage(): { readonly count: number; readonly bytes: number } {
    const used = Array.from(this.slots.values()).filter(({ entry }) => entry !== undefined)
    return { count: used.length, bytes: sum(used) }
  }
}

const sum = (slots: Iterable<Slot>): number => {
  let total = 0
  for (const { bytes } of slots) total += bytes
  return total
}
