/** An item by its number, with its score. */
export interface Scored {
  readonly index: number
  readonly score: number
}

/** Keeps the highest of many scores, up to a capacity, in descending order: few are inserted, since most are too low. */
export class TopScores {
  private readonly indexes: Uint32Array
  private readonly scores: Float32Array
  private size = 0

  constructor(capacity: number) {
    this.indexes = new Uint32Array(capacity)
    this.scores = new Float32Array(capacity)
  }

  /** Adds an item if its score is among the highest. */
  offer(index: number, score: number): void {
    if (score <= this.least) return
    if (this.size < this.scores.length) this.size++
    let place = this.size - 1
    for (; place > 0 && (this.scores[place - 1] ?? 0) < score; place--) {
      this.scores[place] = this.scores[place - 1] ?? 0
      this.indexes[place] = this.indexes[place - 1] ?? 0
    }
    this.scores[place] = score
    this.indexes[place] = index
  }

  /** The score that an item has to exceed to be added: -∞ until the capacity is reached. */
  get least(): number {
    return this.size < this.scores.length ? -Infinity : (this.scores[this.size - 1] ?? Infinity)
  }

  /** The items, the highest score first; among equal scores, the lower index first. */
  descending(): ReadonlyArray<Scored> {
    return Array.from(this.scores.subarray(0, this.size), (score, place) => ({
      index: this.indexes[place] ?? 0,
      score,
    })).sort((left, right) => right.score - left.score || left.index - right.index)
  }
}
