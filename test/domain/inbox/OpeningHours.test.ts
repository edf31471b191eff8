import { expect, test } from "bun:test"
import { isOpen } from "../../../src/domain/inbox/OpeningHours.ts"

const office = {
  timeZone: "Europe/Berlin",
  weekly: [{ days: [1, 2, 3, 4, 5], from: "09:00", to: "17:00" }],
  holidays: ["2026-12-25"],
}
const openAt = (at: string, hours: Parameters<typeof isOpen>[0] = office) => isOpen(hours, new Date(at))

test("people are there from the first minute of a day to before the last, by the clocks of their place", () => {
  // A Friday in winter, an hour ahead of UTC.
  expect(["07:59", "08:00", "15:59", "16:00"].map((time) => openAt(`2026-11-27T${time}:00Z`))).toEqual([
    false,
    true,
    true,
    false,
  ])
})

test("clocks that are changed change nothing for people", () => {
  // The last Friday before summer time, and the Monday after.
  expect([openAt("2026-03-27T07:30:00Z"), openAt("2026-03-30T07:30:00Z")]).toEqual([false, true])
  expect([openAt("2026-10-23T15:30:00Z"), openAt("2026-10-26T15:30:00Z")]).toEqual([false, true])
})

test("nobody is there on weekends and holidays", () => {
  expect(["2026-11-28", "2026-11-29", "2026-12-25"].map((day) => openAt(`${day}T10:00:00Z`))).toEqual([
    false,
    false,
    false,
  ])
  expect(openAt("2026-12-24T10:00:00Z")).toBe(true)
})

test("hours may last until the next day, or all day", () => {
  const night = { timeZone: "America/New_York", weekly: [{ days: [7], from: "22:00", to: "06:00" }] }
  // Sunday night in New York.
  expect(
    ["2026-11-30T02:59:00Z", "2026-11-30T03:00:00Z", "2026-11-30T10:59:00Z", "2026-11-30T11:00:00Z"].map((at) =>
      openAt(at, night),
    ),
  ).toEqual([false, true, true, false])
  const always = { timeZone: "UTC", weekly: [{ days: [1, 2, 3, 4, 5, 6, 7], from: "00:00", to: "24:00" }] }
  expect([openAt("2026-11-29T00:00:00Z", always), openAt("2026-11-29T23:59:59Z", always)]).toEqual([true, true])
})

test("a holiday closes the hours that begin on it, and no others", () => {
  const nights = {
    timeZone: "UTC",
    weekly: [{ days: [1, 2, 3, 4, 5, 6, 7], from: "22:00", to: "06:00" }],
    holidays: ["2026-12-25"],
  }
  expect(
    ["2026-12-24T23:00:00Z", "2026-12-25T05:00:00Z", "2026-12-25T23:00:00Z", "2026-12-26T05:00:00Z"].map((at) =>
      openAt(at, nights),
    ),
  ).toEqual([true, true, false, false])
})
