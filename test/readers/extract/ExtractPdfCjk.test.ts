import { describe, expect, test } from "bun:test"
import { PdfFiles } from "../../../src/readers/extract/pdf/PdfFiles.ts"
import { readDocument as read } from "../../lib/Defaults.ts"
import { cjkPdf, type CjkText, encoded, type Encoding } from "../../lib/files/CjkPdf.ts"

const textOf = async (text: CjkText, latinText?: string) =>
  (await read({ format: "pdf", name: "old.pdf", bytes: cjkPdf(text, latinText) })).text

const japanese = ["日本語の文書を「読む」。これは知", "識のページです。"]
const simplified = ["这是中文文档，里面有知", "识。"]
const traditional = ["這是繁體中文的文件，裡面有知", "識。"]
const korean = ["한국어 문서를 읽는다", "그리고 지식이다"]

describe("a PDF that only names the encoding of its text", () => {
  test.each<[cmap: string, ordering: string, encoding: Encoding, lines: ReadonlyArray<string>]>([
    ["90ms-RKSJ", "Japan1", "shift_jis", japanese],
    ["EUC", "Japan1", "euc-jp", japanese],
    ["UniJIS-UCS2", "Japan1", "utf-16be", japanese],
    ["UniJIS-UTF16", "Japan1", "utf-16be", japanese],
    ["GBK-EUC", "GB1", "gbk", simplified],
    ["UniGB-UCS2", "GB1", "utf-16be", simplified],
    ["ETen-B5", "CNS1", "big5", traditional],
    ["UniCNS-UCS2", "CNS1", "utf-16be", traditional],
    ["KSCms-UHC", "Korea1", "euc-kr", korean],
    ["UniKS-UCS2", "Korea1", "utf-16be", korean],
  ])("is read with %s, in lines and in vertical columns", async (cmap, ordering, encoding, lines) => {
    const expected = lines.join(lines === korean ? " " : "")
    const codes = lines.map((line) => encoded(line, encoding))
    expect(await textOf({ encoding: `/${cmap}-H`, ordering, lines: codes })).toBe(expected)
    // Unicode maps the comma of vertical text to the Latin one.
    expect(await textOf({ encoding: `/${cmap}-V`, ordering, lines: codes, isVertical: true })).toBe(
      expected.replace("，", ","),
    )
  })

  test("may name only the collection of its characters", async () => {
    // The numbers of 日 and 本 in the collection Adobe-Japan1.
    expect(await textOf({ encoding: "/Identity-H", ordering: "Japan1", lines: ["0cd40e8a"] })).toBe("日本")
  })

  test("may extend a CMap that it names", async () => {
    const own = {
      value: "<< /Type /CMap /CMapName /Own >>",
      stream: "/90ms-RKSJ-H usecmap 1 begincidchar <8140> 3284 endcidchar endcmap",
    }
    const lines = [`8140${encoded("本", "shift_jis")}`]
    expect(await textOf({ encoding: "8 0 R", ordering: "Japan1", lines, more: [own] })).toBe("日本")
  })

  test("has no code, although its characters all have one width", async () => {
    const lines = ["日本語のマニュアルです。", "bun install abc を使う。"].map((line) => encoded(line, "shift_jis"))
    expect(await textOf({ encoding: "/90ms-RKSJ-H", ordering: "Japan1", lines })).not.toContain("```")
  })
})

describe("an unknown encoding", () => {
  const lines = [encoded("日本語", "utf-16be")]

  test.each(["Future-H", "..#2F..#2Fetc#2Fpasswd", "..#2Fcmaps#2F90ms-RKSJ-H"])("has no text: %s", async (name) => {
    const failure = textOf({ encoding: `/${name}`, ordering: "Japan1", lines })
    expect(await failure.catch((cause: unknown) => cause)).toMatchObject({ code: "no_text" })
  })

  test("does not prevent text in other fonts from being read", async () => {
    expect(await textOf({ encoding: "/Future-H", ordering: "Japan1", lines }, "In Helvetica.")).toBe("In Helvetica.")
  })

  test.each([
    ["itself by its name", "/Own usecmap", ""],
    ["itself by reference", "", "/UseCMap 8 0 R"],
  ])("fails when it extends %s", async (_, content, entry) => {
    const own = { value: `<< /Type /CMap /CMapName /Own ${entry} >>`, stream: `${content} endcmap` }
    const failure = await textOf({ encoding: "8 0 R", ordering: "Japan1", lines, more: [own] }).catch(
      (cause: unknown) => cause,
    )
    expect(failure).toMatchObject({ code: "no_text" })
  })
})

test("pdf.js can read the CMaps of its own package, and no other file", async () => {
  const cmaps = new PdfFiles()
  expect((await cmaps.fetch({ kind: "cMapUrl", filename: "90ms-RKSJ-H.bcmap" })).length).toBeGreaterThan(500)
  for (const filename of ["../package.json", "../cmaps/90ms-RKSJ-H.bcmap", "LICENSE", "/etc/passwd", "None.bcmap"]) {
    await expect(cmaps.fetch({ kind: "cMapUrl", filename })).rejects.toThrow()
  }
  await expect(cmaps.fetch({ kind: "standardFontDataUrl", filename: "90ms-RKSJ-H.bcmap" })).rejects.toThrow()
})
