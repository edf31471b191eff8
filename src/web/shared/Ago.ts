/** From the longest: milliseconds of each unit that distances are told in. */
const units = [
  ["year", 31_557_600_000],
  ["month", 2_629_800_000],
  ["week", 604_800_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
] as const

/** Tells a distance in milliseconds in its largest unit, such as `2 hours ago` for a negative one. */
export const relativeTime = (format: Intl.RelativeTimeFormat, millis: number): string => {
  const [unit, length] = units.find(([, least]) => Math.abs(millis) >= least) ?? units[6]
  return format.format(Math.trunc(millis / length), unit)
}
