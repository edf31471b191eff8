/** A map of bounded size: beyond its capacity it forgets the entry that was made first. */
export class RecentMap<V> {
  readonly #entries = new Map<string, V>()
  readonly #capacity: number

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  find(key: string): V | undefined {
    return this.#entries.get(key)
  }

  /** The entry of a key, which is made if there is none. */
  get(key: string, make: () => V): V {
    return this.#entries.get(key) ?? this.set(key, make())
  }

  /** Adds an entry as the newest one. */
  set(key: string, value: V): V {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    const [oldest] = this.#entries.size > this.#capacity ? this.#entries.keys() : []
    if (oldest !== undefined) this.#entries.delete(oldest)
    return value
  }

  /** The keys of all entries, that of the oldest first. */
  keys(): Iterable<string> {
    return this.#entries.keys()
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }
}
