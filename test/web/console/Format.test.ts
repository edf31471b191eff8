import { expect, test } from "bun:test"
import {
  formatAgo,
  formatBytes,
  formatCompact,
  formatCount,
  formatDay,
  formatMillis,
  formatShare,
  plural,
} from "../../../src/web/shared/Format.ts"

test("numbers and sizes are written as people read them", () => {
  expect([0, 12_345, 1_000_000].map(formatCount)).toEqual(["0", "12,345", "1,000,000"])
  expect([950, 12_345, 1_250_000].map(formatCompact)).toEqual(["950", "12.3K", "1.3M"])
  expect([0, 0.004, 0.37, 1].map(formatShare)).toEqual(["0%", "<1%", "37%", "100%"])
  expect([0, 1, 1_023, 1_024, 1_500_000, 1_073_741_824, 1_048_575].map(formatBytes)).toEqual([
    "0 bytes",
    "1 byte",
    "1,023 bytes",
    "1 KB",
    "1.4 MB",
    "1 GB",
    "1 MB",
  ])
  expect([plural(1, "key"), plural(2, "key"), plural(0, "reply", "replies")]).toEqual(["1 key", "2 keys", "0 replies"])
})

test("time spans are written in the largest units that keep two of them", () => {
  const spans = [0, 0.4, 840, 999.6, 2_340, 9_990, 61_000, 120_000, 12_000_000, 200_000_000]
  expect(spans.map(formatMillis)).toEqual([
    "0 ms",
    "0.4 ms",
    "840 ms",
    "1.0 s",
    "2.3 s",
    "10 s",
    "1 min 1 s",
    "2 min",
    "3 h 20 min",
    "2 days",
  ])
})

test("days are those of UTC, and moments are told by how long they are past", () => {
  expect(formatDay("2026-11-20")).toBe("20 Nov 2026")
  const now = Date.parse("2026-11-20T12:00:00Z")
  const moments = ["2026-11-20T11:59:58Z", "2026-11-20T11:57:00Z", "2026-11-19T11:00:00Z", "2026-11-20T14:00:00Z"]
  expect(moments.map((moment) => formatAgo(moment, now))).toEqual(["just now", "3 min. ago", "yesterday", "in 2 hr."])
})
