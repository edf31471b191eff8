import { expect, test } from "bun:test"
import { textOf } from "../../../src/services/conversations/ChatAnswer.ts"

const step = (text: string, isContinued = false) => ({ text, isContinued })

test("an unfinished reply has one paragraph for each step, except that a continued step adds to the last one", () => {
  expect(textOf([])).toBe("")
  expect(textOf([step("Let me look."), step(""), step("It takes"), step("")])).toBe("Let me look.\n\nIt takes")
  expect(textOf([step("Let me look."), step("It takes five ", true), step("days.")])).toBe(
    "Let me look.\n\nIt takes five days.",
  )
})
