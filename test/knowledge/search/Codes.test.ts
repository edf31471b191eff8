import { describe, expect, test } from "bun:test"
import { withoutNeighbours, writingsOf } from "../../../src/knowledge/search/Codes.ts"

describe("the other writings of a code", () => {
  const writings = (question: string, ...known: ReadonlyArray<string>) =>
    writingsOf(question.split(" "), (piece) => known.includes(piece)).map(({ from, pieces, to }) => [
      question.split(" ").slice(from, to).join(" "),
      pieces.join(" "),
    ])

  test("are those whose words passages hold: together, apart, and in groups of digits", () => {
    expect(writings("where is ppr 9087 kept", "ppr9087")).toEqual([["ppr 9087", "ppr9087"]])
    expect(writings("where is ppr9087 kept", "is", "ppr", "9087")).toEqual([["ppr9087", "ppr 9087"]])
    expect(writings("xk 4417 z", "xk4417z")).toEqual([["xk 4417 z", "xk4417z"]])
    expect(writings("500mg twice", "500", "mg")).toEqual([["500mg", "500 mg"]])
    expect(writings("500 mg twice", "500mg")).toEqual([["500 mg", "500mg"]])
    expect(writings("ab1234567", "ab", "12", "345", "67")).toEqual([["ab1234567", "ab 12 345 67"]])
    expect(writings("de89370400440532013000", "de89", "3704", "0044", "0532", "0130", "00")).toEqual([
      ["de89370400440532013000", "de89 3704 0044 0532 0130 00"],
    ])
  })

  test("are those of versions with a v and without", () => {
    expect(writings("v3.2", "3.2")).toEqual([["v3.2", "3.2"]])
    expect(writings("what is new in 4.1.0", "v4.1.0")).toEqual([["4.1.0", "v4.1.0"]])
  })

  test("are none where no passage holds their words, nor for words without digits", () => {
    expect(writings("where is ppr 9087 kept", "ppr", "9087", "kept")).toEqual([])
    expect(writings("is it in", "isit", "itin")).toEqual([])
  })

  test("of numbers without an end are looked up a bounded number of times", () => {
    let lookups = 0
    const words = Array.from({ length: 2_000 }, (_, index) => `${10 + (index % 90)}`)
    writingsOf(words, (piece) => {
      lookups += 1
      return piece.length === 2
    })
    expect(lookups).toBeLessThanOrEqual(2_000)
  })
})

describe("the neighbour of a code", () => {
  const found = (question: string, ...texts: ReadonlyArray<string>) =>
    withoutNeighbours(question, texts, (text) => text)

  test.each([
    ["What does E-1043 mean?", "E-1042: the pump is blocked.", "Call us."],
    ["PPR9089", "The part PPR-9088 is red.", "Parts are red."],
    ["Wo liegt 12-345-99?", "AB 12-345-67 liegt im Norden.", "Im Norden."],
    ["部品PPR-9089はどこ", "部品PPR-9087は北倉庫に保管されます。", "部品は北倉庫に保管されます。"],
    ["4006381333932", "4 006381 333931 is a pen.", "A pen."],
  ])("is no answer to %s", (question, neighbour, other) => {
    expect(found(question, neighbour, other)).toEqual([other])
  })

  test.each([
    ["E-1042 or E-1043?", "E-1042: the pump is blocked."],
    ["What does E-1042 mean?", "E1042: the pump is blocked."],
    ["Is it open on 2024-12-24?", "Closed from 2024-12-20 to 2025-01-02."],
    ["Are goods over 1.500.000 insured?", "Goods up to 2.000.000 are insured."],
    ["Who won in 1987?", "In 1986 nobody won."],
    ["My order ORD-12345 has not come. What now?", "Orders come within five days."],
    ["Revenue of 2023-2024?", "Revenue of 2022-2023 was higher."],
    ["A4 or A5?", "We print A3."],
  ])("leaves alone what is no code, and what a passage holds: %s", (question, text) => {
    expect(found(question, text)).toEqual([text])
  })
})
