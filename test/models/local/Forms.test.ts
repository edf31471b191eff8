import { describe, expect, test } from "bun:test"
import { enumerates, instructs } from "../../../src/models/local/AnswerForms.ts"
import { answerTo, materialOf } from "../../../src/models/local/Answer.ts"
import { isImplied, meaningOf } from "../../../src/models/local/questions/Related.ts"
import { bounded } from "../../../src/text/BoundedText.ts"

const answer = (question: string, content: string) =>
  answerTo(bounded(question), materialOf([{ title: "Title", chunk: 1, content, document_id: "a", similarity: 0.5 }]))
    ?.text

describe("a question for several things is answered with", () => {
  test("the sentence that names them rather than one about the same", () => {
    const content = "The desk takes payment all day. Payment is by cash, Visa or Mastercard. The desk is red."
    expect(answer("What can I use for payment?", content)).toBe("Payment is by cash, Visa or Mastercard. (Title)")
  })

  test("the headings below the one that fits, but not with questions", () => {
    const content =
      "# Workshops\n\n## Felting\n\nFor beginners.\n\n## Sock knitting\n\nIn May.\n\n## Is it hard?\n\nNo."
    expect(answer("Which workshops are there?", content)).toBe("Workshops:\n- Felting\n- Sock knitting\n(Title)")
  })

  test("the list under the heading that fits, also when the question is only a few words", () => {
    const content = "# Payment\n\nWe like it fast.\n\n- PayPal\n- vouchers\n\n# Delivery\n\nWe deliver on Monday."
    expect(answer("payment methods", content)).toBe("Payment:\n- PayPal\n- vouchers\n(Title)")
  })
})

describe("a question for a way is answered with", () => {
  test("all paragraphs that are numbered as steps", () => {
    const content = "## Your laptop\n\n**Step 1.** Switch it on.\n\n**Step 2.** Type the password.\n\nIt is yours."
    expect(answer("How do I set up my laptop?", content)).toBe(
      "Your laptop:\n- Switch it on.\n- Type the password.\n(Title)",
    )
  })

  test.each([
    [
      "How does one borrow a boat?",
      "First sign the book. Then take the key. Finally borrow the boat.",
      "We like boats.",
    ],
    ["Wie leihe ich ein Boot?", "Zuerst leihen Sie das Boot. Danach prüfen Sie den Stöpsel.", "Das Haus ist alt."],
    ["Comment réserver un bateau ?", "Choisissez un bateau. Réservez ensuite vos dates.", "La maison est vieille."],
  ])("the steps of a paragraph, and nothing else: %s", (question, steps, other) => {
    expect(answer(question, `${other} ${steps} ${other.replace(/\p{L}+\.$/u, "here.")}`)).toBe(`${steps} (Title)`)
  })
})

describe("a question whether something is so is answered with the sentence that decides", () => {
  test.each([
    ["can I bring my dog?", "Dogs must stay outside. The garden is old.", "Dogs must stay outside."],
    ["are cats ok", "All pets stay at home. The garden is old.", "All pets stay at home."],
    ["je peux payer par carte ?", "Les cartes sont refusées. Le lac est bleu.", "Les cartes sont refusées."],
    [
      "sind die Getränke inbegriffen?",
      "Nicht enthalten sind die Getränke. Es regnet.",
      "Nicht enthalten sind die Getränke.",
    ],
    ["can you ship to Norway?", "Parcels go to Ireland and Norway. We sell tea.", "Parcels go to Ireland and Norway."],
  ])("%s", (question, content, expected) => {
    expect(answer(question, content)).toBe(`${expected} (Title)`)
  })
})

test("a sentence names several things when they are separated by commas and joined at the end", () => {
  const enumerating = [
    "cash, cards and Apple Pay",
    "Turnschuhe, Mütze und Seil",
    "arcilla, esmaltes y delantal",
    "红茶、绿茶和咖啡",
  ]
  expect(enumerating.map(enumerates)).toEqual([true, true, true, true])
  expect(["It rains, although it is May.", "Tea and coffee."].map(enumerates)).toEqual([false, false])
})

test("a sentence tells what to do when it begins with a command or with a word of order", () => {
  expect(["Open the page.", "Then it is done.", "Füllen Sie es aus.", "Versez l'acompte."].map(instructs)).toEqual(
    Array.from({ length: 4 }, () => true),
  )
  expect(["The page is open.", "Opening hours vary."].map(instructs)).toEqual([false, false])
})

test("related and implied words are known by their beginnings, short ones only as a whole", () => {
  expect(meaningOf("dogs")).toBe(meaningOf("haustiere") ?? -1)
  expect(meaningOf("hund")).toBeDefined()
  expect(meaningOf("dogmatic")).toBeUndefined()
  expect(meaningOf("find")).toBeUndefined()
  expect(["allowed", "inbegriffen", "compris"].map(isImplied)).toEqual([true, true, true])
  expect(isImplied("containment")).toBeFalse()
})
