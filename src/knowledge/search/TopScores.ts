/** An item by its number, with its score. */
export interface Scored {
  readonly index: number
  readonly score: number
}

/** Keeps the highest of many scores, up to a capacity, in a binary heap whose root is the lowest of them. */
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
    if (this.size < this.scores.length) this.rise(this.size++, index, score)
    else if (score > this.scoreAt(0)) this.sink(index, score)
  }

  /** The score that an item has to exceed to be added: -∞ until the capacity is reached. */
  get least(): number {
    return this.size < this.scores.length ? -Infinity : this.scoreAt(0)
  }

  /** The items, the highest score first; among equal scores, the lower index first. */
  descending(): ReadonlyArray<Scored> {
    const kept: Array<Scored> = []
    for (let place = 0; place < this.size; place++) {
      kept.push({ index: this.indexes[place] ?? 0, score: this.scoreAt(place) })
    }
    return kept.sort((left, right) => right.score - left.score || left.index - right.index)
  }

  private rise(from: number, index: number, score: number): void {
    let place = from
    while (place > 0) {
      const parent = (place - 1) >>> 1
      if (this.scoreAt(parent) <= score) break
      this.move(parent, place)
      place = parent
    }
    this.set(place, index, score)
  }

  private sink(index: number, score: number): void {
    let place = 0
    for (let child = 1; child < this.size; child = 2 * place + 1) {
      if (child + 1 < this.size && this.scoreAt(child + 1) < this.scoreAt(child)) child++
      if (this.scoreAt(child) >= score) break
      this.move(child, place)
      place = child
    }
    this.set(place, index, score)
  }

  private scoreAt(place: number): number {
    return this.scores[place] ?? Infinity
  }

  private move(from: number, to: number): void {
    this.set(to, this.indexes[from] ?? 0, this.scoreAt(from))
  }

  private set(place: number, index: number, score: number): void {
    this.indexes[place] = index
    this.scores[place] = score
  }
}
