import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import type { Format } from "../../../src/domain/knowledge/Formats.ts"
import { Unreadable } from "../../../src/readers/extract/Extraction.ts"
import { bounded } from "../../../src/text/BoundedText.ts"
import { MAX_TITLE_CHARACTERS, normalizeText, titleOfFile } from "../../../src/readers/extract/Text.ts"
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

  test.each([
    ["shift_jis", "iWOLxo6eitSCzIKyiMST4A==", "営業時間のご案内"],
    ["euc-jp", "peGhvKXrpaKlyaXspbk=", "メールアドレス"],
    ["euc-kr", "uei827rxtMIguau34cDUtM+02S4=", "배송비는 무료입니다."],
    ["gb18030", "zcu79dDr1NrI/cquzOzE2szhs/ahow==", "退货须在三十天内提出。"],
    ["big5", "tW+yvL/ypaKuyaFBvdCo7MJkpXi4ybVvoUM=", "發票遺失時，請到櫃台補發。"],
    ["windows-1251", "z87GwMvTydHSwCE=", "ПОЖАЛУЙСТА!"],
    ["koi8-r", "99fFxMnUxSDBxNLF0yDJIMnN0S4=", "Введите адрес и имя."],
    [
      "windows-1252",
      "k1dobz+UIJYgZG9uknQgYXNrLCCTdGhleZQgc2FpZCBpdJJzIJNva5Q=",
      "“Who?” – don’t ask, “they” said it’s “ok”",
    ],
    ["windows-1252", "TsNPIMkgUE9TU81WRUwsIEFURU7Hw08sIFPDTyBET0lT", "NÃO É POSSÍVEL, ATENÇÃO, SÃO DOIS"],
  ])("is recognised by a few words: %s", async (_, base64, text) => {
    expect(await textOf("txt", new Uint8Array(Buffer.from(base64, "base64")))).toBe(text)
  })

  const signs = /\ufffd+/g
  const sentences = [
    "Der Kühlschrank darf höchstens fünf Stunden ohne Strom bleiben, außer an Feiertagen in der Küche.",
    "The pump’s warranty – thirty months – is “final”; call the desk before noon on weekdays.",
    "本产品的保修期为二十四个月，自购买之日起计算。",
    "Возврат принимается в течение тридцати дней.",
    "お問い合わせは午前九時から受け付けます。",
    "반품은 삼십 일 이내에 가능합니다.",
    "تفتح المكتبة أبوابها من الساعة الثامنة صباحا.",
  ]

  test("stays UTF-8 when up to one of a hundred bytes is broken, each of which is a replacement sign", async () => {
    const texts = fc.array(fc.constantFrom(...sentences), { minLength: 1, maxLength: 8 }).map((each) => each.join(" "))
    const breaks = fc.array(fc.tuple(fc.nat(), fc.constantFrom(0x80, 0x93, 0xc3, 0xe4, 0xff)), { minLength: 1 })
    await fc.assert(
      fc.asyncProperty(texts, breaks, async (text, places) => {
        const bytes = encode(text)
        const most = Math.max(1, Math.floor(bytes.length / 100))
        for (const [place, byte] of places.slice(0, most)) bytes[place % bytes.length] = byte
        const expected = normalizeText(new TextDecoder().decode(bytes)).replace(signs, "\ufffd")
        expect((await textOf("txt", bytes)).replace(signs, "\ufffd")).toBe(expected)
      }),
    )
  })

  test.each([
    ["html", "<meta charset=utf-8><p>Größe, Kühlger", "Größe, Kühlger\ufffd"],
    ["csv", "Gerät,Höhe\nKühlger", "| Gerät | Höhe |\n| --- | --- |\n| Kühlger\ufffd |"],
    ["md", "# Größe\n\nKühlger", "# Größe\n\nKühlger\ufffd"],
    ["txt", "\ufeffKühlger", "Kühlger\ufffd"],
  ] as const)("stays UTF-8 in %s that ends within a character", async (format, text, expected) => {
    expect(await textOf(format, new Uint8Array([...encode(text), 0xc3]))).toBe(expected)
  })

  test.each([
    [[0x84, 0x53, 0x70, 0x61, 0xdf, 0x93], "„Spaß“"],
    [[0x44, 0xc9, 0x4a, 0xc0, 0xa0, 0xbb], "DÉJÀ »"],
    [[0xd8, 0xa0, 0x31, 0x30, 0xb0, 0x2c, 0xd7, 0x20, 0xb5], "Ø 10°,× µ"],
  ])("is Windows-1252 although some bytes are whole characters of UTF-8: %j", async (bytes, text) => {
    expect(await textOf("txt", new Uint8Array(bytes))).toBe(text)
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
