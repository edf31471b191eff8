import { relativeTime } from "./Ago.ts"

/*
 * Numbers, sizes and times as people read them. The console speaks English everywhere, so its numbers do too; times are
 * those of the reader's time zone unless a function says otherwise.
 */

const count = new Intl.NumberFormat("en")
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 })
const percent = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 0 })

/** A whole number in full, such as `12,345`. */
export const formatCount = (value: number): string => count.format(value)

/** A number in few characters, such as `12.3K`. */
export const formatCompact = (value: number): string => compact.format(value)

/** A share from 0 to 1, such as `37%`; a share that is small and not zero is `<1%`. */
export const formatShare = (share: number): string => (share > 0 && share < 0.01 ? "<1%" : percent.format(share))

/** `1 key`, `2 keys`: a number with its noun, whose plural is the noun with an s unless it is given. */
export const plural = (value: number, noun: string, nouns = `${noun}s`): string =>
  `${formatCount(value)} ${value === 1 ? noun : nouns}`

const units = ["bytes", "KB", "MB", "GB", "TB"]

/** A number of bytes in units of 1,024, such as `1.4 MB`. */
export const formatBytes = (bytes: number): string => {
  let value = bytes
  let unit = 0
  while (value >= 1_023.95 && unit < units.length - 1) {
    value /= 1_024
    unit += 1
  }
  if (unit === 0) return plural(bytes, "byte")
  return `${value >= 99.95 ? Math.round(value) : Math.round(value * 10) / 10} ${units[unit]}`
}

/** A time span in milliseconds, such as `840 ms`, `2.3 s`, `1 min 5 s` or `3 h 20 min`. */
export const formatMillis = (millis: number): string => {
  if (millis < 0.95) return `${Math.round(millis * 10) / 10} ms`
  if (millis < 999.5) return `${Math.round(millis)} ms`
  if (millis < 9_950) return `${(millis / 1_000).toFixed(1)} s`
  const seconds = Math.round(millis / 1_000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`
  return plural(Math.floor(hours / 24), "day")
}

const dayForm = new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", day: "numeric", month: "short", year: "numeric" })
const shortDayForm = new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", day: "numeric", month: "short" })

const noon = (day: string): Date => new Date(`${day}T12:00:00Z`)

/** A day such as `2026-11-20` as `20 Nov 2026`. */
export const formatDay = (day: string): string => dayForm.format(noon(day))
/** A day such as `2026-11-20` as `20 Nov`. */
export const formatShortDay = (day: string): string => shortDayForm.format(noon(day))

const momentForm = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
})

/** A moment in ISO 8601 as `20 Nov 2026, 14:08` in the reader's time zone. */
export const formatMoment = (moment: string): string => momentForm.format(new Date(moment))

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" })

/** The distance of a moment, such as `3 min. ago`, `yesterday` or `in 2 wk.`; `now` in milliseconds since 1970. */
export const formatAgo = (moment: string, now: number): string => {
  const difference = Date.parse(moment) - now
  if (Math.abs(difference) >= 60_000) return relativeTime(relative, difference)
  return difference > 5_000 ? "in a moment" : "just now"
}
