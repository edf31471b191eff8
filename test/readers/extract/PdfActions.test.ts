import { deflateSync } from "node:zlib"
import { expect, test } from "bun:test"
import { contentOfPdf } from "../../../src/readers/extract/pdf/PdfActions.ts"
import { objectStream, pdfOf, streamOf } from "../../lib/Files.ts"

const link = "<< /Subtype /Link /A << /S /URI /URI (https://example.com) >> >>"
const address = "<< /S /URI /URI (https://example.com) >>"

const harmless = {
  "one page": pdfOf(),
  "a page that opens first, and a link": pdfOf(
    "<< /OpenAction [2 0 R /Fit] >>",
    "<< /S /URI /URI (https://example.com/launch) >>",
  ),
  "an action that goes to its first page": pdfOf("<< /OpenAction 4 0 R >>", "<< /S /GoTo /D [2 0 R /Fit] >>", link),
  "a packed action that goes to a named place": pdfOf(
    objectStream("<< /Type /Action /S/GoTo/D(start) >>"),
    "<< /OpenAction 9 0 R >>",
    link,
  ),
  "packed objects": pdfOf(objectStream("<< /Type /Annot /Contents (LaunchPad) >>")),
  "a large picture": pdfOf(streamOf("/Subtype /Image /Filter /FlateDecode", deflateSync(Buffer.alloc(50_000_000)))),
}

const active = {
  "a script that runs as it opens": pdfOf("<< /OpenAction << /S /JavaScript /JS (app.alert(1)) >> >>"),
  "a script whose name is written with numbers": pdfOf("<< /S /J#61va#53cript /JS 4 0 R >>"),
  "a program that it starts": pdfOf("<< /S /Launch /F (calc.exe) >>"),
  "a file of another computer that it goes to": pdfOf(
    "<< /S /GoToR /F (\\\\\\\\host\\\\share\\\\a.pdf) /D [0 /Fit] >>",
  ),
  "a form that it sends away": pdfOf("<< /S /SubmitForm /F (https://example.com) >>"),
  "a film that runs a script": pdfOf("<< /S /Rendition /JS (app.alert(1)) >>"),
  "an address that it opens": pdfOf(`<< /OpenAction ${address} >>`),
  "an address that it opens, in another object": pdfOf("<< /Open#41ction 4 0 R >>", address),
  "an address that it opens, in a packed object": pdfOf(objectStream(address), "<< /OpenAction 9 0 R >>"),
  "an address that it opens, in a second version of the object": pdfOf(
    "<< /OpenAction 4 0 R >>",
    "[2 0 R /Fit]",
    `endobj\n4 0 obj ${address}`,
  ),
  "an address that it opens after a place": pdfOf(
    "<< /OpenAction << /S /GoTo /D [2 0 R /Fit] /Next 4 0 R >> >>",
    address,
  ),
  "an address that a page opens": pdfOf("<< /Type /Page /AA << /O 4 0 R >> >>", address),
  "a file in it": pdfOf("<< /Type /EmbeddedFile >>", "<< /Names << /EmbeddedFiles 3 0 R >> >>"),
  "a script in packed objects": pdfOf(objectStream("<< /S /JavaScript /JS (app.alert(1)) >>")),
  "a script in packed objects that are cut off": pdfOf(
    objectStream("<< /S /JavaScript /JS (app.alert(1)) >>"),
  ).subarray(0, -60),
  "a script after many pictures": pdfOf(
    ...Array.from({ length: 40 }, () => streamOf("/Filter /FlateDecode", deflateSync(Buffer.alloc(5_000_000)))),
    objectStream("<< /S /JavaScript /JS (app.alert(1)) >>"),
  ),
}

const unknown = {
  "an action that cannot be found": pdfOf("<< /OpenAction 40 0 R >>"),
  "objects that are packed in another way": pdfOf(streamOf("/Type /ObjStm /Filter /LZWDecode", Buffer.from("abcdef"))),
  "objects that are encrypted": pdfOf(streamOf("/First 4 /Filter /FlateDecode", Buffer.from("encrypted"))),
  "more objects than anybody writes": pdfOf(
    ...Array.from({ length: 40 }, () =>
      streamOf("/First 4 /Filter /FlateDecode", deflateSync(Buffer.alloc(4_000_000))),
    ),
  ),
}

for (const [content, files] of Object.entries({ passive: harmless, active, unknown })) {
  for (const [what, file] of Object.entries(files)) {
    test(`a PDF with ${what} counts as ${content}`, async () => {
      expect<string>(await contentOfPdf(file)).toBe(content)
    })
  }
}
