import { expect, test } from "bun:test"
import * as fc from "fast-check"
import type { Format } from "../../../src/domain/knowledge/Formats.ts"
import { Unreadable } from "../../../src/readers/extract/Extraction.ts"
import { normalizeText } from "../../../src/readers/extract/Text.ts"
import { readDocument as read } from "../../lib/Defaults.ts"
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
} from "../../lib/files/CompoundFile.ts"
import { epubFile, openDocument } from "../../lib/files/OpenFiles.ts"

/** A change to a file: the bytes from a place on are left out, repeated, or replaced. */
interface Change {
  readonly at: number
  readonly length: number
  readonly put: Uint8Array
  readonly isCopied: boolean
}

const change: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(),
  length: fc.nat({ max: 40 }),
  put: fc.oneof(
    fc.uint8Array({ maxLength: 4 }),
    fc.constantFrom("<", ">", "{", "}", "\\", "0", "&", '"').map(Buffer.from),
  ),
  isCopied: fc.boolean(),
})

const changed = (bytes: Uint8Array, { at, isCopied, length, put }: Change): Uint8Array<ArrayBuffer> => {
  const start = at % (bytes.length + 1)
  const rest = bytes.subarray(isCopied ? Math.max(0, start - length) : start + length)
  return new Uint8Array(Buffer.concat([bytes.subarray(0, start), put, rest]))
}

const replaced = (bytes: Uint8Array, { at, put }: Change): Uint8Array<ArrayBuffer> => {
  const copy = new Uint8Array(bytes)
  copy.set(put, at % (bytes.length - put.length))
  return copy
}

const table = `<table:table table:name="T"><table:table-row table:number-rows-repeated="2"><table:table-cell table:number-columns-repeated="2" table:number-rows-spanned="2"><office:annotation><text:p>c</text:p></office:annotation><text:p>cell</text:p></table:table-cell></table:table-row></table:table>`
const list = `<text:h text:outline-level="1">Top</text:h><text:list><text:list-item text:start-value="3"><text:p>one<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>n</text:p></text:note-body></text:note></text:p></text:list-item></text:list>`
const rtf = `{\\rtf1\\ansi{\\fonttbl{\\f0\\fcharset128 A;}}{\\stylesheet{\\s1 heading 1;}}\\pard\\s1 Top\\par{\\field{\\*\\fldinst HYPERLINK "https://a.example"}{\\fldrslt x\\'93\\u8211?}}{\\footnote n\\par}\\trowd\\intbl a\\cell b\\cell\\row{\\listtext 1.\\tab}i\\par\\bin2 ab}`
const eml = `From: A <a@b>\r\nSubject: =?utf-8?Q?=C3=A4?=\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/html; charset=x\r\n\r\n<p>a\r\n--b\r\nContent-Disposition: attachment; filename=a.md\r\nContent-Transfer-Encoding: base64\r\n\r\nIyBh\r\n--b--\r\n`
const notebook = `{"nbformat":4,"metadata":{"language_info":{"name":"x"}},"cells":[{"cell_type":"code","source":["a"],"outputs":[{"data":{"text/html":"<table><tr><td>1"}},{"text":"t"}]}]}`
const xml = `<?xml version="1.0"?><!DOCTYPE a><a b="c"><title>T</title><d><e>1</e><e f="2">x <g>y</g></e></d></a>`
const captions = `WEBVTT\n\n00:01.000 --> 00:02.000\n<v A>word &amp; word</v>\n\n1\n00:00:03,000 --> 00:00:04,000\nword\n`

const records = [
  xlsLabel(0, 0, "a"),
  record(0xbd, uint16(1, 0, 0), uint32(2), uint16(0), uint32(7), uint16(1)),
  record(0x06, uint16(2, 0, 0), Buffer.from([0, 0, 0, 0, 0, 0, 0xff, 0xff])),
  record(0x207, xlsString("result")),
  record(0xe5, uint16(1, 0, 1, 0, 1)),
  record(0x1b6, Buffer.alloc(10), uint16(1), Buffer.alloc(6)),
  record(0x3c, Buffer.from("\0x")),
]
const strings = [record(0xe0, uint16(0, 14)), record(0xfc, uint32(1, 2), xlsString("a"), xlsString("漢"))]
const inner = msgStreams({ "1000": "inner" }, [], true)
const message = compoundFileOf(
  msgStreams({ "0037": "s", "1000": "b" }, [msgFile("a.md", Buffer.from("# a")), msgInner("m", inner)]),
)

const files: ReadonlyArray<readonly [Format, (change: Change) => Uint8Array]> = [
  ["odt", (by) => openDocument("odt", Buffer.from(changed(Buffer.from(list + table), by)).toString())],
  ["ods", (by) => openDocument("ods", Buffer.from(changed(Buffer.from(table), by)).toString())],
  [
    "odp",
    (by) =>
      openDocument("odp", Buffer.from(changed(Buffer.from(`<draw:page>${list}${table}</draw:page>`), by)).toString()),
  ],
  [
    "epub",
    (by) =>
      epubFile([
        {
          path: Buffer.from(changed(Buffer.from("a%20b.x"), by))
            .toString()
            .replace(/[<>"&%]/g, ""),
          body: "<p>a",
        },
      ]),
  ],
  ["rtf", (by) => changed(Buffer.from(rtf), by)],
  ["eml", (by) => changed(Buffer.from(eml), by)],
  ["ipynb", (by) => changed(Buffer.from(notebook), by)],
  ["xml", (by) => changed(Buffer.from(xml), by)],
  ["srt", (by) => changed(Buffer.from(captions), by)],
  ["vtt", (by) => changed(Buffer.from(captions), by)],
  ["xls", (by) => replaced(xlsFile([{ name: "S", records }], strings), by)],
  ["msg", (by) => replaced(message, by)],
]

test.each(files)("a changed file is read, or refused with a reason: %s", (format, make) =>
  fc.assert(
    fc.asyncProperty(change, async (by) => {
      const document = await read({ format, name: `a.${format}`, bytes: make(by) }).catch((cause: unknown) => {
        if (!(cause instanceof Unreadable)) throw cause
      })
      if (document !== undefined) expect(normalizeText(document.text)).toBe(document.text)
    }),
    { numRuns: 200 },
  ),
)
