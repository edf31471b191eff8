import { decodeText } from "../Decode.ts"
import { oneLine } from "../Text.ts"
import { namedAddress } from "./Address.ts"

/* Invitations and other events in the form of iCalendar (RFC 5545). */

const MAX_EVENTS = 200

interface Property {
  readonly parameters: string
  readonly value: string
}
type Event = ReadonlyMap<string, Property>

const property = /^([\w-]+)((?:;[\w-]+=(?:"[^"]*"|[^",;:]*)(?:,(?:"[^"]*"|[^",;:]*))*)*):(.*)$/

const parameterOf = ({ parameters }: Property, name: string): string =>
  new RegExp(`;${name}=(?:"([^"]*)"|([^;:]*))`, "i").exec(parameters)?.slice(1).join("") ?? ""

const unescaped = (value: string) =>
  value.replace(/\\([^])/g, (_, character: string) => (/n/i.test(character) ? "\n" : character))

/** The events of a calendar with their first property of each name, without those of alarms within them. */
const eventsOf = (calendar: string): ReadonlyArray<Event> => {
  const events: Array<Map<string, Property>> = []
  const path: Array<string> = []
  for (const line of calendar
    .replace(/\r\n?/g, "\n")
    .replace(/\n[ \t]/g, "")
    .split("\n")) {
    const [, rawName = "", parameters = "", value = ""] = property.exec(line) ?? []
    const name = rawName.toUpperCase()
    if (name === "BEGIN") path.push(value.trim().toUpperCase())
    if (name === "BEGIN" && path.at(-1) === "VEVENT") events.push(new Map())
    if (name === "END") path.pop()
    const event = path.at(-1) === "VEVENT" ? events.at(-1) : undefined
    if (name !== "" && event?.has(name) === false) event.set(name, { parameters, value })
  }
  return events.slice(0, MAX_EVENTS)
}

/** The milliseconds of a date, or of a date and a time, on the clock of its zone. */
const clockOf = ({ value }: Property): { readonly at: number; readonly isDate: boolean } | undefined => {
  const [, year, month, day, hour, minute] = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d))?/.exec(value) ?? []
  if (year === undefined) return undefined
  const at = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour ?? 0), Number(minute ?? 0))
  return { at, isDate: hour === undefined }
}

const DAY = 86_400_000
const units: ReadonlyArray<readonly [RegExp, number]> = [
  [/(\d{1,5})W/, 7 * DAY],
  [/(\d{1,5})D/, DAY],
  [/T.*?(\d{1,5})H/, 3_600_000],
  [/T.*?(\d{1,5})M/, 60_000],
]
const millisecondsOf = (duration: string): number =>
  units.reduce((sum, [unit, milliseconds]) => sum + Number(unit.exec(duration)?.[1] ?? 0) * milliseconds, 0)

const zoneOf = (time: Property): string =>
  time.value.endsWith("Z") ? "UTC" : parameterOf(time, "TZID").replace(/^\/.*?\/(?=\w+\/)/, "")

/** The time of an event with its zone, from its first to its last day or minute. */
const timeOf = (event: Event): string => {
  const start = event.get("DTSTART")
  const from = start === undefined ? undefined : clockOf(start)
  if (start === undefined || from === undefined) return ""
  const end = event.get("DTEND")
  const to =
    (end === undefined ? undefined : clockOf(end)?.at) ?? from.at + millisecondsOf(event.get("DURATION")?.value ?? "")
  const text = (at: number) =>
    new Date(at)
      .toISOString()
      .slice(0, from.isDate ? 10 : 16)
      .replace("T", " ")
  const zone = zoneOf(start)
  const endZone = end === undefined ? zone : zoneOf(end)
  // The end of an event of whole days is the day after it.
  const last = from.isDate ? Math.max(from.at, to - DAY) : to
  const first = `${text(from.at)}${zone === endZone ? "" : ` ${zone}`}`
  const isSameDay = text(from.at).slice(0, 10) === text(last).slice(0, 10)
  const until = last === from.at ? "" : ` to ${isSameDay && zone === endZone ? text(last).slice(11) : text(last)}`
  return `${first}${until} ${endZone}`.trim()
}

const periods: Readonly<Record<string, string>> = { DAILY: "day", WEEKLY: "week", MONTHLY: "month", YEARLY: "year" }
const weekdays: Readonly<Record<string, string>> = {
  MO: "Monday",
  TU: "Tuesday",
  WE: "Wednesday",
  TH: "Thursday",
  FR: "Friday",
  SA: "Saturday",
  SU: "Sunday",
}

/** How an event repeats, in words where it is simple, and else as its rule. */
const repetitionOf = (rule: string): string => {
  if (rule === "") return ""
  const {
    FREQ = "",
    INTERVAL = "1",
    BYDAY = "",
    COUNT,
    UNTIL,
    WKST: _,
    ...others
  } = Object.fromEntries(
    rule
      .toUpperCase()
      .split(";")
      .map((part) => part.split("=", 2)),
  ) as Readonly<Record<string, string>>
  const period = periods[FREQ]
  const days = BYDAY === "" ? [] : BYDAY.split(",").map((day) => weekdays[day])
  if (period === undefined || days.includes(undefined) || Object.keys(others).length > 0) return rule
  const every = INTERVAL === "1" ? `every ${period}` : `every ${INTERVAL} ${period}s`
  const last = UNTIL === undefined ? undefined : clockOf({ parameters: "", value: UNTIL })
  const until = last === undefined ? "" : ` until ${new Date(last.at).toISOString().slice(0, 10)}`
  return `${every}${days.length === 0 ? "" : ` on ${days.join(", ")}`}${COUNT === undefined ? "" : `, ${COUNT} times`}${until}`
}

/** Whether a file is a calendar, under any name. */
export const isCalendar = (bytes: Uint8Array): boolean =>
  /^\ufeff?\s*BEGIN:VCALENDAR/i.test(new TextDecoder().decode(bytes.subarray(0, 64)))

/** Writes the events of a calendar: title, place, time, organizer and agenda, which is left out where `beside` has it. */
export const calendarText = (bytes: Uint8Array, beside: string): ReadonlyArray<string> =>
  eventsOf(decodeText(bytes)).map((event) => {
    const text = (name: string) => unescaped(event.get(name)?.value ?? "").trim()
    const organizer = event.get("ORGANIZER")
    const address = (organizer?.value ?? "").replace(/^mailto:/i, "")
    const lines = [
      ["Event", text("SUMMARY")],
      ["State", /^cancelled$/i.test(text("STATUS")) ? "cancelled" : ""],
      ["Time", timeOf(event)],
      ["Repeats", repetitionOf(event.get("RRULE")?.value ?? "")],
      ["Place", text("LOCATION")],
      ["Organizer", organizer === undefined ? "" : namedAddress(parameterOf(organizer, "CN"), address)],
    ].flatMap(([label, value = ""]) => (value === "" ? [] : [`${label}: ${oneLine(value)}`]))
    const agenda = text("DESCRIPTION")
    const isSaid = oneLine(beside).includes(oneLine(agenda))
    return [lines.join("\n"), isSaid ? "" : agenda].filter((part) => part !== "").join("\n\n")
  })
