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

const value = (tag: number, ...parts: ReadonlyArray<Uint8Array>) => {
  const content = Buffer.concat(parts)
  const length = content.length < 128 ? [content.length] : [0x82, content.length >> 8, content.length & 255]
  return Buffer.concat([Buffer.from([tag, ...length]), content])
}
/** A value without a length, as programs write it that do not know it yet. */
const openValue = (tag: number, ...parts: ReadonlyArray<Uint8Array>) =>
  Buffer.concat([Buffer.from([tag, 0x80]), ...parts, Buffer.alloc(2)])
const identifier = (last: number) =>
  value(6, Buffer.from(`2a864886f70d0107${last.toString(16).padStart(2, "0")}`, "hex"))
const sealed = (octets: Uint8Array, of: typeof value = value, type = 2) => {
  const signed = of(0x30, identifier(1), of(0xa0, octets))
  return of(0x30, identifier(type), of(0xa0, of(0x30, value(2, Buffer.from([1])), value(0x31), signed, value(0x31))))
}
const inPieces = (content: Buffer) =>
  openValue(0x24, value(4, content.subarray(0, 20)), openValue(0x24, value(4, content.subarray(20))))
const envelope = (content: Uint8Array, type = "application/pkcs7-mime; smime-type=signed-data", name = "smime.p7m") =>
  `Subject: s\r\nMIME-Version: 1.0\r\nContent-Type: ${type}; name="${name}"\r\nContent-Transfer-Encoding: base64\r\n\r\n${base64(content)}`
const plain = Buffer.from("Content-Type: text/plain; charset=utf-8\r\n\r\nThe crane is closed until Friday.\r\n")
const withFile = Buffer.from(message(body("See the plan.") + part("application/x-any", "plan.docx", docx)))

describe("a mail that is sealed", () => {
  test.each([
    ["in values with lengths", envelope(sealed(value(4, plain))), "The crane is closed until Friday."],
    [
      "in values without lengths, in pieces",
      envelope(sealed(inPieces(plain), openValue)),
      "The crane is closed until Friday.",
    ],
    [
      "by an older name",
      envelope(sealed(value(4, plain)), "application/x-pkcs7-mime"),
      "The crane is closed until Friday.",
    ],
    [
      "as a file of bytes",
      envelope(sealed(value(4, plain)), "application/octet-stream"),
      "The crane is closed until Friday.",
    ],
    [
      "twice",
      envelope(sealed(value(4, Buffer.from(envelope(sealed(value(4, plain))))))),
      "The crane is closed until Friday.",
    ],
    [
      "with files",
      envelope(sealed(value(4, withFile))),
      "Attachments: plan.docx\n\nSee the plan.\n\n# Attachment: plan.docx\n\nThe ferry leaves at nine.",
    ],
    [
      "beside a text",
      message(body("Below.") + part("application/pkcs7-mime", "smime.p7m", sealed(value(4, plain)))),
      "Below.\n\n# Attachment: smime.p7m\n\nThe crane is closed until Friday.",
    ],
    [
      "as a signed file",
      message(body("Below.") + part("application/pkcs7-mime", "plan.docx.p7m", sealed(value(4, docx)))),
      "Attachments: plan.docx\n\nBelow.\n\n# Attachment: plan.docx\n\nThe ferry leaves at nine.",
    ],
    ["and cut off", envelope(sealed(value(4, plain)).subarray(0, 60)), "Attachments: smime.p7m"],
  ])("by a signature is opened %s", async (_, mail, text) => {
    expect((await readAs("eml", mail)).text).toEndWith(text)
  })

  test.each([
    ["in S/MIME", envelope(sealed(value(4, plain), value, 3), "application/pkcs7-mime; smime-type=enveloped-data")],
    [
      "in S/MIME, below a signature",
      envelope(sealed(value(4, Buffer.from(envelope(sealed(value(4, plain), value, 3)))))),
    ],
    [
      "in PGP/MIME",
      message(
        part("application/pgp-encrypted", "", Buffer.from("Version: 1")) +
          part("application/octet-stream", "encrypted.asc", Buffer.from("-----BEGIN PGP MESSAGE-----")),
      ),
    ],
    ["in PGP", message(body("-----BEGIN PGP MESSAGE-----\r\n\r\nhQEMA"))],
  ])("by encryption says so: %s", async (_, mail) => {
    expect(await readAs("eml", mail).catch((cause: { code?: string }) => cause.code)).toBe("password_protected")
  })

  test("by encryption is named where it is a file of another one", async () => {
    const { text } = await readAs(
      "eml",
      message(body("Below.") + part("application/pkcs7-mime", "smime.p7m", sealed(value(4, plain), value, 3))),
    )
    expect(text).toEndWith("Attachments: smime.p7m\n\nBelow.")
  })
})

