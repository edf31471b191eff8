import {
  compoundFileOf,
  msgFile,
  msgInner,
  msgStreams,
  record,
  uint16,
  uint32,
  xlsFile,
  xlsLabel,
  xlsString,
} from "./CompoundFile.ts"
import { allOf, failed, type HostileFile, ready, refused, text } from "./Fates.ts"
import { docxFile, docxWith, paragraph } from "./OfficeFile.ts"
import { epubFile, openDocument } from "./OpenFiles.ts"
import { zipOf } from "./ZipFile.ts"

const MEGABYTE = 1024 * 1024

const bomb = failed("too_large_when_extracted")
const corrupt = failed("corrupt_document")

const spaces = (megabytes: number) => Buffer.alloc(megabytes * MEGABYTE, " ").toString("latin1")

const cut = (bytes: Uint8Array, share: number) => new Uint8Array(bytes.slice(0, Math.floor(bytes.length * share)))

const words = "<text:p>A text like any other.</text:p>"
const book = () => epubFile([{ path: "a.xhtml", body: "<p>A chapter like any other.</p>" }])
const workbook = () => xlsFile([{ name: "S", records: [xlsLabel(0, 0, "A cell like any other.")] }])
const message = () => compoundFileOf(msgStreams({ "1000": "A message like any other." }))

const mislabelled: ReadonlyArray<HostileFile> = [
  ...allOf(refused, {
    "text.ods": () => openDocument("odt", words),
    "text.epub": () => openDocument("odt", words),
    "word.odt": () => docxFile(paragraph("Word.")),
    "book.docx": book,
    "word.rtf": () => docxFile(paragraph("Word.")),
    "rich.txt": () => text("{\\rtf1 rich}"),
    "plain.rtf": () => text("plain"),
    "plain.eml": () => text("No header at all."),
    "plain.vtt": () => text("No header at all."),
    "plain.xml": () => text("No element at all."),
    "plain.ipynb": () => text("No object at all."),
    "plain.xls": () => text("a,b"),
    "zip.msg": book,
  }),
  { name: "workbook.msg", make: workbook, fate: corrupt },
  { name: "message.xls", make: message, fate: corrupt },
]

const damaged: ReadonlyArray<HostileFile> = [
  ...[0.2, 0.4, 0.6].flatMap((share): ReadonlyArray<HostileFile> => {
    const percent = Math.round(share * 100)
    return [
      { name: `cut at ${percent}.odt`, make: () => cut(openDocument("odt", words), share), fate: corrupt },
      { name: `cut at ${percent}.epub`, make: () => cut(book(), share), fate: corrupt },
      {
        name: `cut at ${percent}.xls`,
        make: () => cut(workbook(), share),
        fate: failed("corrupt_document", "empty_document"),
      },
      {
        name: `cut at ${percent}.msg`,
        make: () => cut(message(), share),
        fate: failed("corrupt_document", "empty_document"),
      },
    ]
  }),
  { name: "without content.odt", make: () => zipOf([{ name: "a", content: "b" }]), fate: corrupt },
  { name: "without chapters.epub", make: () => epubFile([]), fate: failed("empty_document") },
  { name: "cut.ipynb", make: () => text(`{"cells": [`), fate: corrupt },
]

const archives: ReadonlyArray<HostileFile> = [
  ...allOf(bomb, {
    "bomb.odt": () => openDocument("odt", spaces(200)),
    "bomb.ods": () => openDocument("ods", spaces(100)),
    "bomb.odp": () => openDocument("odp", spaces(100)),
    "bomb.epub": () => epubFile([{ path: "a.xhtml", body: spaces(100) }]),
    "a billion cells.ods": () =>
      openDocument(
        "ods",
        `<table:table><table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384"><text:p>x</text:p></table:table-cell></table:table-row></table:table>`,
      ),
  }),
  { name: "deep.odt", make: () => openDocument("odt", "<text:section>".repeat(50_000)), fate: corrupt },
  { name: "deep.epub", make: () => epubFile([{ path: "a.xhtml", body: "<div>".repeat(50_000) }]), fate: corrupt },
  ...allOf(ready, {
    "one chapter thousands of times.epub": () =>
      epubFile(
        Array.from({ length: 5_000 }, (_, index) => ({ path: `a.xhtml#${index}`, body: "" })),
        {
          entries: [{ name: "OEBPS/a.xhtml", content: `<p>${"word ".repeat(20_000)}</p>` }],
        },
      ),
    "paths outside.epub": () =>
      epubFile([
        { path: "../../../../etc/passwd", body: "<p>Not that file.</p>" },
        { path: "a.xhtml", body: `<p>Text.</p><img src="file:///etc/passwd">` },
      ]),
    "repeats everything.odt": () =>
      openDocument(
        "odt",
        `<table:table>${`<table:table-row><table:table-cell table:number-columns-repeated="99999" table:number-columns-spanned="99999" table:number-rows-spanned="99999"><text:p>x</text:p></table:table-cell></table:table-row>`.repeat(2_000)}</table:table>`,
      ),
    "object of itself.odt": () => openDocument("odt", `${words}<draw:frame><draw:object xlink:href="."/></draw:frame>`),
  }),
]

