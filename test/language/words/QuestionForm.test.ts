import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { bounded } from "../../../src/text/BoundedText.ts"
import { questionForm } from "../../../src/language/words/QuestionForm.ts"

const form = (text: string) => questionForm(bounded(text))

describe("two questions are the same", () => {
  test.each([
    ["How do I pay?", "  how do i PAY "],
    ["What's new?", "whats new"],
    ["What’s new?", "What's new"],
    ["¿Dónde está el baño?", "dónde está el baño"],
    ["Where is the wi-fi?", "where is the wi fi"],
    ["Straße gesperrt?", "STRASSE GESPERRT"],
    ["ΠΟΥ ΕΙΝΑΙ Ο ΛΟΓΟΣ;", "που ειναι ο λογος"],
    ["كَيْفَ أدفع؟", "كيف أدفع"],
    ["怎么 退款？", "怎么退款"],
    ["ＡＢＣ １２", "abc 12"],
    ["می‌شود", "میشود"],
    ["Cafe\u0301 open?", "Café open"],
  ])("%p and %p", (one, other) => {
    expect(form(one)).toBe(form(other))
  })
})

describe("two questions are not the same", () => {
  test.each([
    ["What is C++?", "What is C#?"],
    ["What is C?", "What is C#?"],
    ["Is 2.5 enough?", "Is 25 enough?"],
    ["Is it at -5 degrees?", "Is it at 5 degrees?"],
    ["Was 50 € paid?", "Was 50 $ paid?"],
    ["Was ist schon da?", "Was ist schön da?"],
    ["Can I pay?", "Can't I pay?"],
  ])("%p and %p", (one, other) => {
    expect(form(one)).not.toBe(form(other))
  })
})

test.each(["-5", "Is it -5 or -2.5?", "-๕๕", "--5", "5 - 3", "A-5", "๕,5", "🅐Σ", "Α.Σ"])(
  "the form of %p is its own form",
  (text) => {
    expect(form(form(text))).toBe(form(text))
  },
)

test("the form of a question is its own form, so that one that is written as it was shown is found", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 100 }), (text) => {
      expect(form(form(text))).toBe(form(text))
    }),
  )
})
