import { describe, expect, test } from "bun:test"
import type { Format } from "../../../src/domain/knowledge/Formats.ts"
import { readDocument as read } from "../../lib/Defaults.ts"
import { epubFile } from "../../lib/files/OpenFiles.ts"

const readAs = (format: Format, content: string | Uint8Array) =>
  read({
    format,
    name: `file.${format}`,
    bytes: typeof content === "string" ? new TextEncoder().encode(content) : content,
  })

const textOf = async (format: Format, content: string | Uint8Array) => (await readAs(format, content)).text

const codeOf = (format: Format, content: string | Uint8Array) =>
  readAs(format, content).catch((cause: { code?: string }) => cause.code)

describe("an e-book", () => {
  test("has its chapters in reading order, below their own headings or those of the contents", async () => {
    const { text, title } = await readAs(
      "epub",
      epubFile(
        [
          { path: "two.xhtml", body: "<h1>Second</h1><p>Tides.</p>" },
          { path: "text/a%20b.xhtml", body: "<p>Ropes.<script/></p>" },
        ],
        { contents: `<li><a href="text/a%20b.xhtml#start">Third</a></li>`, title: "Harbour" },
      ),
    )
    expect(title).toBe("Harbour")
    expect(text).toBe("# Second\n\nTides.\n\n# Third\n\nRopes.")
  })

  test("is refused when it is protected against copying, but not for obscured fonts", async () => {
    const encryption = (algorithm: string) => ({
      name: "META-INF/encryption.xml",
      content: `<encryption xmlns:enc="e"><enc:EncryptedData><enc:EncryptionMethod Algorithm="${algorithm}"/></enc:EncryptedData></encryption>`,
    })
    const book = (algorithm: string) =>
      epubFile([{ path: "a.xhtml", body: "text" }], { entries: [encryption(algorithm)] })
    expect(await codeOf("epub", book("http://www.w3.org/2001/04/xmlenc#aes128-cbc"))).toBe("password_protected")
    expect(await textOf("epub", book("http://www.idpf.org/2008/embedding"))).toBe("text")
  })
})

describe("subtitles", () => {
  test("become paragraphs, each after its time, without tags and repeated lines", async () => {
    const srt = `1\r\n00:00:01,000 --> 00:00:03,000\r\n<i>The ferry</i> leaves\r\n\r\n2\r\n00:00:03,100 --> 00:00:05,000\r\nThe ferry leaves\r\n{\\an8}at nine.\r\n\r\n3\r\n00:01:10,000 --> 00:01:12,000\r\nBring a coat.\r\n`
    expect(await textOf("srt", srt)).toBe("[00:00:01] The ferry leaves at nine.\n\n[00:01:10] Bring a coat.")
  })

  test("of WebVTT have their speakers, and no notes and styles", async () => {
    const vtt = `WEBVTT Kind: captions\n\nNOTE not shown\n\nSTYLE\n::cue { color: red }\n\nid\n00:01.000 --> 00:03.000 align:start\n<v.loud Ann>Tea &amp; <00:02.000><c>milk</c>?\n\n01:00:04.000 --> 01:00:05.000\n<v Bo>Yes.</v>\n`
    expect(await textOf("vtt", vtt)).toBe("[00:00:01] Ann: Tea & milk?\n\n[01:00:04] Bo: Yes.")
  })

  test("of one long speech become several paragraphs", async () => {
    const cue = (index: number) =>
      `00:${String(index).padStart(2, "0")}:00.000 --> 00:${String(index).padStart(2, "0")}:59.500`
    const text = await textOf(
      "vtt",
      `WEBVTT\n\n${Array.from({ length: 20 }, (_, index) => `${cue(index)}\nSentence number ${index}.\n\n`).join("")}`,
    )
    expect(text.split("\n\n").length).toBeGreaterThan(10)
    expect(text).toContain("[00:19:00] Sentence number 19.")
  })
})

describe("a notebook", () => {
  test("has its text, its code in its language, and outputs as text and tables", async () => {
    const notebook = {
      nbformat: 4,
      metadata: { language_info: { name: "python" } },
      cells: [
        { cell_type: "markdown", source: ["# Fees\n", "\n", "Per *boat*."] },
        {
          cell_type: "code",
          source: "fees()",
          outputs: [
            { output_type: "stream", text: ["\u001b[31mred\u001b[0m\n"] },
            {
              data: {
                "text/plain": "   a\n0  1",
                "text/html": "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>",
              },
            },
            { data: { "image/png": "iVBORw0=", "text/plain": "<Figure>" } },
            { output_type: "error", ename: "KeyError", evalue: "'x'", traceback: ["…"] },
          ],
        },
      ],
    }
    const { text, title } = await readAs("ipynb", JSON.stringify(notebook))
    expect(title).toBe("Fees")
    expect(text).toBe(
      "# Fees\n\nPer *boat*.\n\n```python\nfees()\n```\n\n```\nred\n```\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n```\n<Figure>\n```\n\nKeyError: 'x'",
    )
  })

  test("is refused when it is other JSON", async () => {
    expect(await codeOf("ipynb", `{"a": 1}`)).toBe("corrupt_document")
    expect(await codeOf("ipynb", `{"a": `)).toBe("corrupt_document")
  })
})

describe("XML", () => {
  test("of records becomes lines below their titles", async () => {
    const xml = `<?xml version="1.0" encoding="ISO-8859-1"?><!DOCTYPE c [<!ENTITY x SYSTEM "file:///etc/passwd">]><catalog xmlns="urn:x"><book id="b1"><title>Möwen</title><author>Ann</author><price><eur>5</eur></price></book><book id="b2"><title>Tides</title><note>&x;</note></book></catalog>`
    const { text } = await readAs("xml", Buffer.from(xml, "latin1"))
    expect(text).toBe("# Möwen\n\nid: b1\nauthor: Ann\nprice.eur: 5\n\n# Tides\n\nid: b2\nnote: &x;")
  })

  test("of prose becomes headings and paragraphs", async () => {
    const xml = `<article><title>Harbour</title><section><title>Fees</title><para>Pay <em>soon</em>.</para><para>Or later.</para></section></article>`
    const { text, title } = await readAs("xml", xml)
    expect(title).toBe("Harbour")
    expect(text).toBe("# Harbour\n\n## Fees\n\nPay soon.\n\nOr later.")
  })

  test("is refused when it is nested too deep or no XML", async () => {
    expect(await codeOf("xml", "<a>".repeat(100_000))).toBe("corrupt_document")
    expect(await codeOf("xml", "plain")).toBe("corrupt_document")
  })
})