/** Workbooks and messages whose tables of sectors and records lie. */
const compound: ReadonlyArray<HostileFile> = [
  ...allOf(corrupt, {
    "sectors in circles.xls": () =>
      compoundFileOf({ Workbook: new Uint8Array(99_999) }, (table) =>
        table.forEach((_, index) => (table[index] = index)),
      ),
    "nothing but a header.xls": () =>
      new Uint8Array(Buffer.concat([Buffer.from(workbook().slice(0, 8)), Buffer.alloc(600, 0xff)])),
    "string without end.xls": () =>
      xlsFile([{ name: "S", records: [record(0x204, uint16(0, 0, 0, 65_535), Buffer.from([1, 65]))] }]),
  }),
  ...allOf(ready, {
    "entries in circles.msg": () =>
      compoundFileOf(msgStreams({ "1000": "Text." }), (_, directory) => {
        for (let at = 0; at < directory.length; at += 128) uint32(1, 2, 0).copy(directory, at + 68)
      }),
    "four billion strings.xls": () =>
      xlsFile(
        [{ name: "S", records: [xlsLabel(0, 0, "a")] }],
        [record(0xfc, uint32(0xffffffff, 0xffffffff), xlsString("a"))],
      ),
    "one sheet thousands of times.xls": () => {
      const sheet = { name: "S", records: Array.from({ length: 3_000 }, (_, row) => xlsLabel(row, 0, `row ${row}`)) }
      const list = Array.from({ length: 3_000 }, () => record(0x85, uint32(900_000), uint16(0), xlsString("T", 1)))
      return xlsFile([sheet], list)
    },
    "merges everything.xls": () => {
      const merged = record(0xe5, uint16(1_000, ...Array.from({ length: 1_000 }, () => [0, 65_535, 0, 255]).flat()))
      return xlsFile([{ name: "S", records: [xlsLabel(0, 0, "all"), ...Array.from({ length: 50 }, () => merged)] }])
    },
    "message of itself.msg": () => {
      let streams = msgStreams({ "1000": "innermost" }, [], true)
      for (let level = 0; level < 20; level++)
        streams = msgStreams({ "1000": `level ${level}` }, [msgInner("m", streams)], level < 19)
      return compoundFileOf(streams)
    },
    "bomb inside.msg": () =>
      compoundFileOf(msgStreams({ "1000": "Text." }, [msgFile("bomb.docx", docxWith(Buffer.from(spaces(200))))])),
  }),
]

const mail = (parts: string, type = "multipart/mixed; boundary=b") =>
  text(`Subject: s\r\nContent-Type: ${type}\r\n\r\n${parts}`)

const file = (name: string, content: Uint8Array) =>
  `--b\r\nContent-Disposition: attachment; filename="${name}"\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from(content).toString("base64")}\r\n`

