import { expect, test } from "bun:test"
import { textOf } from "../../src/services/ChatAnswer.ts"

const step = (text: string, isContinued = false) => ({ text, isContinued })

test("of a reply that was not finished each step is a paragraph, but for one that goes on where the last one paused", () => {
  expect(textOf([])).toBe("")
  expect(textOf([step("Let me look."), step(""), step("It takes"), step("")])).toBe("Let me look.\n\nIt takes")
  expect(textOf([step("Let me look."), step("It takes five ", true), step("days.")])).toBe(
    "Let me look.\n\nIt takes five days.",
  )
})
