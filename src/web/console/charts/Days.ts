/*
 * Days as the API names them, such as `2026-11-20`, all in UTC.
 */

const DAY_MILLIS = 86_400_000

const numberOf = (day: string): number => Date.parse(`${day}T00:00:00Z`) / DAY_MILLIS
const dayOf = (number: number): string => new Date(number * DAY_MILLIS).toISOString().slice(0, 10)

/** The day at a moment, in milliseconds since 1970. */
export const dayAt = (moment: number): string => dayOf(Math.floor(moment / DAY_MILLIS))

/** The day that is so many days later; earlier for a negative number. */
export const addDays = (day: string, days: number): string => dayOf(numberOf(day) + days)

/** The number of days from the first to the last, both included; zero or less when they are the wrong way round. */
export const countDays = (from: string, to: string): number => numberOf(to) - numberOf(from) + 1

export const daysBetween = (from: string, to: string): ReadonlyArray<string> => {
  const first = numberOf(from)
  return Array.from({ length: Math.max(0, countDays(from, to)) }, (_, index) => dayOf(first + index))
}

export const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(numberOf(text)) && dayOf(numberOf(text)) === text
