import type { Format } from "../../../src/domain/knowledge/Formats.ts"
import { msgFile, compoundFileOf, msgStreams, xlsFile, xlsLabel } from "./CompoundFile.ts"
import { pptxFile, rows, shape, xlsxFile } from "./OfficeFile.ts"
import { epubFile, openDocument } from "./OpenFiles.ts"

/** A file, and the text that it says. */
export interface MadeFile {
  readonly format: Format
  readonly name: string
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly expected: string
}

const TITLE = "Tide gauge of Brundø"
const FIRST = "The gauge writes its readings every ten minutes and keeps them for a year."
const SECOND = "Größere Abweichungen meldet sie dem Hafenmeister – 漢字 too, and кириллица."
const NOTE = "Readings before 2019 are estimates."
const TABLE = [
  ["Berth", "Depth", "Fee"],
  ["North", "4.5", "120"],
  ["Süd", "3.2", "95"],
]
const prose = [TITLE, FIRST, SECOND].join("\n")
const table = TABLE.flat().join(" ")

const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

const openTable = (name = "") =>
  `<table:table table:name="${name}">${TABLE.map((cells) => `<table:table-row>${cells.map((cell) => `<table:table-cell><text:p>${cell}</text:p></table:table-cell>`).join("")}</table:table-row>`).join("")}</table:table>`

const rtfText = (text: string) =>
  Array.from(text, (char) => (char < "\u0080" ? char : `\\u${char.charCodeAt(0)}?`)).join("")

const rtf = () =>
  `{\\rtf1\\ansi\\ansicpg1252 {\\stylesheet{\\s1 heading 1;}}\\pard\\s1 ${rtfText(TITLE)}\\par\\pard ${rtfText(FIRST)}\\par ${rtfText(SECOND)}{\\footnote\\pard ${NOTE}}\\par ${TABLE.map((cells) => `\\trowd ${cells.map((cell) => `\\intbl ${rtfText(cell)}\\cell`).join(" ")}\\row`).join("\n")}\\pard\\par}`

const csv = TABLE.map((cells) => cells.join(",")).join("\r\n")

const mail = () =>
  `From: Ann <ann@harbour.example>
To: bo@b.example
Subject: =?utf-8?b?${Buffer.from(TITLE).toString("base64")}?=
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: text/plain; charset=utf-8

${FIRST}
${SECOND}
--b
Content-Type: text/csv; charset=utf-8; name="fees.csv"
Content-Disposition: attachment; filename="fees.csv"

${csv}
--b--
`.replace(/\r?\n/g, "\r\n")

const notebook = () =>
  JSON.stringify({
    nbformat: 4,
    metadata: { language_info: { name: "python" } },
    cells: [
      { cell_type: "markdown", source: [`# ${TITLE}\n`, "\n", FIRST] },
      { cell_type: "code", source: "fees(berth)", outputs: [{ output_type: "stream", text: [`${SECOND}\n`] }] },
    ],
  })

const comments = `<authors><author>Ann</author></authors><commentList><comment ref="A1" authorId="0"><text><t>${NOTE}</t></text></comment></commentList>`
const slideComment = `<p:cmLst><p:cm authorId="1"><p:text>${NOTE}</p:text></p:cm></p:cmLst>`

/** A file of each format, with headings, tables, notes and letters of several scripts where the format has them. */
export const madeFiles = (): ReadonlyArray<MadeFile> => {
  const file = (format: Format, name: string, bytes: Uint8Array<ArrayBuffer>, ...expected: ReadonlyArray<string>) => ({
    format,
    name,
    bytes,
    expected: expected.join("\n"),
  })
  const paragraphs = `<text:h text:outline-level="1">${TITLE}</text:h><text:p>${FIRST}</text:p><text:p>${SECOND}<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>${NOTE}</text:p></text:note-body></text:note></text:p>`
  const cue = (from: number, text: string) => `00:0${from}:00.000 --> 00:0${from}:09.000\n${text}\n\n`
  return [
    file(
      "epub",
      "two chapters",
      epubFile([
        { path: "one.xhtml", body: `<h1>${TITLE}</h1><p>${FIRST}</p>` },
        { path: "text/two.xhtml", body: `<p>${SECOND}</p>` },
      ]),
      prose,
    ),
    file("odt", "headings, a note, a table", openDocument("odt", `${paragraphs}${openTable()}`), prose, NOTE, table),
    file("ods", "a sheet", openDocument("ods", openTable("Fees")), "Fees", table),
    file(
      "odp",
      "a slide",
      openDocument(
        "odp",
        `<draw:page><draw:frame presentation:class="title"><draw:text-box><text:p>${TITLE}</text:p></draw:text-box></draw:frame><draw:frame><draw:text-box><text:p>${FIRST}</text:p><text:p>${SECOND}</text:p></draw:text-box></draw:frame></draw:page>`,
      ),
      prose,
    ),
    file("rtf", "headings, a note, a table", new Uint8Array(Buffer.from(rtf(), "latin1")), prose, NOTE, table),
    file(
      "xls",
      "a sheet",
      xlsFile([
        {
          name: "Fees",
          records: TABLE.flatMap((cells, row) => cells.map((cell, column) => xlsLabel(row, column, cell))),
        },
      ]),
      "Fees",
      table,
    ),
    file(
      "xlsx",
      "a sheet with a comment",
      xlsxFile([{ name: "Fees", content: rows(...TABLE), comments }]),
      "Fees",
      table,
      NOTE,
    ),
    file(
      "pptx",
      "a slide with a comment",
      pptxFile([
        {
          shapes: shape(TITLE, "title") + shape(`${FIRST}\n${SECOND}`, "body"),
          comments: [slideComment],
          people: `<p:cmAuthorLst><p:cmAuthor id="1" name="Ann"/></p:cmAuthorLst>`,
        },
      ]),
      prose,
      NOTE,
    ),
    file("eml", "a text and a file", utf8(mail()), prose, table),
    file(
      "msg",
      "a text and a file",
      compoundFileOf(msgStreams({ "0037": TITLE, "1000": `${FIRST}\r\n${SECOND}` }, [msgFile("fees.csv", utf8(csv))])),
      prose,
      table,
    ),
    file("ipynb", "text, code, an output", utf8(notebook()), prose, "fees berth"),
    file(
      "xml",
      "records",
      utf8(
        `<berths>${TABLE.slice(1)
          .map(
            ([berth, depth, fee]) => `<entry><title>${berth}</title><depth>${depth}</depth><fee>${fee}</fee></entry>`,
          )
          .join("")}</berths>`,
      ),
      TABLE.slice(1).flat().join(" "),
    ),
    file(
      "srt",
      "subtitles",
      utf8(
        [FIRST, SECOND].map((text, index) => `${index + 1}\n${cue(index, text).replaceAll(".000", ",000")}`).join(""),
      ),
      FIRST,
      SECOND,
    ),
    file("vtt", "subtitles", utf8(`WEBVTT\n\n${cue(0, FIRST)}${cue(1, SECOND)}`), FIRST, SECOND),
  ]
}
