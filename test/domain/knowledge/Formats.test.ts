import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import {
  contentType,
  detect,
  Format,
  formatOfContentType,
  unmarkedUtf16,
} from "../../../src/domain/knowledge/Formats.ts"
import { epubFile, openDocument } from "../../lib/files/OpenFiles.ts"
import { compoundFile, docxFile, paragraph, rows, xlsxFile } from "../../lib/files/OfficeFile.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const pdf = bytes("%PDF-1.7\n\u0000\u0001")

describe("the format of a file", () => {
  test.each([
    ["notes.md", "# Notes", "md"],
    ["NOTES.MARKDOWN", "# Notes", "md"],
    ["a.txt", "plain", "txt"],
    ["a.text", "plain", "txt"],
    ["page.html", "<p>Hi", "html"],
    ["page.HTM", "<p>Hi", "html"],
    ["rows.csv", "a,b", "csv"],
    ["rows.tsv", "a\tb", "csv"],
    ["data.json", "{}", "json"],
    ["archive.2026.json", "[]", "json"],
    ["rows.jsonl", "{}\n{}", "json"],
    ["rows.ndjson", "{}\n{}", "json"],
    ["letter.rtf", "{\\rtf1 text}", "rtf"],
    ["mail.eml", "Received: from a\r\nSubject: b\r\n", "eml"],
    ["mailbox.eml", "From ann@a.example Fri Jan 2\nSubject: b\n", "eml"],
    ["work.ipynb", `\n{"cells": []}`, "ipynb"],
    ["feed.xml", `\ufeff<?xml version="1.0"?><a/>`, "xml"],
    ["talk.srt", "1\n00:00:01,000 --> 00:00:02,000\nHi", "srt"],
    ["talk.vtt", "\ufeffWEBVTT\n", "vtt"],
    ["empty.txt", "", "txt"],
    ["empty.docx", "", "docx"],
  ])("is recognized by the extension of %s", (name, content, format) => {
    expect(detect(name, bytes(content))).toBe(format as Format)
  })

  test("is PDF by the header, which may stand a little after the start", () => {
    expect(detect("a.pdf", pdf)).toBe("pdf")
    expect(detect("a.pdf", bytes(`${" ".repeat(1000)}%PDF-1.7`))).toBe("pdf")
    expect(detect("a.pdf", bytes(`${" ".repeat(1100)}%PDF-1.7`))).toBeUndefined()
    expect(detect("a.pdf", bytes("just text"))).toBeUndefined()
    expect(detect("a.pdf", bytes("%PD"))).toBeUndefined()
  })

  test("is refused when the content is of another format than the extension", () => {
    expect(detect("a.txt", pdf)).toBeUndefined()
    expect(detect("a.md", bytes("PK\u0003\u0004"))).toBeUndefined()
    expect(detect("a.html", new Uint8Array([0xff, 0xd8, 0xff, 0xe0]))).toBeUndefined()
  })

  test("is not a text format when there is a NUL, unless a byte order mark says UTF-16", () => {
    expect(detect("a.txt", new Uint8Array([0x41, 0, 0x42]))).toBeUndefined()
    expect(detect("a.txt", new Uint8Array([0xff, 0xfe, 0x41, 0]))).toBe("txt")
    expect(detect("a.txt", new Uint8Array([0xfe, 0xff, 0, 0x41]))).toBe("txt")
    // So few zeros that without the mark they would be those of something else.
    const marked = Buffer.from("\ufeff二つの言葉 二つの言葉", "utf16le")
    expect(detect("a.txt", marked)).toBe("txt")
    expect(detect("a.txt", Buffer.from(marked).swap16())).toBe("txt")
    expect(detect("a.txt", marked.subarray(2))).toBeUndefined()
    expect(detect("a.txt", new Uint8Array([0xff, 0xfe, 0, 0, 0x41, 0, 0, 0]))).toBeUndefined()
  })

  test("is a text format for UTF-16 without a byte order mark, recognized by zeros in every second byte", () => {
    const utf16 = Buffer.from("Zwei Wörter, 二つ", "utf16le")
    expect(detect("a.txt", utf16)).toBe("txt")
    expect(detect("a.txt", Buffer.from(utf16).swap16())).toBe("txt")
    expect(unmarkedUtf16(utf16)).toBe("utf-16le")
    expect(unmarkedUtf16(Buffer.from(utf16).swap16())).toBe("utf-16be")
    expect(unmarkedUtf16(bytes("plain"))).toBeUndefined()
    expect(detect("a.txt", new Uint8Array([1, 0, 2, 0, 3, 0, 4, 0]))).toBeUndefined()
  })

  describe("of an Office document is recognized by its main part, wherever it is in the archive,", () => {
    const docx = docxFile(paragraph("Text."))
    const xlsx = xlsxFile([{ name: "S", content: rows(["a"]) }])
    test("and refused with the extension of another one", () => {
      expect(detect("a.docx", docx)).toBe("docx")
      expect(detect("a.docx", docx.subarray(0, 60), docx)).toBe("docx")
      expect(detect("a.xlsx", xlsx)).toBe("xlsx")
      expect(detect("a.pptx", docx)).toBeUndefined()
      expect(detect("a.docx", xlsx.subarray(0, 60), xlsx)).toBeUndefined()
    })

    test("or left to the reader when neither end of the archive names one", () => {
      expect(detect("a.docx", docx.subarray(0, 60))).toBe("docx")
      expect(detect("a.docx", compoundFile("EncryptedPackage"))).toBe("docx")
      expect(detect("a.docx", bytes("no archive"))).toBeUndefined()
    })
  })

  test("of OpenDocument files and e-books is recognized by their media type", () => {
    const odt = openDocument("odt", "<text:p>Text.</text:p>")
    const book = epubFile([])
    expect(detect("a.odt", odt, odt)).toBe("odt")
    expect(detect("a.epub", book, book)).toBe("epub")
    for (const name of ["a.ods", "a.odp", "a.epub", "a.docx"]) expect(detect(name, odt, odt)).toBeUndefined()
    for (const name of ["a.odt", "a.xlsx"]) expect(detect(name, book, book)).toBeUndefined()
    expect(detect("a.xls", compoundFile("Workbook"))).toBe("xls")
    expect(detect("a.msg", compoundFile("__properties_version1.0"))).toBe("msg")
  })

  test.each(["a.docm", "a.exe", "pdf", ".", "", "md/", "a.md.zip"])("is unsupported for %s", (name) => {
    expect(detect(name, bytes("text"))).toBeUndefined()
  })

  test("is found or refused for any name and any bytes, and agrees with the extension", () => {
    const extension = fc.constantFrom("md", "txt", "html", "csv", "json", "pdf", "xyz")
    fc.assert(
      fc.property(fc.string(), extension, fc.uint8Array({ maxLength: 64 }), (stem, ending, content) => {
        const format = detect(`${stem}.${ending}`, content)
        if (format !== undefined) expect<string>(format).toBe(ending)
      }),
    )
  })
})

test("every format has a content type of its own", () => {
  const types = Format.literals.map(contentType)
  expect(new Set(types).size).toBe(types.length)
})

describe("the format of a media type", () => {
  test("is that of the format's own, and of others in use, with any parameters", () => {
    for (const format of Format.literals) expect(formatOfContentType(contentType(format))).toBe(format)
    expect(formatOfContentType("Text/HTML; charset=utf-8")).toBe("html")
    expect(formatOfContentType("application/xhtml+xml")).toBe("html")
    expect(formatOfContentType("text/xml")).toBe("xml")
  })

  test.each(["", "application/octet-stream", "video/mp4", "html"])("is unknown for %j", (type) => {
    expect(formatOfContentType(type)).toBeUndefined()
  })
})
