import { describe, expect, test } from "bun:test"
import { answerTo, materialOf } from "../../../src/models/local/Answer.ts"
import { holdsWanted, shapeOf } from "../../../src/models/local/Values.ts"
import { bounded } from "../../../src/text/BoundedText.ts"

const answer = (question: string, content: string) =>
  answerTo(bounded(question), materialOf([{ title: "Title", chunk: 1, content, document_id: "a", similarity: 0.5 }]))
    ?.text

describe("a question for several things is answered with", () => {
  test("the sentence that names them rather than one about the same", () => {
    const content = "The desk takes payment all day. Payment is by cash, Visa or Mastercard. The desk is red."
    expect(answer("What can I use for payment?", content)).toBe("Payment is by cash, Visa or Mastercard. (Title)")
  })

  test("the list under the heading that fits, also when the question is only a few words", () => {
    const content = "# Payment\n\nWe like it fast.\n\n- PayPal\n- vouchers\n\n# Delivery\n\nWe deliver on Monday."
    expect(answer("payment methods", content)).toBe("Payment:\n- PayPal\n- vouchers\n(Title)")
  })
})

describe("a question for a way is answered with", () => {
  test("its steps with the numbers that they have in the document, also where a line begins with an ordinal", () => {
    const content = "# Boot leihen\n\n3. Boot leihen am\n4. Tag der Woche.\n4. Leine lösen.\n4.1) Ablegen."
    expect(answer("Wie kann ich ein Boot leihen?", content)).toBe(
      "Boot leihen:\n3. Boot leihen am 4. Tag der Woche.\n4. Leine lösen.\n4.1) Ablegen.\n(Title)",
    )
  })

  test.each([
    ["How does one borrow a boat?", "First sign the book. Then take the key. Finally borrow the boat."],
    ["Wie kann ich ein Boot leihen?", "Zuerst leihen Sie das Boot. Danach prüfen Sie den Stöpsel."],
    ["Comment réserver un bateau ?", "Choisissez un bateau. Réservez ensuite vos dates."],
  ])("the paragraph that tells of it, and nothing else: %s", (question, steps) => {
    expect(answer(question, `It rains here.\n\n${steps}\n\nThe garden is old.`)).toBe(`${steps} (Title)`)
  })
})

describe("a question whether something is so is answered with the sentence that decides", () => {
  test.each([
    ["can I bring my dog?", "Dogs must stay outside. The garden is old.", "Dogs must stay outside."],
    ["je peux payer par carte ?", "Les cartes sont refusées. Le lac est bleu.", "Les cartes sont refusées."],
    [
      "sind die Getränke inbegriffen?",
      "Nicht enthalten sind die Getränke. Es regnet.",
      "Nicht enthalten sind die Getränke.",
    ],
  ])("%s", (question, content, expected) => {
    expect(answer(question, content)).toStartWith(expected)
  })
})

test("a sentence names several things when they are separated by commas and joined at the end", () => {
  const enumerating = [
    "cash, cards and Apple Pay",
    "Turnschuhe, Mütze und Seil",
    "arcilla, esmaltes y delantal",
    "红茶、绿茶和咖啡",
  ]
  expect(enumerating.map((text) => holdsWanted("several", text))).toEqual([1, 1, 1, 1])
  expect(["It rains, says Anna.", "Tea and coffee."].map((text) => holdsWanted("several", text))).toEqual([0, 0])
})

test("the shape of a value is known without the words around it", () => {
  const shapes = ["50 EUR", "€4", "12,5 m", "17:15 Uhr", "2024-01-31", "March 2020", "Dana Whitlock", "yes", "Studio 2"]
  expect(shapes.map(shapeOf)).toEqual(["amount", "amount", "amount", "time", "time", "time", "name", "mark", "text"])
})
