const SMALLEST = 1_024
const SPACE = 32

/** A word with the value that is remembered of it. */
interface Entry<A> {
  readonly value: A
  readonly hash: number
  /** Offset of the word among the characters of all words, and its length. */
  readonly from: number
  readonly length: number
}

/**
 * Remembers a value for each word. Words are looked up in a text of `spacedWords` where they stand: cutting them out
 * would take longer than all other work on them.
 */
export class WordTable<A> {
  /** The sum of the lengths of all words in UTF-16 code units, to which the memory is proportional. */
  characters = 0
  private readonly entries: Array<Entry<A>> = []
  /** The code units of all words, one word after the other. */
  private codes = new Uint16Array(SMALLEST)
  /**
   * A hash table with open addressing: a slot is 0, or the number of an entry from 1. At least half of the slots are
   * free.
   */
  private slots = new Int32Array(SMALLEST)
  /** The seed of the hash. It is random, so that nobody can choose words that all fall into one slot. */
  private readonly seed = crypto.getRandomValues(new Int32Array(1))[0] ?? 0

  /**
   * The value of each word of a text between single spaces, in order. `learn` makes the value of a word that is new.
   */
  read(spaced: string, learn: (word: string) => A): Array<A> {
    const found: Array<A> = []
    let from = 0
    let hash = this.seed
    for (let index = 0; index <= spaced.length; index++) {
      const code = index < spaced.length ? spaced.charCodeAt(index) : SPACE
      if (code !== SPACE) {
        hash = Math.imul(hash ^ code, 0x9e3779b1)
        hash ^= hash >>> 15
        continue
      }
      const entry = this.find(spaced, from, index - from, hash) ?? this.add(spaced.slice(from, index), hash, learn)
      found.push(entry.value)
      from = index + 1
      hash = this.seed
    }
    return found
  }

  private find(text: string, from: number, length: number, hash: number): Entry<A> | undefined {
    const mask = this.slots.length - 1
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const number = this.slots[slot] ?? 0
      if (number === 0) return undefined
      const entry = this.entries[number - 1]
      if (entry?.hash === hash && entry.length === length && this.isAt(entry.from, text, from, length)) return entry
    }
  }

  /** Compares the words themselves: words of one hash may differ, and the author of a file chooses its words. */
  private isAt(at: number, text: string, from: number, length: number): boolean {
    for (let index = 0; index < length; index++) {
      if (this.codes[at + index] !== text.charCodeAt(from + index)) return false
    }
    return true
  }

  private add(word: string, hash: number, learn: (word: string) => A): Entry<A> {
    const entry = { value: learn(word), hash, from: this.characters, length: word.length }
    this.entries.push(entry)
    this.keep(word)
    if (this.entries.length * 2 <= this.slots.length) this.place(hash, this.entries.length)
    else this.grow()
    return entry
  }

  private keep(word: string): void {
    if (this.characters + word.length > this.codes.length) {
      const larger = new Uint16Array(2 * (this.characters + word.length))
      larger.set(this.codes)
      this.codes = larger
    }
    for (let index = 0; index < word.length; index++) this.codes[this.characters++] = word.charCodeAt(index)
  }

  private grow(): void {
    this.slots = new Int32Array(this.slots.length * 2)
    for (const [index, { hash }] of this.entries.entries()) this.place(hash, index + 1)
  }

  private place(hash: number, number: number): void {
    const mask = this.slots.length - 1
    let slot = hash & mask
    while (this.slots[slot] !== 0) slot = (slot + 1) & mask
    this.slots[slot] = number
  }
}
