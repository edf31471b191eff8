import { describe, expect, test } from "bun:test"
import type { Format } from "../../../src/domain/knowledge/Formats.ts"
import { readDocument as read } from "../../lib/Defaults.ts"
import { compoundFileOf, msgFile, msgInner, msgStreams } from "../../lib/files/CompoundFile.ts"
import { docxFile, paragraph } from "../../lib/files/OfficeFile.ts"

const readAs = (format: Format, content: string | Uint8Array) =>
  read({
    format,
    name: `file.${format}`,
    bytes: typeof content === "string" ? new TextEncoder().encode(content) : content,
  })

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64").replace(/.{76}/g, "$&\r\n")

const part = (type: string, name: string, content: Uint8Array) =>
  `--b\r\nContent-Type: ${type}; name="${name}"\r\nContent-Disposition: attachment; filename="${name}"\r\nContent-Transfer-Encoding: base64\r\n\r\n${base64(content)}\r\n`

const message = (parts: string, subject = "=?utf-8?q?F=C3=A4hre?= at nine") =>
  `From: Ann <ann@a.example>\r\nTo: bo@b.example, "Cy, Dr." <cy@c.example>\r\nSubject: ${subject}\r\nDate: Fri, 02 Jan 2026 12:30:00 +0200\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${parts}--b--\r\n`

const body = (text: string, type = "text/plain; charset=utf-8") => `--b\r\nContent-Type: ${type}\r\n\r\n${text}\r\n`

const docx = docxFile(paragraph("The ferry leaves at nine.", `<w:pStyle w:val="Heading1"/>`))

describe("a mail", () => {
  test("has its subject as the title, who wrote it to whom and when, its text with what it quotes, and its files", async () => {
    const { text, title } = await readAs(
      "eml",
      message(
        body("Yes.\r\n\r\n> Does it go?\r\n") +
          part("application/x-any", "plan.docx", docx) +
          part("application/x-any", "tool.exe", new Uint8Array([77, 90])) +
          part("text/csv", "fees.csv", Buffer.from("Boat,Fee\nSloop,12")),
      ),
    )
    expect(title).toBe("Fähre at nine")
    expect(text).toBe(
      [
        "# Fähre at nine",
        "From: Ann <ann@a.example>\nTo: bo@b.example, Cy, Dr. <cy@c.example>\nDate: 2026-01-02 10:30 UTC\nAttachments: plan.docx, tool.exe, fees.csv",
        "Yes.\n\n> Does it go?",
        "# Attachment: plan.docx\n\nThe ferry leaves at nine.",
        "# Attachment: fees.csv\n\n| Boat | Fee |\n| --- | --- |\n| Sloop | 12 |",
      ].join("\n\n"),
    )
  })

  test("has its page rather than the plain text, and the headings of its files below their names", async () => {
    const { text } = await readAs(
      "eml",
      message(
        body("<h1>Hi</h1><p>Two <b>words</b>", "text/html; charset=utf-8") +
          part("text/markdown", "a.md", Buffer.from("# Top\n\n```\n# code\n```\n")),
        "s",
      ),
    )
    expect(text).toEndWith("# Hi\n\nTwo words\n\n# Attachment: a.md\n\n## Top\n\n```\n# code\n```")
  })

  test("has mails within it, down to three levels", async () => {
    const nested = (level: number): string =>
      message(
        body(`level ${level}`) +
          (level < 6
            ? `--b\r\nContent-Type: message/rfc822\r\n\r\n${nested(level + 1)
                .replaceAll("=b", `=b${level}`)
                .replaceAll("--b", `--b${level}`)}\r\n`
            : ""),
        `s${level}`,
      )
    const { text } = await readAs("eml", nested(0))
    expect(text.match(/level \d/g)).toEqual(["level 0", "level 1", "level 2", "level 3"])
  })

  test("is read although a file in it cannot be, and refused when its parts nest without end", async () => {
    const { text } = await readAs("eml", message(body("Still here.") + part("a/b", "broken.docx", docx.slice(0, 200))))
    expect(text).toContain("Still here.")
    const endless = Array.from(
      { length: 500 },
      (_, index) => `Content-Type: multipart/mixed; boundary=x${index}\r\n\r\n--x${index}\r\n`,
    )
    expect(
      await readAs("eml", `Subject: s\r\n${endless.join("")}`).catch((cause: { code?: string }) => cause.code),
    ).toBe("corrupt_document")
  })
})

describe("a message of Outlook", () => {
  const properties = {
    "0037": "Fähre",
    "0C1A": "Ann",
    "5D01": "ann@a.example",
    "0E04": "Bo; Cy",
    "1000": "See the plan.\r\n",
  }

  test("has what a mail has", async () => {
    const inner = msgStreams({ "0037": "Inner", "1000": "Within." }, [], true)
    const streams = msgStreams(properties, [msgFile("plan.docx", docx), msgInner("Inner", inner)])
    const { text, title } = await readAs("msg", compoundFileOf(streams))
    expect(title).toBe("Fähre")
    expect(text).toBe(
      [
        "# Fähre",
        "From: Ann <ann@a.example>\nTo: Bo; Cy\nDate: 2026-01-02 10:30 UTC\nAttachments: plan.docx, Inner",
        "See the plan.",
        "# Attachment: plan.docx\n\nThe ferry leaves at nine.",
        "# Attachment: Inner\n\n## Inner\n\nDate: 2026-01-02 10:30 UTC\n\nWithin.",
      ].join("\n\n"),
    )
  })

  test("has its page rather than the plain text", async () => {
    const streams = msgStreams(properties)
    streams["__substg1.0_10130102"] = Buffer.from("<p>On the <b>page</b></p>")
    expect((await readAs("msg", compoundFileOf(streams))).text).toEndWith("On the page")
  })

  test("is refused when it is another file", async () => {
    expect(
      await readAs("msg", compoundFileOf({ Workbook: Buffer.alloc(10) })).catch(
        (cause: { code?: string }) => cause.code,
      ),
    ).toBe("corrupt_document")
  })
})
