import { describe, expect, test } from "bun:test"
import { tablesOf } from "../../src/text/Tables.ts"
import { bounded } from "../../src/text/BoundedText.ts"

describe("the tables of a text", () => {
  test("have a header where a rule follows the first row, and the line above", () => {
    const text =
      "# Prices\n\nFor **members**:\n\n| Item | Price |\n|:---|---:|\n| `Tea` | 3 |\n\nText.\n\n| a | b |\n| c | d |"
    expect(tablesOf(bounded(text))).toEqual([
      { above: "For members:", header: ["Item", "Price"], rows: [["Tea", "3"]], isFirst: false, isLast: false },
      {
        above: "Text.",
        header: [],
        rows: [
          ["a", "b"],
          ["c", "d"],
        ],
        isFirst: false,
        isLast: true,
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
