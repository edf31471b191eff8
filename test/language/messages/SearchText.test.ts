import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { messagesBefore, searchTextsOf as searchTextsOfBounded } from "../../../src/language/messages/SearchText.ts"
import { anyString } from "../../lib/Arbitraries.ts"
import { bounded } from "../../../src/text/BoundedText.ts"

const user = (content: string) => ({ role: "user" as const, content })

const searchTextsOf = (message: string, before: ReadonlyArray<string>, maxLength = 2_000) =>
  searchTextsOfBounded(bounded(message), messagesBefore(before.map(user)), { maxLength, name: bounded("") })

/** The texts that are searched for after these messages of the user. */
const searched = (...messages: ReadonlyArray<string>): ReadonlyArray<string> =>
  searchTextsOf(messages.at(-1) ?? "", messages.slice(0, -1)).map(({ text }) => text)

const adults = "How much is the ticket for adults?"

describe("a message that varies the question before it", () => {
  test.each([
    [[adults, "and for students?"], "How much is the ticket for students?"],
    [[adults, "thanks!", "hi, and for students?"], "How much is the ticket for students?"],
    [["Was kostet der Eintritt am Samstag?", "und am Sonntag?"], "Was kostet der Eintritt am Sonntag?"],
    [
      ["Combien coûte le billet pour adultes ?", "et pour les étudiants ?"],
      "Combien coûte le billet pour les étudiants?",
    ],
    [["¿Cuánto cuesta la entrada para adultos?", "¿y para estudiantes?"], "Cuánto cuesta la entrada para estudiantes?"],
    [["Quanto costa il biglietto?", "e per gli studenti?"], "Quanto costa il biglietto per gli studenti?"],
    [["Сколько стоит билет для взрослых?", "а для студентов?"], "Сколько стоит билет для студентов?"],
    [["Ile kosztuje bilet dla dorosłych?", "a dla studentów?"], "Ile kosztuje bilet dla studentów?"],
    [["门票多少钱？", "那学生呢？"], "门票多少钱学生呢？"],
    [["كم سعر التذكرة؟", "وللطلاب؟"], "كم سعر التذكرة للطلاب؟"],
    [["What are the opening hours in Berlin?", "and in Hamburg?"], "What are the opening hours in Hamburg?"],
  ])("is searched with it, as in %p", (messages, text) => expect(searched(...messages)).toEqual([text]))

  test("takes the place of an earlier one with the same preposition, and stands beside others", () => {
    expect(searched(adults, "and for students?", "and for children?")).toEqual(["How much is the ticket for children?"])
    expect(searched(adults, "and for students?", "and on Sundays?")).toEqual([
      "How much is the ticket for students on Sundays?",
    ])
  })

  test("needs one of its own words in the answer", () => {
    expect(searchTextsOf("and for students?", [adults])[0].needed).toEqual(["students"])
  })

  test("may be a single word, which is searched by itself when nothing answers it", () => {
    expect(searched(adults, "students?")).toEqual(["How much is the ticket for adults students?", "students?"])
  })
})

describe("a message that refers to the subject before it", () => {
  test.each([
    [["What is the Team plan?", "how much is it?"], "how much is it Team plan?"],
    [["What is the Team plan?", "and the price?"], "and the price Team plan?"],
    [["What is the Team plan?", "how much is it?", "why?"], "why Team plan?"],
    [["Are refunds slow?", "why?"], "why refunds slow?"],
    [["Wie hoch ist der Leuchtturm?", "Wann wurde er gebaut?"], "Wann wurde er gebaut hoch Leuchtturm?"],
    [
      ["What are the opening hours in Berlin?", "in Hamburg?", "and the phone number?"],
      "and the phone number Hamburg?",
    ],
    [["Where do the seals have their young?", "in which month?"], "in which month seals young?"],
  ])("is searched with its words, as in %p", (messages, text) => expect(searched(...messages)[0]).toBe(text))
})

describe("a message that stands alone", () => {
  test.each([
    ["What is the refund policy for gift cards?"],
    ["Does the museum shop sell old postcards?"],
    ["refund policy gift cards parcels"],
    ["And how long does the shipping of a parcel to Norway take?"],
    ["I need a refund for my broken blue umbrella"],
  ])("is searched by itself, whatever was said before: %p", (message) =>
    expect(searched(adults, message)).toEqual([message]),
  )

  test("is the subject of those after it", () => {
    expect(searched(adults, "What is the refund policy for gift cards?", "why?")).toEqual([
      "why refund policy gift cards?",
    ])
  })

  test("is searched with the subject only after it was not answered, when it is short", () => {
    expect(searched(adults, "Who is the director?")).toEqual([
      "Who is the director?",
      "Who is the director ticket adults?",
    ])
  })

  test("is searched by itself when it is long, also in a script without spaces", () => {
    expect(searched("水車の見学はいくらですか", "キロメートル")).toHaveLength(2)
    const long = "キロメートル".repeat(50)
    expect(searched("水車の見学はいくらですか", long)).toEqual([long])
  })
})

test("fifty follow-ups stay short, and keep the subject and the latest of what they vary", () => {
  const followUps = ["and for students?", "why?", "how long does it take?", "and on Sunday?", "and in Hamburg?"]
  const messages = Array.from({ length: 50 }, (_, index) => followUps[index % followUps.length] ?? "")
  const [text] = searched("How much is the ticket for adults?", ...messages)
  expect(text).toBe("How much is the ticket for students on Sunday in Hamburg?")
})

test("the texts for any conversation are within the limit, and say something when the message does", () =>
  fc.assert(
    fc.property(
      fc.array(anyString, { maxLength: 6 }),
      anyString,
      // A character outside of the basic plane takes two.
      fc.integer({ min: 2, max: 50 }),
      (before, message, max) => {
        for (const { text } of searchTextsOf(message, before, max)) {
          expect(text.length).toBeLessThanOrEqual(max)
          if (message.trim() !== "" && before.length === 0) expect(text).not.toBe("")
        }
      },
    ),
  ))
