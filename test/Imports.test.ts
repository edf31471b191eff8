import { Glob } from "bun"
import { afterEach, describe, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { testsTouchedBy, testsWith, wrongImports } from "./lib/imports.ts"

let root: string

/** Checks a source tree of these files. Returns one line per wrong import. */
const check = (files: Readonly<Record<string, string>>): ReadonlyArray<string> => {
  root = mkdtempSync(join(tmpdir(), "parley-imports-"))
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), text)
  }
  return wrongImports(root).map(({ file, line, why }) => `${file}:${line} ${why}`)
}

afterEach(() => rmSync(root, { recursive: true, force: true }))

describe("the check of imports", () => {
  test("allows imports in the direction of the design", () => {
    expect(
      check({
        "src/main.ts": 'import { App } from "./http/App.ts"\nimport { Documents } from "./storage/Documents.ts"',
        "src/http/App.ts": 'import { Config } from "../Config.ts"\nimport { Chat } from "../services/Chat.ts"',
        "src/Config.ts": 'import { address } from "./config/Address.ts"',
        "src/config/Address.ts": 'import { Model } from "../domain/Model.ts"',
        "src/services/conversations/Chat.ts": 'import type { Documents } from "../storage/Documents.ts"',
        "src/storage/Documents.ts": 'import { Model } from "../domain/Model.ts"',
        "src/domain/Model.ts": 'import { Schema } from "effect"\nimport { Id } from "./Id.ts"',
        "src/domain/Id.ts": 'import manifest from "../../package.json" with { type: "json" }',
        "test/lib/TestServer.ts": 'import { server } from "../../src/main.ts"',
      }),
    ).toEqual([])
  })

  test.each([
    ["from domain to storage", "domain", "storage", 'import { X } from "../storage/X.ts"'],
    ["from http to a repository", "http", "storage", 'import { X } from "../storage/X.ts"'],
    ["of a type", "http", "storage", 'import type { X } from "../storage/X.ts"'],
    ["of a type within an expression", "http", "storage", 'const x: import("../storage/X.ts").X = 1'],
    ["by a re-export", "api", "services", 'export * from "../services/X.ts"'],
    ["by a dynamic import", "services", "http", 'const x = import("../http/X.ts")'],
    ["by a worker", "knowledge", "agent", 'new Worker(new URL("../agent/X.ts", import.meta.url))'],
    ["over several lines", "agent", "services", 'import {\n  X,\n} from "../services/X.ts"'],
    ["from a folder that the design does not have", "billing", "domain", 'import { X } from "../domain/X.ts"'],
  ])("finds a wrong import %s", (_, from, to, text) => {
    const [finding, ...others] = check({ [`src/${from}/A.ts`]: `\n${text}`, [`src/${to}/X.ts`]: "" })
    expect(finding).toStartWith(`src/${from}/A.ts:${text.split("\n").length + 1} ${from} `)
    expect(others).toEqual([])
  })

  test("allows imports of src/main.ts only in test/lib, and none of test in src", () => {
    const found = check({
      "src/main.ts": "",
      "src/http/A.ts": 'import "../main.ts"',
      "src/domain/A.ts": 'import "../../test/lib/B.ts"',
      "test/http/A.test.ts": 'import "../../src/main.ts"',
      "test/lib/B.ts": 'import "../../src/main.ts"',
    })
    expect(found.map((line) => line.split(" ")[0])).toEqual([
      "src/domain/A.ts:1",
      "src/http/A.ts:1",
      "test/http/A.test.ts:1",
    ])
  })

  test("lets only the build make the documentation, which nothing but a process of its own is", () => {
    const found = check({
      "src/main.ts": 'import { server } from "./http/web/Web.ts"\nvoid import("./http/web/docs/Pages.ts")',
      "src/http/web/Web.ts": 'import { entries } from "./docs/Markdown.ts"\nimport { build } from "./BuildMain.ts"',
      "src/http/web/BuildMain.ts": 'const pages = import("./docs/Pages.ts")',
      "src/http/web/docs/Pages.ts": 'import { entries } from "./Markdown.ts"\nimport { head } from "../Html.ts"',
      "src/http/web/docs/Markdown.ts": "",
      "src/http/web/Html.ts": "",
      "test/Docs.test.ts": 'import { entries } from "../src/http/web/docs/Markdown.ts"',
    })
    expect(found.map((line) => line.split(" ")[0])).toEqual([
      "src/http/web/Web.ts:1",
      "src/http/web/Web.ts:2",
      "src/main.ts:2",
    ])
  })

  test("a server loads no Markdown package: only browsers and the build of the documentation do", () => {
    const source = join(import.meta.dir, "../src")
    const loading = Array.from(new Glob("**/*.{ts,tsx}").scanSync(source)).filter((file) =>
      /["']marked["']/.test(readFileSync(join(source, file), "utf8")),
    )
    expect(loading.length).toBeGreaterThan(1)
    expect(loading.filter((file) => !/^(?:web|http\/web\/docs)\//.test(file))).toEqual([])
  })

  test("lets others import only the face of a folder that has one", () => {
    const found = check({
      "src/services/A.ts": 'import { examine } from "../readers/extract/pdf/PdfActions.ts"',
      "src/services/B.ts":
        'import { decode } from "../readers/extract/Decode.ts"\nimport { Extract } from "../readers/Extract.ts"',
      "src/readers/Extract.ts": 'import { read } from "./extract/Read.ts"',
      "src/readers/extract/Decode.ts": "",
      "src/readers/extract/Read.ts": "",
      "src/readers/extract/pdf/PdfActions.ts": "",
    })
    expect(found.map((line) => line.split(" ")[0])).toEqual(["src/services/A.ts:1"])
  })

  test("lets a browser load the file of a language, which imports types alone", () => {
    const files = {
      "src/web/A.ts":
        'import { widget } from "../language/languages/de.ts"\nimport { locales } from "../language/Locales.ts"',
      "src/language/Locales.ts": "",
      "src/language/WidgetTexts.ts": "",
    }
    const why = "src/web/A.ts:2 web imports only types of other folders"
    expect(
      check({ ...files, "src/language/languages/de.ts": 'import type { WidgetTexts } from "../WidgetTexts.ts"' }),
    ).toEqual([why])
    expect(
      check({ ...files, "src/language/languages/de.ts": 'import { WidgetTexts } from "../WidgetTexts.ts"' }),
    ).toEqual(["src/language/languages/de.ts:1 the file of a language imports types alone: browsers load it", why])
  })

  test("finds imports without an extension, which would escape it", () => {
    expect(check({ "src/http/A.ts": 'import { X } from "../storage/X"', "src/storage/X.ts": "" })).toEqual([
      "src/http/A.ts:1 an import names its file with the extension",
    ])
  })

  test("finds cycles of folders, unless one folder contains the other", () => {
    expect(
      check({
        "src/http/App.ts": 'import { A } from "./edge/A.ts"\nimport { B } from "./mcp/B.ts"',
        "src/http/Listing.ts": "",
        "src/http/edge/A.ts": 'import { L } from "../Listing.ts"\nimport { S } from "../mcp/deep/S.ts"',
        "src/http/edge/Errors.ts": "",
        "src/http/mcp/B.ts": '\nimport type { E } from "../edge/Errors.ts"',
        "src/http/mcp/deep/S.ts": 'import { F } from "../F.ts"\nimport type { T } from "../../server/T.ts"',
        "src/http/mcp/F.ts": "",
        "src/http/server/T.ts": '\nimport { E } from "../edge/Errors.ts"',
      }),
    ).toEqual(["src/http/server/T.ts:2 a cycle: src/http/edge → src/http/mcp/deep → src/http/server → src/http/edge"])
  })

  test("finds cycles of files, also within a folder and of types only", () => {
    expect(
      check({
        "src/domain/A.ts": 'import { B } from "./B.ts"',
        "src/domain/B.ts": '\nimport type { C } from "./C.ts"',
        "src/domain/C.ts": 'import type { B } from "./B.ts"',
      }),
    ).toEqual(["src/domain/C.ts:1 a cycle: src/domain/B.ts → src/domain/C.ts → src/domain/B.ts"])
  })
})

test("tests that import a module are found, also through others", () => {
  check({
    "test/lib/Server.ts": "",
    "test/lib/Helper.ts": 'export { help } from "./Server.ts"',
    "test/Direct.test.ts": 'import { server } from "./lib/Server.ts"',
    "test/Indirect.test.ts": 'import { help } from "./lib/Helper.ts"',
    "test/Without.test.ts": 'import { words } from "../src/language/words/Words.ts"',
    "src/language/words/Words.ts": "",
  })
  expect(testsWith(root, ["test/lib/Server.ts"])).toEqual(["test/Direct.test.ts", "test/Indirect.test.ts"])
})

test("a change touches tests that import it, and of whole servers those that mirror what it changes", () => {
  check({
    "src/services/Keys.ts": "",
    "src/http/Admin.ts": 'import { keys } from "../services/Keys.ts"',
    "src/http/Chat.ts": 'import type { Keys } from "../services/Keys.ts"',
    "src/main.ts": 'import { admin } from "./http/Admin.ts"\nimport { chat } from "./http/Chat.ts"',
    "test/lib/Server.ts": 'import { server } from "../../src/main.ts"',
    "test/services/Keys.test.ts": 'import { keys } from "../../src/services/Keys.ts"',
    "test/http/Admin.test.ts": 'import { server } from "../lib/Server.ts"',
    "test/http/Chat.test.ts": 'import { server } from "../lib/Server.ts"',
  })
  expect(testsTouchedBy(root, ["src/services/Keys.ts"])).toEqual([
    "test/http/Admin.test.ts",
    "test/services/Keys.test.ts",
  ])
  expect(testsTouchedBy(root, ["test/lib/Server.ts"])).toEqual(["test/http/Admin.test.ts", "test/http/Chat.test.ts"])
})
