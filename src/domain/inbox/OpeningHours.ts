import type { OpeningHours } from "./Handover.ts"

/** Day and time at a place, as `["2026-12-24", "09:30"]`. */
const localTime = (at: Date, timeZone: string): ReadonlyArray<string> =>
  // Swedish writes both as ISO 8601 does.
  new Intl.DateTimeFormat("sv", { timeZone, dateStyle: "short", timeStyle: "short" }).format(at).split(" ")

/** Whether people are there at a time. Hours that end before they begin last until the next day. */
export const isOpen = ({ holidays = [], timeZone, weekly }: OpeningHours, at: Date): boolean => {
  const [date = "", time = ""] = localTime(at, timeZone)
  const weekday = new Date(date).getUTCDay() || 7
  const yesterday = weekday === 1 ? 7 : weekday - 1
  if (holidays.includes(date)) return false
  return weekly.some(({ days, from, to }) =>
    from <= to
      ? days.includes(weekday) && from <= time && time < to
      : (days.includes(weekday) && from <= time) || (days.includes(yesterday) && time < to),
  )
}
