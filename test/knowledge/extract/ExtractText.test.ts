import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import type { Format } from "../../../src/domain/knowledge/Formats.ts"
import { Unreadable } from "../../../src/knowledge/extract/Extraction.ts"
import { bounded } from "../../../src/text/BoundedText.ts"
import { MAX_TITLE_CHARACTERS, normalizeText, titleOfFile } from "../../../src/knowledge/extract/Text.ts"
import { readDocument as read } from "../../lib/Defaults.ts"

const encode = (text: string) => new TextEncoder().encode(text)

const textOf = async (format: Format, bytes: Uint8Array) => (await read({ format, name: `file.${format}`, bytes })).text

describe("normalizeText", () => {
  test("changes nothing when applied twice, and leaves no character that it removes", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const once = normalizeText(text)
        expect(normalizeText(once)).toBe(once)
        expect(once.isWellFormed()).toBe(true)
        // oxlint-disable-next-line no-control-regex
        expect(once).not.toMatch(/[\u0000\r\u00ad\u200b\ufeff\u202e]|[ \t]\n|\n{3}/)
      }),
    )
  })

  test("composes characters, and removes soft hyphens and zero-width spaces within words", () => {
    expect(normalizeText("Cafe\u0301 in\u00advisi\u200bble\u00a0space\r\nline")).toBe("Café invisible space\nline")
  })

  test("keeps the zero-width joiners that scripts and emoji need", () => {
    for (const text of ["👩‍💻", "می‌خواهم", "क्‍ष"]) expect(normalizeText(text)).toBe(text)
  })
})

describe("the title of a file", () => {
  test.each([
    ["report.final.pdf", "report.final"],
    ["../../etc/passwd", "passwd"],
    ["C:\\docs\\Plan.docx", "Plan"],
    ["evil\u202efdp.exe", "evilfdp"],
    ["a\u0000b\nc.txt", "ab c"],
    [".gitignore", ".gitignore"],
    ["///", "Untitled"],
    ["", "Untitled"],
  ])("named %j is %j", (name, title) => {
    expect(titleOfFile(bounded(name))).toBe(title)
  })

  test("is one short line without outer spaces", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 400 }), (name) => {
        const title = titleOfFile(bounded(name))
        expect(title.length).toBeLessThanOrEqual(MAX_TITLE_CHARACTERS)
        expect(title).toMatch(/^\S(?:.*\S)?$/u)
      }),
    )
  })
})

