import { type Deferred, Semaphore } from "effect"
import type { Unavailable } from "../../domain/Errors.ts"
import type { Language } from "../../text/Language.ts"
import { LexicalIndex, type Norms } from "./LexicalIndex.ts"
import type { Sample } from "./Sample.ts"
import type { Segment } from "../segments/Segment.ts"

/** What is left of an index when room was made for others: enough to have it back without the database. */
export class ParkedIndex {
  readonly norms: Norms
  /** Its segments, in order; in place of one that is on disk, its path. */
  readonly parts: ReadonlyArray<string | Segment>
  readonly bytes: number

  constructor(norms: Norms, parts: ReadonlyArray<string | Segment>) {
    this.norms = norms
    this.parts = parts
    this.bytes = parts.reduce((sum, part) => sum + (typeof part === "string" ? 0 : part.bytes), norms.norms.byteLength)
  }
}

/** What is known of a chatbot's knowledge at one version of it. */
export interface Entry<Held = LexicalIndex | ParkedIndex | Sample> {
  readonly version: bigint
  readonly languages: ReadonlyArray<Language>
  /** Passages in all. */
  readonly chunks: number
  /** While there is no index, a sample tells what to ask the database for. */
  readonly held: Held
}

/** What is known of a chatbot's knowledge. */
export class Slot {
  /** Held by whoever brings the entry up to date; the others wait and find it done. */
  readonly gate = Semaphore.makeUnsafe(1)
  entry: Entry | undefined
  /** Of the entry's index, or as far as there are any without one. */
  segments: ReadonlyArray<Segment> = []
  /** What is built beside, and the version for which that began last. */
  building: Deferred.Deferred<Segment, Unavailable> | undefined
  begunFor = -1n

  get bytes(): number {
    return this.entry?.held.bytes ?? 0
  }
}

/**
 * Chatbots whose knowledge was lately searched, within so many bytes. By organization, so that nobody gets to see an
 * index without asking the database.
 */
export class Slots {
  private readonly bytesMax: number
  private readonly pathOf: (segment: Segment) => string | undefined
  /** Least recently used first. */
  private readonly slots = new Map<string, Slot>()

  /** @param pathOf where the segment can be had again */
  constructor(bytesMax: number, pathOf: (segment: Segment) => string | undefined) {
    this.bytesMax = bytesMax
    this.pathOf = pathOf
  }

  peek(key: string): Slot | undefined {
    return this.slots.get(key)
  }

  /** Takes it, or a new one, for used just now. */
  touch(key: string): Slot {
    const slot = this.slots.get(key) ?? new Slot()
    this.slots.delete(key)
    this.slots.set(key, slot)
    return slot
  }

  /** Of those that were not used for longest, indexes are parked first; only then anything is forgotten. The last stays. */
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

  private park(slot: Slot): void {
    const { entry } = slot
    if (entry === undefined || !(entry.held instanceof LexicalIndex)) return
    const { norms, segments } = entry.held
    slot.entry = {
      ...entry,
      held: new ParkedIndex(
        norms,
        segments.map((segment) => this.pathOf(segment) ?? segment),
      ),
    }
    slot.segments = []
  }
}
