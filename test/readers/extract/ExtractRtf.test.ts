import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { readDocument as read } from "../../lib/Defaults.ts"

const readRtf = (content: string) =>
  read({ format: "rtf", name: "a.rtf", bytes: Buffer.from(`{\\rtf1\\ansi\\ansicpg1252 ${content}}`, "latin1") })

const textOf = async (content: string) => (await readRtf(content)).text

describe("RTF", () => {
  test.each([
    ["One \\b bold\\b0  word.\\par Two\\line lines.\\par", "One bold word.\n\nTwo\nlines."],
    [
      "\\'c4pfel \\u8211? \\u28450\\'8a\\'bf\\uc2\\u23383ab \\endash\\~\\{x\\} \\lquote\\rquote",
      "Äpfel – 漢¿字 – {x} ‘’",
    ],
    ["{\\fonttbl{\\f0\\fcharset204 A;}{\\f1\\fcharset128 B;}}{\\f0 \\'cf\\'f0}{\\f1 \\'93\\'8c}", "Пр東"],
    ["a{\\v hidden}{\\*\\unknown x}{\\pict 89504e47}{\\header head}{\\deleted gone}b", "ab"],
    ["a\\bin5 {}{}{b", "ab"],
    [
      `{\\field{\\*\\fldinst HYPERLINK "https://a.example/x"}{\\fldrslt the page}} and so on`,
      "[the page](https://a.example/x) and so on",
    ],
    [
      "{\\stylesheet{\\s1 heading 1;}{\\s2\\outlinelevel1 Other;}}\\pard\\s1 Top\\par\\pard\\s2\\outlinelevel1 Next\\par\\pard text\\par",
      "# Top\n\n## Next\n\ntext",
    ],
    [
      "\\pard{\\listtext 1.\\tab}one\\par{\\listtext 2.\\tab}two\\par\\pard{\\pntext\\'b7\\tab}dot\\par\\pard end\\par",
      "1. one\n2. two\n- dot\n\nend",
    ],
    [
      "\\trowd\\intbl Day\\cell Price\\cell\\row\\trowd\\intbl Mon\\cell 5\\par and 6\\cell\\row\\pard after\\par",
      "| Day | Price |\n| --- | --- |\n| Mon | 5 and 6 |\n\nafter",
    ],
    ["A note{\\footnote\\pard Seen\\par twice.} here.\\par Next.", "A note[^1] here.\n\n[^1]: Seen twice.\n\nNext."],
    ["{\\shp{\\*\\shpinst{\\sp{\\sn name}{\\sv value}}{\\shptxt In a box\\par}}}out\\par", "In a box\n\nout"],
    ["no end \\intbl of a table", "no end of a table"],
    ["less < more & \\'93quoted\\'94", "less < more & “quoted”"],
  ])("becomes Markdown: %s", async (content, text) => {
    expect(await textOf(content)).toBe(text)
  })

  test("has the title that it gives itself", async () => {
    expect((await readRtf("{\\info{\\title Tide \\'fcber}{\\author Ann}}text")).title).toBe("Tide über")
  })

  test("is refused when it is nested too deep", async () => {
    expect(await textOf("{".repeat(100_000)).catch((cause: { code?: string }) => cause.code)).toBe("corrupt_document")
  })

  test("keeps every word, whatever stands between", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom("{", "}", "\\par ", "\\cell ", "\\row ", "\\intbl ", "\\u8211 ?", "\\'", "\\", "\\b")),
        async (marks) => {
          const words = marks.map((mark, index) => ` word${index} ${mark}`).join("")
          const text = await textOf(`first ${words}`)
          expect(text.match(/word\d+/g) ?? []).toEqual(words.match(/word\d+/g) ?? [])
        },
      ),
    ))
})