describe("the encoding of a text file", () => {
  const utf16 = (text: string, littleEndian: boolean) => {
    const view = new DataView(new ArrayBuffer(text.length * 2 + 2))
    view.setUint16(0, 0xfeff, littleEndian)
    for (let at = 0; at < text.length; at++) view.setUint16(at * 2 + 2, text.charCodeAt(at), littleEndian)
    return new Uint8Array(view.buffer)
  }
  const latin = new Uint8Array([0x63, 0x61, 0x66, 0xe9, 0x20, 0x80, 0x35])

  test("may be UTF-8, UTF-16 with a byte order mark, or Windows-1252", async () => {
    expect(await textOf("txt", encode("Grüße 漢字"))).toBe("Grüße 漢字")
    expect(await textOf("txt", encode("\ufeffGrüße"))).toBe("Grüße")
    expect(await textOf("txt", utf16("Grüße 漢字", true))).toBe("Grüße 漢字")
    expect(await textOf("txt", utf16("Grüße 漢字", false))).toBe("Grüße 漢字")
    expect(await textOf("txt", latin)).toBe("café €5")
  })

  // TextEncoder writes UTF-8 only, so the bytes are given in Base64.
  test.each([
    [
      "shift_jis",
      "grGC6oLNk/qWe4zqgsyVto+RgsWCt4FCldSVaYLNjk+PXJP6iMiT4ILJjvOCr5V0gq+C3IK3gUI=",
      "これは日本語の文書です。返品は三十日以内に受け付けます。",
    ],
    [
      "euc-jp",
      "pLOk7KTPxvzL3LjspM7KuL3xpMekuaGjytbJyqTPu7C9vcb8sMrG4qTLvPWkscnVpLGk3qS5oaM=",
      "これは日本語の文書です。返品は三十日以内に受け付けます。",
    ],
    [
      "iso-2022-jp",
      "GyRCJDMkbCRPRnxLXDhsJE5KOD1xJEckOSEjSlZJSiRPOzA9PUZ8MEpGYiRLPHUkMUlVJDEkXiQ5ISMbKEI=",
      "これは日本語の文書です。返品は三十日以内に受け付けます。",
    ],
    [
      "euc-kr",
      "wMwgua68rbTCIMfRsbm+7rfOIMDbvLq1x776vcC0z7TZLiC53cewwLogu++9yiDAzyDAzLO7v6EgsKG0ycfVtM+02S4=",
      "이 문서는 한국어로 작성되었습니다. 반품은 삼십 일 이내에 가능합니다.",
    ],
    ["gb18030", "1eLKx9K7t93W0M7EzsS8/qGjzcu79dDr1NrI/cquzOzE2szhs/ahow==", "这是一份中文文件。退货须在三十天内提出。"],
    ["big5", "s2+sT6RApfekpKTlpOWl86FDsGizZra3pmKkVKRRpNGkurSjpVihQw==", "這是一份中文文件。退貨須在三十天內提出。"],
    [
      "windows-1251",
      "3fLuIOTu6vPs5e3yIO3gIPDz8fHq7uwg/+f76uUuIMLu5+Lw4PIg7/Do7ejs4OXy8f8g4iDy5ffl7ejlIPLw6OT24PLoIOTt5eku",
      "Это документ на русском языке. Возврат принимается в течение тридцати дней.",
    ],
    [
      "koi8-r",
      "/NTPIMTPy9XNxc7UIM7BINLV09PLz80g0drZy8UuIPfP2tfSwdQg0NLJzsnNwcXU09Eg1yDUxd7FzsnFINTSycTDwdTJIMTOxcou",
      "Это документ на русском языке. Возврат принимается в течение тридцати дней.",
    ],
    [
      "windows-1253",
      "wfX0/CDl3+3h6SDd7eEg3ePj8eH27yDz9OEg5evr5+3p6twuIM/pIOXw6fP08e/23fIg49/t7+304ekg5OXq9N3yLg==",
      "Αυτό είναι ένα έγγραφο στα ελληνικά. Οι επιστροφές γίνονται δεκτές.",
    ],
    [
      "windows-1252",
      "TGUgY2Fm6SBlc3QgZmVybekgbGUgbHVuZGkuIExlcyDpbOh2ZXMgcmXnb2l2ZW50IHVuIGNy6WRpdCDgIGySYXJyaXbpZS4=",
      "Le café est fermé le lundi. Les élèves reçoivent un crédit à l’arrivée.",
    ],
  ])("may be %s, which is recognised by its bytes", async (_, base64, text) => {
    const bytes = new Uint8Array(Buffer.from(base64, "base64"))
    expect(await textOf("txt", bytes)).toBe(text)
    expect(await textOf("html", new Uint8Array([...encode("<h1>FAQ</h1><p>"), ...bytes]))).toBe(`# FAQ\n\n${text}`)
  })

  test("may be UTF-16 without a byte order mark, which is recognised by its zero bytes", async () => {
    const marked = utf16("Preise: 5 €, 漢字 auch.", true)
    expect(await textOf("csv", marked.slice(2))).toContain("漢字")
    expect(await textOf("txt", utf16("Preise: 5 €", false).slice(2))).toBe("Preise: 5 €")
  })

  test("is the one that an HTML page declares", async () => {
    const cyrillic = [0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]
    const page = new Uint8Array([...encode('<meta charset="windows-1251"><p>'), ...cyrillic])
    expect(await textOf("html", page)).toBe("Привет")
  })

  test("is invalid when the file has binary data", async () => {
    const noise = Uint8Array.from({ length: 600 }, (_, at) => (at * 167) % 256)
    const failure = await textOf("txt", noise).catch((cause: unknown) => cause)
    expect(failure).toBeInstanceOf(Unreadable)
    expect(failure).toMatchObject({ code: "invalid_encoding" })
  })
})

test("the first row of a CSV file names the columns although one name, such as 5G, begins with a digit", async () => {
  const bytes = new TextEncoder().encode("plan,data,5G\nRiver,15 GB,no\nOcean,60 GB,yes\n")
  expect(await textOf("csv", bytes)).toContain("| plan | data | 5G |\n| --- | --- | --- |")
})
