import type { OpeningHours } from "./Handover.ts"

/** Day and time at a place, as `["2026-12-24", "09:30"]`. */
const localTime = (at: Date, timeZone: string): ReadonlyArray<string> =>
  // Swedish writes both as ISO 8601 does.
  new Intl.DateTimeFormat("sv", { timeZone, dateStyle: "short", timeStyle: "short" }).format(at).split(" ")

const DAY_MILLIS = 24 * 60 * 60 * 1_000

/**
 * Whether people are there at a time. Hours that end before they begin last until the next day, and belong to the day on
 * which they begin: a holiday closes these.
 */
export const isOpen = ({ holidays = [], timeZone, weekly }: OpeningHours, at: Date): boolean => {
  const [date = "", time = ""] = localTime(at, timeZone)
  const before = new Date(Date.parse(date) - DAY_MILLIS).toISOString().slice(0, date.length)
  const isDay = (day: string, days: ReadonlyArray<number>) =>
    !holidays.includes(day) && days.includes(new Date(day).getUTCDay() || 7)
  return weekly.some(({ days, from, to }) =>
    from <= to
      ? isDay(date, days) && from <= time && time < to
      : (isDay(date, days) && from <= time) || (isDay(before, days) && time < to),
  )
}
