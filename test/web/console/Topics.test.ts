import { expect, test } from "bun:test"
import { isNew, topicWords, weeksBetween } from "../../../src/web/console/screens/topics/TopicData.ts"

test("weeks begin on Mondays, and cover all days", () => {
  expect(weeksBetween("2026-11-11", "2026-11-27")).toEqual(["2026-11-09", "2026-11-16", "2026-11-23"])
  expect(weeksBetween("2026-11-23", "2026-11-23")).toEqual(["2026-11-23"])
})

test("a topic is new for a week", () => {
  const now = Date.parse("2026-11-27T12:00:00Z")
  expect(isNew({ first_at: "2026-11-20T00:00:00Z" }, now)).toBe(true)
  expect(isNew({ first_at: "2026-11-19T23:59:59Z" }, now)).toBe(false)
  expect(isNew({ first_at: null }, now)).toBe(false)
})

test("a topic names the gaps that it has", () => {
  const topic = { questions: 12, unanswered: 5, rated_down: 0, weak: 1 }
  expect(topicWords(topic)).toBe("12 questions, 5 unanswered, 1 with little found")
})