describe("an invitation", () => {
  const calendar = (...lines: ReadonlyArray<string>) =>
    [
      "BEGIN:VCALENDAR",
      "BEGIN:VTIMEZONE",
      "DTSTART:16010101T000000",
      "END:VTIMEZONE",
      "BEGIN:VEVENT",
      ...lines,
      "BEGIN:VALARM",
      "DESCRIPTION:REMINDER",
      "END:VALARM",
      "END:VEVENT",
      "END:VCALENDAR",
      "",
    ].join("\r\n")
  const invitation = (text: string) =>
    `Subject: s\r\nContent-Type: text/calendar; method=REQUEST; charset=utf-8\r\n\r\n${text}`

  test.each([
    [
      [
        "SUMMARY:Board\\, 2nd",
        "DTSTART;TZID=Europe/Berlin:20270412T090000",
        "DTEND;TZID=Europe/Berlin:20270412T103000",
        "LOCATION:Room\\nBaltic",
        'ORGANIZER;CN="Ann, Dr.":mailto:ann@a.example',
        "DESCRIPTION:1. Budget of the ti",
        " dal gate\\n2. Crane",
      ],
      "Event: Board, 2nd\nTime: 2027-04-12 09:00 to 10:30 Europe/Berlin\nPlace: Room Baltic\nOrganizer: Ann, Dr. <ann@a.example>\n\n1. Budget of the tidal gate\n2. Crane",
    ],
    [
      ["SUMMARY:Fair", "DTSTART;VALUE=DATE:20270412", "DTEND;VALUE=DATE:20270415"],
      "Event: Fair\nTime: 2027-04-12 to 2027-04-14",
    ],
    [["SUMMARY:Day", "DTSTART;VALUE=DATE:20270412", "DTEND;VALUE=DATE:20270413"], "Event: Day\nTime: 2027-04-12"],
    [
      ["SUMMARY:Call", "DTSTART:20270412T233000Z", "DURATION:PT1H30M"],
      "Event: Call\nTime: 2027-04-12 23:30 to 2027-04-13 01:00 UTC",
    ],
    [
      ["SUMMARY:Flight", "DTSTART;TZID=Europe/Berlin:20270412T090000", "DTEND;TZID=Asia/Tokyo:20270413T040000"],
      "Event: Flight\nTime: 2027-04-12 09:00 Europe/Berlin to 2027-04-13 04:00 Asia/Tokyo",
    ],
    [
      [
        "SUMMARY:Shift",
        "STATUS:CANCELLED",
        "DTSTART:20270412T090000",
        "RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE;UNTIL=20270630T000000Z",
      ],
      "Event: Shift\nState: cancelled\nTime: 2027-04-12 09:00\nRepeats: every 2 weeks on Monday, Wednesday until 2027-06-30",
    ],
    [
      ["summary:Review", "DTSTART:20270412T090000Z", "RRULE:FREQ=MONTHLY;BYSETPOS=1"],
      "Event: Review\nTime: 2027-04-12 09:00 UTC\nRepeats: FREQ=MONTHLY;BYSETPOS=1",
    ],
  ])("has its title, place, time with zone, organizer and agenda: %j", async (lines, expected) => {
    expect((await readAs("eml", invitation(calendar(...lines)))).text).toBe(`# s\n\n${expected}`)
  })

  test("is read once, although it is another form of the mail and a file, and without what the mail says", async () => {
    const event = calendar("SUMMARY:Board", "DTSTART:20270412T090000Z", "DESCRIPTION:Please join.")
    const file = part("application/ics", "invite.ics", Buffer.from(event))
    const { text } = await readAs(
      "eml",
      message(body("Please  join.") + body(event, "text/calendar; method=REQUEST") + file),
    )
    expect(text).toEndWith("Attachments: invite.ics\n\nPlease  join.\n\nEvent: Board\nTime: 2027-04-12 09:00 UTC")
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

  test("has what is signed in it", async () => {
    const streams = msgStreams(properties, [msgFile("smime.p7m", sealed(value(4, plain)))])
    expect((await readAs("msg", compoundFileOf(streams))).text).toEndWith("The crane is closed until Friday.")
  })

  test("is refused when it is another file", async () => {
    expect(
      await readAs("msg", compoundFileOf({ Workbook: Buffer.alloc(10) })).catch(
        (cause: { code?: string }) => cause.code,
      ),
    ).toBe("corrupt_document")
  })
})