const mails: ReadonlyArray<HostileFile> = [
  ...allOf(corrupt, {
    "endless parts.eml": () =>
      mail(
        Array.from(
          { length: 10_000 },
          (_, index) => `--b${index || ""}\r\nContent-Type: multipart/mixed; boundary=b${index + 1}\r\n\r\n`,
        ).join(""),
      ),
    "headers without end.eml": () => text(`Subject: s\r\n${"X-A: b\r\n".repeat(500_000)}\r\nText.`),
    "deep page.eml": () => mail("<div>".repeat(100_000), "text/html"),
  }),
  ...allOf(ready, {
    "addresses without end.eml": () =>
      text(`To: ${`"a" (b <c@d>, `.repeat(50_000)}\r\nSubject: ${"=?utf-8?Q?=C3?= ".repeat(20_000)}\r\n\r\nText.`),
    "parameters without end.eml": () =>
      text(
        `Subject: Invitation\r\nContent-Type: text/calendar\r\n\r\nBEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART${";A=b,c".repeat(100_000)}`,
      ),
    "mails in mails.eml": () => {
      let inner = "Subject: innermost\r\n\r\nText."
      for (let level = 0; level < 200; level++)
        inner = `Subject: ${level}\r\nContent-Type: message/rfc822\r\n\r\n${inner}`
      return text(inner)
    },
    "thousands of files.eml": () => mail(`${file("a.txt", text("word")).repeat(20_000)}--b--`),
    "bombs inside.eml": () => {
      const zip = docxWith(Buffer.from(spaces(100)))
      return mail(
        `--b\r\n\r\nText.\r\n${Array.from({ length: 50 }, (_, index) => file(`${index}.docx`, zip)).join("")}--b--`,
      )
    },
    "wrong encodings.eml": () =>
      mail(
        "--b\r\nContent-Type: text/plain; charset=no-such\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nText =ZZ=\r\n=E4=\r\n--b--",
      ),
  }),
]

const texts: ReadonlyArray<HostileFile> = [
  ...allOf(corrupt, {
    "deep.rtf": () => text(`{\\rtf1 ${"{\\b ".repeat(200_000)}`),
    "deep.xml": () => text("<a>".repeat(500_000)),
    "deep.ipynb": () => text(`{"cells":${"[".repeat(100_000)}`),
  }),
  ...allOf(ready, {
    "closed too often.rtf": () => text(`{\\rtf1 Text.${"}".repeat(200_000)} and more`),
    "data without end.rtf": () => text("{\\rtf1 Text.\\bin9999999999 abc}"),
    "links without end.rtf": () =>
      text(`{\\rtf1 ${`{\\field{\\*\\fldinst HYPERLINK "http://a/b"}{\\fldrslt a`.repeat(300)}`),
    "one paragraph of fields.rtf": () =>
      text(`{\\rtf1 ${`{\\field{\\*\\fldinst HYPERLINK "http://a/b"}{\\fldrslt a}}`.repeat(10_000)}}`),
    "one row.rtf": () => text(`{\\rtf1 ${"\\intbl a\\cell ".repeat(20_000)}\\row}`),
    "billion laughs.xml": () =>
      text(`<!DOCTYPE a [<!ENTITY a "ha"><!ENTITY b "${"&a;".repeat(1_000)}">]><a><b>${"&b;".repeat(10_000)}</b></a>`),
    "external entity.xml": () => text(`<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a><b>&x;</b></a>`),
    "pages in outputs.ipynb": () =>
      text(
        JSON.stringify({
          nbformat: 4,
          cells: [
            {
              cell_type: "code",
              source: "a",
              outputs: Array.from({ length: 5_000 }, () => ({
                data: { "text/html": `<table>${"<tr><td>".repeat(50)}` },
              })),
            },
          ],
        }),
      ),
    "a hundred thousand cues.vtt": () => text(`WEBVTT\n\n${"00:01.000 --> 00:02.000\nword\n\n".repeat(100_000)}`),
    "tags without end.vtt": () => text(`WEBVTT\n\n00:01.000 --> 00:02.000\nword ${"<v.a ".repeat(100_000)}\n`),
    "times without end.srt": () => text(`${"1".repeat(MEGABYTE)}\n99:99:99,999 --> 00:00:00,000\nword`),
  }),
  {
    name: "long paths.xml",
    make: () => text(`${`<${"n".repeat(2_000)}>`.repeat(300)}${"<a>1</a>".repeat(20_000)}`),
    fate: bomb,
  },
  {
    name: "nothing but times.srt",
    make: () => text("00:00:01,000 --> 00:00:02,000\n\n".repeat(1_000)),
    fate: failed("empty_document"),
  },
]

/** Files of the formats beyond those of Office, PDF and text. */
export const hostileFormats: ReadonlyArray<HostileFile> = [
  ...mislabelled,
  ...damaged,
  ...archives,
  ...compound,
  ...mails,
  ...texts,
]
