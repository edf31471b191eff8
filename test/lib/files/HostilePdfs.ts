import { cjkPdf } from "./CjkPdf.ts"
import { allOf, failed, type HostileFile, ready, text } from "./Fates.ts"
import { drawText, manyPages, onePage, packed, pageOf, type PdfObject, pdfOf } from "./PdfFile.ts"

const MEGABYTE = 1024 * 1024

/** Any of these codes is right, because what counts is that reading ends. */
const exhausted = failed(
  "extraction_out_of_memory",
  "extraction_timed_out",
  "too_large_when_extracted",
  "no_text",
  "corrupt_document",
)
const corrupt = failed("corrupt_document", "no_text")

const line = `${drawText("again")}\n`

/** Ten forms, each of which draws the next one ten times. */
const formsInForms = (): ReadonlyArray<PdfObject> =>
  Array.from({ length: 10 }, (_, level) => ({
    value: `<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /Font << /F1 3 0 R >> /XObject << /X ${level + 7} 0 R >> >> >>`,
    stream: level === 9 ? drawText("deep") : "/X Do ".repeat(10),
  }))

export const hostilePdfs: ReadonlyArray<HostileFile> = [
  ...allOf(exhausted, {
    "spaces.pdf": () => onePage(packed(Buffer.alloc(600 * MEGABYTE, " "))),
    "packed twice.pdf": () => onePage(packed(Buffer.alloc(600 * MEGABYTE, " "), 2)),
    "text bomb.pdf": () => onePage(packed(Buffer.from(line.repeat(Math.ceil((60 * MEGABYTE) / line.length))))),
    "forms in forms.pdf": () => onePage({ value: "<< >>", stream: "/X Do" }, formsInForms(), "/XObject << /X 6 0 R >>"),
    "tree of pages in a circle.pdf": () =>
      pdfOf([
        { value: "<< /Type /Catalog /Pages 2 0 R >>" },
        { value: "<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 1000000 >>" },
      ]),
    "100,000 pages.pdf": () => manyPages(100_000, ""),
  }),
  ...allOf(ready, {
    "form of itself.pdf": () =>
      onePage(
        { value: "<< >>", stream: `${drawText("before")} /X Do` },
        [
          {
            value: "<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 6 0 R >> >> >>",
            stream: "/X Do /X Do",
          },
        ],
        "/XObject << /X 6 0 R >>",
      ),
    "width of a planet.pdf": () =>
      onePage({ value: "<< >>", stream: `1e30 0 0 1e30 0 0 cm ${drawText("Large letters.")}` }),
    "runs a program.pdf": () =>
      pdfOf([
        { value: "<< /Type /Catalog /Pages 2 0 R /OpenAction << /S /JavaScript /JS (while\\(true\\){}) >> >>" },
        { value: "<< /Type /Pages /Kids [4 0 R] /Count 1 >>" },
        { value: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>" },
        pageOf(5),
        { value: "<< >>", stream: drawText("Nothing runs.") },
      ]),
  }),
  {
    name: "claims a billion pages.pdf",
    make: () =>
      pdfOf([
        { value: "<< /Type /Catalog /Pages 2 0 R >>" },
        { value: "<< /Type /Pages /Kids [4 0 R] /Count 1000000000 >>" },
        { value: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>" },
        pageOf(5),
        { value: "<< >>", stream: drawText("Only one.") },
      ]),
    // The pages that exist are read.
    fate: ready,
  },
  ...allOf(corrupt, {
    "tables in a circle.pdf": () =>
      pdfOf(
        [{ value: "<< /Type /Catalog /Pages 2 0 R >>" }, { value: "<< /Type /Pages /Kids [] /Count 0 >>" }],
        "/Prev 9",
      ),
    "deep arrays.pdf": () => onePage({ value: "<< >>", stream: `${"[".repeat(200_000)} ${drawText("below")}` }),
    "deep dictionaries.pdf": () =>
      pdfOf([{ value: `<< /Type /Catalog /Pages 2 0 R /A ${"<< /A ".repeat(100_000)} >>` }]),
    "header only.pdf": () => text("%PDF-1.7"),
    "noise.pdf": () => {
      const noise = Uint8Array.from({ length: 100_000 }, (_, index) => (index * 2_654_435_761) >>> 13)
      return new Uint8Array([...text("%PDF-1.7\n"), ...noise])
    },
  }),
  {
    name: "wide map of characters.pdf",
    make: () =>
      pdfOf([
        { value: "<< /Type /Catalog /Pages 2 0 R >>" },
        { value: "<< /Type /Pages /Kids [4 0 R] /Count 1 >>" },
        { value: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 6 0 R >>" },
        pageOf(5),
        { value: "<< >>", stream: drawText("mapped") },
        {
          value: "<< >>",
          stream: `/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <FFFFFFFF> endcodespacerange ${"100 beginbfrange <00000000> <FFFFFFFF> <0041> endbfrange ".repeat(100)} endcmap`,
        },
      ]),
    // The ranges are not expanded, and the text is readable without them.
    fate: ready,
  },
  {
    name: "encoding in a file of the server's.pdf",
    make: () => cjkPdf({ encoding: "/..#2F..#2F..#2Fetc#2Fpasswd", ordering: "Japan1", lines: ["65e5"] }),
    fate: failed("no_text"),
  },
  {
    name: "encoding that builds on itself.pdf",
    make: () =>
      cjkPdf({
        encoding: "8 0 R",
        ordering: "Japan1",
        lines: ["65e5"],
        more: [
          {
            value: "<< /Type /CMap /CMapName /Own /UseCMap 8 0 R >>",
            stream: "/Own usecmap 1 begincidrange <0000> <ffffffff> 1 endcidrange endcmap",
          },
        ],
      }),
    fate: failed("no_text"),
  },
]
