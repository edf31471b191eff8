/** An item by its number, with its score. */
export interface Scored {
  readonly index: number
  readonly score: number
}

/** Keeps the highest of many scores, up to a capacity. */
export class TopScores {
  private readonly capacity: number
  /** The highest scores so far, in descending order. Few scores are inserted, because most are below the least. */
  private readonly kept: Array<Scored> = []

  constructor(capacity: number) {
    this.capacity = capacity
  }

  /** Adds an item if its score is among the highest. */
  offer(index: number, score: number): void {
    if (score <= this.least) return
    let place = this.kept.length
    while (place > 0 && (this.kept[place - 1]?.score ?? 0) < score) place--
    this.kept.splice(place, 0, { index, score })
    if (this.kept.length > this.capacity) this.kept.pop()
  }

  /** The score that an item has to exceed to be added: -∞ until the capacity is reached. */
  get least(): number {
    return this.kept.length < this.capacity ? -Infinity : (this.kept.at(-1)?.score ?? Infinity)
  }

  /** The items, the highest score first; among equal scores, the lower index first. */
  descending(): ReadonlyArray<Scored> {
    return this.kept.toSorted((left, right) => right.score - left.score || left.index - right.index)
  }
}
