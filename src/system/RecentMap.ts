/** A map of bounded size: beyond its capacity it forgets the entry that was made first. */
export class RecentMap<V> {
  private readonly entries = new Map<string, V>()
  /** Goes on from eviction to eviction: from the start, each would walk past all that were deleted before. */
  private readonly oldest = this.entries.keys()
  private readonly capacity: number

  constructor(capacity: number) {
    this.capacity = capacity
  }

  find(key: string): V | undefined {
    return this.entries.get(key)
  }

  /** The entry of a key, which is made if there is none. */
  get(key: string, make: () => V): V {
    return this.entries.get(key) ?? this.set(key, make())
  }

  /** Adds an entry as the newest one. */
  set(key: string, value: V): V {
    this.entries.delete(key)
    this.entries.set(key, value)
    if (this.entries.size > this.capacity) this.entries.delete(this.oldest.next().value ?? key)
    return value
  }

  /** The keys of all entries, that of the oldest first. */
  keys(): Iterable<string> {
    return this.entries.keys()
  }

  /** All entries, the oldest first. */
  values(): Iterable<V> {
    return this.entries.values()
  }

  delete(key: string): void {
    this.entries.delete(key)
  }
}
