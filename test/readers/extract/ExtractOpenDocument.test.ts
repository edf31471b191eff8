import { describe, expect, test } from "bun:test"
import { readDocument as read } from "../../lib/Defaults.ts"
import { openDocument } from "../../lib/files/OpenFiles.ts"

type Kind = Parameters<typeof openDocument>[0]

const readAs = (format: Kind, ...file: [body: string, more?: Parameters<typeof openDocument>[2]]) =>
  read({ format, name: `file.${format}`, bytes: openDocument(format, ...file) })

const codeOf = (format: Kind, ...file: [body: string, more?: Parameters<typeof openDocument>[2]]) =>
  readAs(format, ...file).then(
    () => "read",
    (cause: { code?: string }) => cause.code,
  )

describe("an OpenDocument text", () => {
  test("has headings, links, lists with their numbers, and notes after their paragraphs", async () => {
    const styles = `<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="1"/><text:list-level-style-bullet text:level="2"/></text:list-style>`
    const { text, title } = await readAs(
      "odt",
      `<text:h text:outline-level="2">Fees<text:s text:c="3"/>2026</text:h>
       <text:p>See <text:a xlink:href="https://a.example/x">the list</text:a><text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>By post.</text:p></text:note-body></text:note> &amp; pay &lt;soon&gt;.</text:p>
       <text:list text:style-name="L"><text:list-item><text:p>one</text:p><text:list><text:list-item><text:p>in</text:p></text:list-item></text:list></text:list-item><text:list-item><text:p>two</text:p></text:list-item></text:list>`,
      { styles, title: "Own title" },
    )
    expect(title).toBe("Own title")
    expect(text).toBe(
      "## Fees 2026\n\nSee [the list](https://a.example/x)[^1] & pay <soon>.\n\n[^1]: By post.\n\n1. one\n  - in\n2. two",
    )
  })

  test("repeats spanning cells of its tables, with the header rows as the header", async () => {
    const cell = (text: string, more = "") => `<table:table-cell ${more}><text:p>${text}</text:p></table:table-cell>`
    const { text } = await readAs(
      "odt",
      `<table:table><table:table-header-rows><table:table-row>${cell("Day")}${cell("Price")}</table:table-row></table:table-header-rows>
       <table:table-row>${cell("All", `table:number-columns-spanned="2"`)}<table:covered-table-cell/></table:table-row>
       <table:table-row>${cell("5", `table:number-columns-repeated="2"`)}</table:table-row></table:table>`,
    )
    expect(text).toBe("| Day | Price |\n| --- | --- |\n| All | All |\n| 5 | 5 |")
  })

  test("has the texts of boxes, descriptions of pictures and numbers of charts, but no comments and deletions", async () => {
    const chart = `<o xmlns:office="o"><office:body xmlns:chart="c" xmlns:table="t" xmlns:text="x"><office:chart><chart:chart><chart:title><text:p>Boats</text:p></chart:title><table:table><table:table-row><table:table-cell><text:p>2026</text:p></table:table-cell><table:table-cell><text:p>7</text:p></table:table-cell></table:table-row></table:table></chart:chart></office:chart></office:body></o>`
    const { text } = await readAs(
      "odt",
      `<text:tracked-changes><text:p>deleted</text:p></text:tracked-changes><text:p>Text<office:annotation><text:p>remark</text:p></office:annotation></text:p>
       <draw:frame><draw:text-box><text:p>Boxed</text:p></draw:text-box></draw:frame>
       <draw:frame><draw:image xlink:href="Pictures/a.png"/><svg:desc>A pier</svg:desc></draw:frame>
       <draw:frame><draw:object xlink:href="./Object 1"/><draw:image/></draw:frame>`,
      { entries: [{ name: "Object 1/content.xml", content: chart }] },
    )
    expect(text).toBe("Text\n\nBoxed\n\nA pier\n\nChart: Boats\n\n|  |  |\n| --- | --- |\n| 2026 | 7 |")
  })

  test("is refused when it has a password or is of another kind", async () => {
    const manifest = `<manifest:manifest xmlns:manifest="m"><manifest:file-entry><manifest:encryption-data/></manifest:file-entry></manifest:manifest>`
    expect(await codeOf("odt", "", { entries: [{ name: "META-INF/manifest.xml", content: manifest }] })).toBe(
      "password_protected",
    )
    const bytes = openDocument("ods", "")
    expect(await read({ format: "odt", name: "a.odt", bytes }).catch((cause: { code?: string }) => cause.code)).toBe(
      "corrupt_document",
    )
  })
})

describe("an OpenDocument spreadsheet", () => {
  test("has a page per visible sheet, its cells as they are displayed, repeated cells, merged cells and comments", async () => {
    const cell = (text: string, more = "", inner = "") =>
      `<table:table-cell ${more}>${inner}<text:p>${text}</text:p></table:table-cell>`
    const remark = `<office:annotation><dc:creator>Ann</dc:creator><text:p>Check this.</text:p></office:annotation>`
    const styles = `<style:style style:name="H"><style:table-properties table:display="false"/></style:style>`
    const { pages, text } = await readAs(
      "ods",
      `<table:table table:name="Hidden" table:style-name="H"><table:table-row>${cell("secret")}</table:table-row></table:table>
       <table:table table:name="Prices"><table:table-row>${cell("Day")}${cell("Price", `table:number-columns-repeated="2"`)}</table:table-row>
       <table:table-row>${cell("1/2/26", `office:value-type="date" office:date-value="2026-01-02T10:00:00"`)}${cell("3.50 €", "", remark)}${cell("7")}</table:table-row>
       <table:table-row table:number-rows-repeated="1048000"><table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table>`,
      { styles },
    )
    expect(text).toBe(
      "# Prices\n\n| Day | Price | Price |\n| --- | --- | --- |\n| 1/2/26 | 3.50 € | 7 |\n\nComment on B2 by Ann: Check this.",
    )
    expect(pages).toEqual([{ page: 2, start: 0 }])
  })

  test("that repeats a text too often is too large", async () => {
    const row = `<table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384"><text:p>x</text:p></table:table-cell></table:table-row>`
    expect(await codeOf("ods", `<table:table>${row}</table:table>`)).toBe("too_large_when_extracted")
  })
})

test("an OpenDocument presentation has a page per visible slide, with notes and comments", async () => {
  const frame = (text: string, kind = "") =>
    `<draw:frame presentation:class="${kind}"><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame>`
  const styles = `<style:style style:name="D"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>`
  const { pages, text, title } = await readAs(
    "odp",
    `<draw:page>${frame("Body")}${frame("Welcome", "title")}${frame("7", "page-number")}<presentation:notes>${frame("Greet.", "notes")}${frame("1", "page-number")}</presentation:notes><office:annotation><dc:creator>Bo</dc:creator><text:p>Shorter?</text:p></office:annotation></draw:page>
     <draw:page draw:style-name="D">${frame("Secret")}</draw:page>
     <draw:page><draw:custom-shape><text:p>Shape</text:p></draw:custom-shape></draw:page>`,
    { styles },
  )
  expect(title).toBe("Welcome")
  expect(text).toBe("# Welcome\n\nBody\n\nSpeaker notes: Greet.\n\nComment by Bo: Shorter?\n\nShape")
  expect(pages?.map(({ page }) => page)).toEqual([1, 3])
})
