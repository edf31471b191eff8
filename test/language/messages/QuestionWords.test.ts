import { describe, expect, test } from "bun:test"
import { questionWords } from "../../../src/language/messages/QuestionWords.ts"
import type { SpokenLanguage } from "../../../src/language/Locales.ts"
import { bounded } from "../../../src/text/BoundedText.ts"

const words = (text: string, language: SpokenLanguage) => questionWords(bounded(text), language).join(" ")

describe("what makes no difference between two questions is left out:", () => {
  test.each<[SpokenLanguage, string, string]>([
    ["en", "How do I cancel an order?", "How can we cancel the order, please?"],
    ["en", "What are your opening hours?", "opening hours"],
    [
      "de",
      "Wie kann ich eine Bestellung stornieren?",
      "Wie storniere ich die Bestellung?".replace("storniere ich die Bestellung", "kann man die Bestellung stornieren"),
    ],
    ["ar", "هل يمكن إلغاء الطلب؟", "يمكن إلغاء الطلب"],
    ["zh", "如何申请退款？", "请问怎么申请退款呢"],
  ])("%s: %p and %p", (language, one, other) => {
    expect(words(one, language)).not.toBe("")
    expect(words(one, language)).toBe(words(other, language))
  })
})

describe("what makes a difference is kept:", () => {
  test.each<[SpokenLanguage, string, string]>([
    ["en", "How do I cancel an order?", "Can I cancel an order?"],
    ["en", "How do I cancel an order?", "When do I cancel an order?"],
    ["en", "Can I cancel the order before delivery?", "Can I cancel the order after delivery?"],
    ["en", "Can I pay with a card?", "Can I pay without a card?"],
    ["en", "Can I return worn shoes?", "Can't I return worn shoes?"],
    ["en", "Is the train from Berlin to Paris late?", "Is the train from Paris to Berlin late?"],
    ["en", "Who can see my data now?", "Who can see your data now?"],
    ["en", "What does plan 1 cost?", "What does plan 2 cost?"],
    ["de", "Kann ich mit Karte zahlen?", "Kann ich ohne Karte zahlen?"],
    ["zh", "可以退款吗？", "不可以退款吗？"],
  ])("%s: %p and %p", (language, one, other) => {
    expect(words(one, language)).not.toBe(words(other, language))
  })
})

describe("too few words tell a question from others:", () => {
  test.each<[SpokenLanguage, string]>([
    ["en", "and how much?"],
    ["en", "What is it?"],
    ["en", "Tickets?"],
    ["en", "How do I do that?"],
    ["de", "Und wie?"],
    ["zh", "多少钱？"],
  ])("%s: %p", (language, text) => {
    expect(words(text, language)).toBe("")
  })
})
