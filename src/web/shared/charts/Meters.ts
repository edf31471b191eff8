/*
 * How much of a limit is taken.
 */

/** Whether there is room, it gets scarce, or there is none. */
export type Fill = "calm" | "scarce" | "full"

/** The share of a limit from which on it is called scarce. */
export const SCARCE_FROM = 0.8

/** What a bar of a limit shows. A limit of null is none, and then there is nothing to fill. */
export interface Meter {
  readonly used: number
  readonly limit: number | null
  /** What is left; null without a limit. */
  readonly left: number | null
  /** From 0 to 1, also where more is used than the limit allows. */
  readonly share: number
  readonly fill: Fill
}

export const meter = (used: number, limit: number | null): Meter => {
  if (limit === null) return { used, limit, left: null, share: 0, fill: "calm" }
  const share = limit === 0 ? 1 : Math.min(1, used / limit)
  const fill = share >= 1 ? "full" : share >= SCARCE_FROM ? "scarce" : "calm"
  return { used, limit, left: Math.max(0, limit - used), share, fill }
}
