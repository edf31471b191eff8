import { expect, test } from "bun:test"
import { cellsOf, rowText, withTables } from "../../src/text/Tables.ts"
import { bounded } from "../../src/text/BoundedText.ts"

const read = (text: string): string => withTables(bounded(text))

test("a row has cells without marks, and may hold bars in them", () => {
  expect(cellsOf("| `Tea` \\| **Milk** | 3 |")).toEqual(["Tea | Milk", "3"])
  expect(rowText(["Item", "Price", "Note"], ["Tea", "3", ""])).toBe("Item: Tea; Price: 3")
})

test("a table may lack the bars at both ends", () => {
  expect(read("Item | Price\n--- | ---\nTea | 3\nText.")).toBe("| Item | Price\n| --- | ---\n| Tea | 3\nText.")
  expect(read("a | b, and no table")).toBe("a | b, and no table")
})

test("paragraphs of `name: value` lines become lists", () => {
  expect(read("Costs:\n\nTea: 3\n- Milk: 4\n\nNote: one line\n\nNo: field,\nas here")).toBe(
    "Costs:\n\n- Tea: 3\n- Milk: 4\n\nNote: one line\n\nNo: field,\nas here",
  )
})

test("paragraphs of `name: value` lines that begin with the same name become rows of tables", () => {
  expect(read("Name: Anna\nPhone: 1\n\nName: Omar|\nRoom: B").replaceAll(/\n+/g, "\n")).toBe(
    "| Name | Phone |\n| --- | --- |\n| Anna | 1 |\n| Name | Room |\n| --- | --- |\n| Omar\\| | B |\n",
  )
})
