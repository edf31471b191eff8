import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { Unreadable } from "../../../src/readers/extract/Extraction.ts"
import { CompoundFile } from "../../../src/readers/extract/office/CompoundFile.ts"
import { readDocument as read } from "../../lib/Defaults.ts"
import { compoundFileOf, record, uint16, uint32, xlsFile, xlsLabel, xlsString } from "../../lib/files/CompoundFile.ts"

const readBook = (bytes: Uint8Array) => read({ format: "xls", name: "book.xls", bytes })

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "read",
    (cause: unknown) => (cause instanceof Unreadable ? cause.code : cause),
  )

const double = (value: number) => {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleLE(value)
  return bytes
}

const shortInteger = (value: number, isHundredth = false) => uint32((value << 2) | 2 | (isHundredth ? 1 : 0))

describe("a workbook of Excel 97", () => {
  test("has numbers, dates, texts and results of formulas as their formats show them", async () => {
    const globals = [
      record(0x41e, uint16(170), xlsString(`0.00" kg"`)),
      ...[0, 14, 9, 170].map((format) => record(0xe0, uint16(0, format), Buffer.alloc(16))),
      // The second string goes on in the next record, with two bytes for each character.
      Buffer.concat([
        record(0xfc, uint32(2, 2), xlsString("Größe"), uint16(6), Buffer.from([0]), Buffer.from("ab")),
        record(0x3c, Buffer.from([1]), Buffer.from("漢字cd", "utf16le")),
      ]),
    ]
    const cell = (row: number, column: number, format = 0) => uint16(row, column, format)
    const records = [
      record(0xfd, cell(0, 0), uint32(0)),
      record(0xfd, cell(0, 1), uint32(1)),
      record(0x203, cell(0, 2, 1), double(45_962)),
      record(0x27e, cell(0, 3, 2), shortInteger(1250, true)),
      record(0xbd, cell(1, 0), shortInteger(-7), uint16(3), shortInteger(2), uint16(1)),
      record(0x06, cell(1, 2), Buffer.from([0, 0, 0, 0, 0, 0, 0xff, 0xff]), Buffer.alloc(6)),
      record(0x207, xlsString("result")),
      record(0x205, cell(1, 3), Buffer.from([1, 0])),
    ]
    const { pages, text } = await readBook(
      xlsFile(
        [
          { name: "Hidden", isHidden: true, records: [xlsLabel(0, 0, "secret")] },
          { name: "Übersicht", records },
        ],
        globals,
      ),
    )
    expect(text).toBe(
      "# Übersicht\n\n| Größe | ab漢字cd | 2025-11-01 | 1250% |\n| --- | --- | --- | --- |\n| -7 | 2.00 kg | result | TRUE |",
    )
    expect(pages?.map(({ page }) => page)).toEqual([2])
  })

  test("repeats merged cells, and has the texts of its boxes and comments", async () => {
    const records = [
      xlsLabel(0, 0, "Both"),
      xlsLabel(1, 0, "a"),
      xlsLabel(1, 1, "b"),
      xlsLabel(2, 0, "1"),
      xlsLabel(2, 1, "2"),
      record(0xe5, uint16(1, 0, 0, 0, 1)),
      record(0x1b6, Buffer.alloc(10), uint16(6), Buffer.alloc(6)),
      record(0x3c, Buffer.from([0]), Buffer.from("Remark")),
    ]
    expect((await readBook(xlsFile([{ name: "S", records }]))).text).toBe(
      "# S\n\nBoth\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\nRemark",
    )
  })

  test("keeps its cells where a chart in a sheet has numbers of its own", async () => {
    const records = [
      xlsLabel(0, 0, "before"),
      record(0x809, uint16(0x600, 0x20)),
      record(0x203, uint16(0, 0, 0), double(5)),
      record(0x0a),
      xlsLabel(1, 0, "after"),
    ]
    expect((await readBook(xlsFile([{ name: "S", records }]))).text).toBe("# S\n\n| before |\n| --- |\n| after |")
  })

  test("is refused with a password, from before 1997, and when it is another file", async () => {
    expect(await codeOf(readBook(xlsFile([], [record(0x2f, Buffer.alloc(6))])))).toBe("password_protected")
    expect(await codeOf(readBook(compoundFileOf({ Book: record(0x809, uint16(0x500, 5)) })))).toBe("unsupported_format")
    expect(await codeOf(readBook(compoundFileOf({ WordDocument: Buffer.alloc(9) })))).toBe("corrupt_document")
  })

  test("that is changed anywhere is read or refused, and never takes long", () =>
    fc.assert(
      fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 255 }), async (place, change) => {
        const records = [xlsLabel(0, 0, "Both"), record(0xbd, uint16(1, 0, 0), uint32(2, 2), uint16(1))]
        const bytes = xlsFile([{ name: "S", records }])
        const at = place % bytes.length
        bytes[at] = (bytes[at] ?? 0) ^ change
        expect(typeof (await codeOf(readBook(bytes)))).toBe("string")
      }),
    ))
})

describe("a compound file", () => {
  test("returns its streams, small and large, in storages", () => {
    const stream = fc.uint8Array({ maxLength: 9_000, size: "max" })
    const path = fc.stringMatching(/^[a-d](?:\/[e-h]){0,2}$/)
    fc.assert(
      fc.property(fc.dictionary(path, stream), (streams) => {
        const file = new CompoundFile(compoundFileOf(streams))
        for (const [name, bytes] of Object.entries(streams)) {
          expect(Buffer.from(file.read(name) ?? []).equals(Buffer.from(bytes))).toBe(true)
        }
      }),
      // To make large streams smaller would take minutes.
      { endOnFailure: true },
    )
  })

  test("whose sectors or entries form circles is refused, or read once", async () => {
    const streams = { Workbook: new Uint8Array(20_000), Other: new Uint8Array(20_000) }
    const circle = compoundFileOf(streams, (table) => table.forEach((_, index) => (table[index] = index)))
    expect(await codeOf(readBook(circle))).toBe("corrupt_document")
    const family = compoundFileOf(streams, (_, directory) => {
      for (let at = 0; at < directory.length; at += 128) uint32(1, 2, 0).copy(directory, at + 68)
    })
    expect([...new CompoundFile(family).paths].toSorted()).toEqual(["Other", "Workbook"])
  })
})
