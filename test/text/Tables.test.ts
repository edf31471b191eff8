import { describe, expect, test } from "bun:test"
import { tablesOf, withoutRecords } from "../../src/text/Tables.ts"
import { bounded } from "../../src/text/BoundedText.ts"

describe("the tables of a text", () => {
  test("have a header where a rule follows the first row, and the line above", () => {
    const text =
      "# Prices\n\nFor **members**:\n\n| Item | Price |\n|:---|---:|\n| `Tea` | 3 |\n\nText.\n\n| a | b |\n| c | d |"
    expect(tablesOf(bounded(text))).toEqual([
      { above: "For members:", header: ["Item", "Price"], rows: [["Tea", "3"]], isRecord: false },
      {
        above: "Text.",
        header: [],
        rows: [
          ["a", "b"],
          ["c", "d"],
        ],
        isRecord: false,
      },
    ])
  })

  test("may lack the bars at both ends, and hold bars in cells", () => {
    expect(tablesOf(bounded("Item | Price\n--- | ---\nTea \\| Milk | 3"))[0]).toMatchObject({
      header: ["Item", "Price"],
      rows: [["Tea | Milk", "3"]],
    })
  })

  test("are paragraphs of `name: value` lines, too, joined where they have names in common", () => {
    expect(
      tablesOf(bounded("Name: Anna\nPhone: 1\n\nName: Omar\nRoom: B\n\nNote: one line\n\nNo: field,\nas here")),
    ).toMatchObject([
      {
        header: ["Name", "Phone", "Room"],
        rows: [
          ["Anna", "1"],
          ["Omar", "", "B"],
        ],
      },
    ])
  })

  test("are not those in code, and not the piece of a row that was cut off", () => {
    expect(tablesOf(bounded("```\n| a | b |\n| --- | --- |\n| c | d |\n```"))).toEqual([])
    expect(tablesOf(bounded("end of a cell | 3 |\n| Item | Price |\n| --- | --- |\n| Tea | 3 |"))).toMatchObject([
      { header: ["Item", "Price"], rows: [["Tea", "3"]] },
    ])
  })
})

test("paragraphs of `name: value` lines become lists where they are about several things, and are left out otherwise", () => {
  const text = bounded("Costs:\n\nTea: 3\n- Milk: 4\n\nName: Anna\nRoom: B\n\nNote: one line")
  const isList = (values: ReadonlyArray<string>) => values.every((value) => /\d/.test(value))
  expect(withoutRecords(text, isList)).toBe(bounded("Costs:\n\n- Tea: 3\n- Milk: 4\n\n\n\n\nNote: one line"))
})
