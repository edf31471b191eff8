/**
 * By how much another clock is ahead of this process's, in milliseconds. One reading of the other clock, taken between
 * two readings of this one, only tells the bounds of that. The estimate changes no more than the bounds demand, so that
 * an answer that took long does not spoil what quick ones have told, and a clock that was set anew is followed.
 */
export const clockOffset = (
  estimate: number,
  reading: { readonly other: number; readonly before: number; readonly after: number },
): number => Math.min(Math.max(estimate, reading.other - reading.after), reading.other - reading.before)
