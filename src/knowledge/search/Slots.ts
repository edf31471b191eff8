import { type Deferred, Semaphore } from "effect"
import type { Unavailable } from "../../domain/Errors.ts"
import type { DocumentId } from "../../domain/Ids.ts"
import type { LanguageCount } from "../../text/Language.ts"
import { LexicalIndex, type Norms } from "./LexicalIndex.ts"
import type { Sample } from "./Sample.ts"
import type { Segment } from "../segments/Segment.ts"

/** An index that was evicted from memory, reduced to what restores it without the database. */
export class ParkedIndex {
  readonly norms: Norms
  /** The segments of the index in order: the path of a segment that is on disk, else the segment itself. */
  readonly parts: ReadonlyArray<string | Segment>
  readonly bytes: number

  constructor(norms: Norms, parts: ReadonlyArray<string | Segment>) {
    this.norms = norms
    this.parts = parts
    this.bytes = parts.reduce((sum, part) => sum + (typeof part === "string" ? 0 : part.bytes), norms.norms.byteLength)
  }
}

/** The state of a chatbot's knowledge at one version. */
export interface Entry<Content = LexicalIndex | ParkedIndex | Sample> {
  readonly version: bigint
  /** The languages of the passages. */
  readonly languages: ReadonlyArray<LanguageCount>
  /** The number of passages in the knowledge base. */
  readonly chunks: number
  /** The index or, while there is none, a sample by which the database is searched. */
  readonly content: Content
  /** Where there is no index: the serving revision of each document. */
  readonly revisions?: ReadonlyMap<DocumentId, number>
}

/** The approximate memory of one of the revisions of an entry. */
const REVISION_BYTES = 120

/** The place of one chatbot in the cache. */
export class Slot {
  readonly key: string
  /** Only one fiber at a time brings the entry up to date; the others wait, and then use the entry. */
  readonly lock = Semaphore.makeUnsafe(1)
  entry: Entry | undefined
  /** The segments of the entry's index; where it has none, the segments that already exist. */
  segments: ReadonlyArray<Segment> = []
  /** The segment that is being built on another thread. */
  pendingBuild: Deferred.Deferred<Segment, Unavailable> | undefined
  /** The version of the knowledge for which the last build began; -1 before the first, and after a failure. */
  lastBuildVersion = -1n

  constructor(key: string) {
    this.key = key
  }

  get bytes(): number {
    const { entry } = this
    return entry === undefined ? 0 : entry.content.bytes + REVISION_BYTES * (entry.revisions?.size ?? 0)
  }
}

/** The most slots. Those of empty and small knowledge bases take next to nothing of the memory that is counted. */
export const SLOTS_MAX_COUNT = 10_000

/**
 * A cache of the chatbots whose knowledge was recently searched, bounded by memory and by number. The keys contain the
 * organization, so that no organization reaches the index of another one's chatbot.
 */
export class Slots {
  private readonly bytesMax: number
  private readonly pathOf: (segment: Segment) => string | undefined
  /** The slots by their keys, the least recently used first. */
  private readonly slots = new Map<string, Slot>()

  /** @param pathOf returns the path of a segment's file, if it has one */
  constructor(bytesMax: number, pathOf: (segment: Segment) => string | undefined) {
    this.bytesMax = bytesMax
    this.pathOf = pathOf
  }

  /** Returns the slot with this key, if there is one, and does not count as use. */
  peek(key: string): Slot | undefined {
    return this.slots.get(key)
  }

  /** Returns the slot with this key, or a new one, and makes it the most recently used. */
  touch(key: string): Slot {
    const slot = this.slots.get(key) ?? new Slot(key)
    this.slots.delete(key)
    this.slots.set(key, slot)
    const [oldest] = this.slots.size > SLOTS_MAX_COUNT ? this.slots.keys() : []
    if (oldest !== undefined) this.slots.delete(oldest)
    return slot
  }

  /**
   * Frees memory until the slots fit their bound, the least recently used first: it parks indexes and, where that does
   * not suffice, removes slots. The most recently used slot always stays as it is.
   */
  makeRoom(): void {
    let used = Array.from(this.slots.values()).reduce((sum, { bytes }) => sum + bytes, 0)
    const room = (change: (key: string, slot: Slot) => void): void => {
      const others = Array.from(this.slots).slice(0, -1)
      for (const [key, slot] of others) {
        if (used <= this.bytesMax) return
        used -= slot.bytes
        change(key, slot)
        if (this.slots.has(key)) used += slot.bytes
      }
    }
    room((_, slot) => this.park(slot))
    room((key) => this.slots.delete(key))
  }

  /** The number of slots that have an entry, and the bytes of all of them. */
  get usage(): { readonly count: number; readonly bytes: number } {
    const used = Array.from(this.slots.values()).filter(({ entry }) => entry !== undefined)
    return { count: used.length, bytes: used.reduce((sum, { bytes }) => sum + bytes, 0) }
  }

  private park(slot: Slot): void {
    const { entry } = slot
    if (entry === undefined || !(entry.content instanceof LexicalIndex)) return
    const { norms, segments } = entry.content
    slot.entry = {
      ...entry,
      content: new ParkedIndex(
        norms,
        segments.map((segment) => this.pathOf(segment) ?? segment),
      ),
    }
    slot.segments = []
  }
}
