const SMALLEST = 1_024
const SPACE = 32

/**
 * What is known of words, found in a text as `spacedWords` makes it without cutting the words out: that would take three
 * times as long as all else that is done with them.
 */
export class WordTable<A> {
  /** Sum of the lengths of its words, UTF-16 code units: what its memory goes by. */
  characters = 0
  readonly #words: Array<string> = []
  readonly #values: Array<A> = []
  readonly #hashes: Array<number> = []
  /** Open addressing: each slot is 0 or the number of a word, from 1. Half of them are free at the least. */
  #slots = new Int32Array(SMALLEST)

  /** For each of the words between single spaces, in order, what is known of it; `learn` is asked once for each new one. */
  read(spaced: string, learn: (word: string) => A): Array<A> {
    const found: Array<A> = []
    let from = 0
    let hash = 0
    for (let index = 0; index <= spaced.length; index++) {
      const code = index < spaced.length ? spaced.charCodeAt(index) : SPACE
      if (code !== SPACE) {
        hash = Math.imul(hash ^ code, 0x9e3779b1)
        hash ^= hash >>> 15
        continue
      }
      found.push(this.#find(spaced, from, index, hash) ?? this.#add(spaced.slice(from, index), hash, learn))
      from = index + 1
      hash = 0
    }
    return found
  }

  #find(text: string, from: number, to: number, hash: number): A | undefined {
    const mask = this.#slots.length - 1
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const place = (this.#slots[slot] ?? 0) - 1
      if (place < 0) return undefined
      const word = this.#words[place] ?? ""
      if (this.#hashes[place] === hash && word.length === to - from && text.startsWith(word, from)) {
        return this.#values[place]
      }
    }
  }

  #add(word: string, hash: number, learn: (word: string) => A): A {
    const value = learn(word)
    this.#words.push(word)
    this.#values.push(value)
    this.#hashes.push(hash)
    this.characters += word.length
    if (this.#words.length * 2 <= this.#slots.length) this.#place(this.#words.length)
    else this.#grow()
    return value
  }

  #grow(): void {
    this.#slots = new Int32Array(this.#slots.length * 2)
    for (let number = 1; number <= this.#words.length; number++) this.#place(number)
  }

  #place(number: number): void {
    const mask = this.#slots.length - 1
    let slot = (this.#hashes[number - 1] ?? 0) & mask
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
    this.#slots[slot] = number
  }
}
