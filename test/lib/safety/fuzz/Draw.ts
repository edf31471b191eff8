import { random } from "../../Random.ts"

/** Random choices that follow from a seed. */
export class Draw {
  readonly next: () => number

  constructor(seed: number) {
    this.next = random(seed)
  }

  below = (count: number): number => Math.floor(this.next() * count)
  chance = (share: number): boolean => this.next() < share
  oneOf = <A>(values: readonly [A, ...ReadonlyArray<A>]): A => values[this.below(values.length)] ?? values[0]
  /** One of some values; undefined if there are none. */
  any = <A>(values: ReadonlyArray<A>): A | undefined => values[this.below(values.length)]
}
