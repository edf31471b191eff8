import { expect, test } from "bun:test"
import { Slots, SLOTS_MAX_COUNT } from "../../../src/knowledge/search/Slots.ts"

test("empty knowledge bases are forgotten, too: those that were searched longest ago", () => {
  const slots = new Slots(1)
  const first = slots.touch("first", 0)
  for (let number = 1; number < SLOTS_MAX_COUNT; number++) slots.touch(String(number), 0)
  expect(slots.touch("first", 0)).toBe(first)
  slots.touch("one more", 0)
  expect(slots.peek("1")).toBeUndefined()
  expect(slots.peek("first")).toBe(first)
})
