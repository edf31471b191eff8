import { expect, test } from "bun:test"
import { tasksOf } from "../../../src/web/console/screens/home/Tasks.ts"

const days = { from: "2026-11-20", to: "2026-11-26" }
const quiet = { conversations: 10, questions: 20, unanswered: 0, rated_up: 0, rated_down: 0, resolved: 9 }
const tidy = {
  documents: { total: 3, under_way: 0, failed: 0 },
  sources: { total: 1, failed: 0 },
  tests: { run_id: "run", passed: 4, failed: 0 },
  conversations: { last_7_days: 10, latest_activity: null },
}
const chatbots = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, index) => ({ ...tidy, ...more, chatbot_id: `c${index}` }))

const textsOf = (known: Partial<Parameters<typeof tasksOf>[0]>) =>
  tasksOf({ waiting: 0, totals: [], rows: [], ...days, ...known }).map(
    ({ chatbotId = "", text }) => `${chatbotId} ${text}`,
  )

test("nothing is to be done where all is well", () => {
  expect(textsOf({ totals: chatbots(2), rows: [{ ...quiet, chatbot_id: "c0" }] })).toEqual([])
})

test("people who wait come first, then what is broken, then what was answered badly, the worst chatbot first", () => {
  const totals = [
    { ...tidy, chatbot_id: "a", documents: { total: 3, under_way: 0, failed: 1 } },
    { ...tidy, chatbot_id: "b", documents: { total: 3, under_way: 0, failed: 2 }, sources: { total: 1, failed: 1 } },
    { ...tidy, chatbot_id: "c", tests: { run_id: "run", passed: 4, failed: 1 } },
  ]
  const rows = [
    { ...quiet, chatbot_id: "a", unanswered: 2 },
    { ...quiet, chatbot_id: "b", unanswered: 5, rated_down: 1 },
    { ...quiet, chatbot_id: "c", questions: 1_000, unanswered: 3 },
  ]
  expect(textsOf({ waiting: 2, totals, rows })).toEqual([
    " 2 visitors wait for a person.",
    "c 1 of 5 tests fail.",
    "b 2 documents could not be read.",
    "a 1 document could not be read.",
    "b 1 source could not be updated.",
    "b 5 unanswered questions (25%).",
    "a 2 unanswered questions (10%).",
    "b 1 reply with a thumbs down.",
  ])
})

test("each task leads to a place of its own, also two of one chatbot's knowledge", () => {
  const failing = { documents: { total: 3, under_way: 0, failed: 1 }, sources: { total: 1, failed: 1 } }
  const addresses = tasksOf({ waiting: 1, totals: chatbots(2, failing), rows: [], ...days }).map(
    ({ address }) => address,
  )
  expect(new Set(addresses).size).toBe(5)
})

test("of many chatbots the worst three are named for one reason, and the others are counted", () => {
  const found = textsOf({ totals: chatbots(5, { documents: { total: 3, under_way: 0, failed: 1 } }) })
  expect(found).toHaveLength(3)
  expect(found[2]).toBe("c2 1 document could not be read. 2 more chatbots have the same.")
})
