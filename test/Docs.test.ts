import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, normalize, relative } from "node:path"
import { describe, expect, test } from "bun:test"
import { scripts, version } from "../package.json" with { type: "json" }
import { anchorOf, entries } from "../src/http/web/docs/Markdown.ts"
import { blocksOf, pages, root, textOf, tokensOf } from "./lib/docs/Markdown.ts"
import { generatedPages } from "./lib/docs/Generated.ts"

describe("the generated pages of the documentation", () => {
  test("are the errors and the settings", async () => {
    const generated = (await generatedPages()).map(({ path }) => relative(root, path))
    expect(generated).toEqual(["docs/errors.md", "docs/settings.md"])
  })

  test("are up to date with `bun run docs`", async () => {
    for (const { path, text } of await generatedPages()) expect(readFileSync(path, "utf8")).toBe(text)
  })
})

test("the server offers every page of the documentation", () => {
  expect(entries.map(({ file }) => file).toSorted()).toEqual(pages.toSorted())
})

test("CHANGELOG.md begins with the version of package.json, or with what comes after it", () => {
  const [first = "", ...others] = textOf("CHANGELOG.md").match(/^## .*$/gm) ?? []
  const released = first === "## Unreleased" ? others[0] : first
  expect(released).toMatch(new RegExp(String.raw`^## ${RegExp.escape(version)} - \d{4}-\d\d-\d\d$`))
})

test("README.md is short", () => {
  expect(textOf("README.md").split("\n").length).toBeLessThanOrEqual(150)
})

describe.each([...pages])("%s", (page) => {
  const tokens = tokensOf(page)

  test("begins with a title, and has no other", () => {
    const titles = tokens.filter((token) => token.type === "heading" && token["depth"] === 1)
    expect(titles).toHaveLength(1)
    expect(tokens[0]).toEqual(titles[0])
  })

  test("has a different anchor for each heading", () => {
    const anchors = anchorsOf(page)
    expect(new Set(anchors).size).toBe(anchors.length)
  })

  test("links to files and headings that exist", () => {
    const links = tokens.flatMap((token) => (token.type === "link" ? [String(token["href"])] : []))
    for (const link of links.filter((one) => !/^https?:/.test(one))) {
      const [path = "", anchor] = link.split("#")
      const target = path === "" ? page : normalize(join(dirname(page), path))
      expect({ link, exists: existsSync(join(root, target)) }).toEqual({ link, exists: true })
      if (anchor !== undefined) expect(anchorsOf(target)).toContain(anchor)
    }
  })

  test("names scripts that exist", () => {
    const named = Array.from(textOf(page).matchAll(/\bbun(?:@[\d.]+)? run ([a-z:]+)/g), ([, script = ""]) => script)
    expect(named.filter((script) => !(script in scripts))).toEqual([])
  })

  test("names source files that exist", () => {
    const text = textOf(page)
    const files = Array.from(text.matchAll(/(?<![\w/.-])(?:src|test|sql|docs|\.ci)\/[\w/.-]*\w/g), ([path]) => path)
    expect(files.filter((path) => !/NNNN/.test(path) && !existsSync(join(root, path)))).toEqual([])
  })
})

test("docs/architecture.md names modules that exist", () => {
  const modules = Array.from(textOf("docs/architecture.md").matchAll(/(?<![\w/.-])([a-z]+)(?:\/[a-z]+)*\/[A-Z]\w+/g))
  const named = modules.filter(([, room = ""]) => folders("src").includes(room)).map(([path]) => path)
  expect(named.length).toBeGreaterThan(5)
  expect(named.filter((path) => !existsSync(join(root, "src", `${path}.ts`)))).toEqual([])
})

test("docs/architecture.md lists every folder of src", () => {
  const house = blocksOf("docs/architecture.md").find(({ text }) => text.startsWith("sql/"))?.text ?? ""
  const rooms = (indent: number) =>
    Array.from(house.matchAll(/^( *)([a-z]+)\/ /gm)).flatMap(([, spaces, name = ""]) =>
      spaces?.length === indent ? [name] : [],
    )
  const below = new Set(folders("src").flatMap((room) => folders(`src/${room}`)))
  expect(rooms(2).toSorted()).toEqual(folders("src").toSorted())
  // Folders within these are listed only where their name does not explain them.
  expect(rooms(4).filter((room) => !below.has(room))).toEqual([])
})

function folders(path: string): ReadonlyArray<string> {
  return readdirSync(join(root, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
}

function anchorsOf(page: string): ReadonlyArray<string> {
  return tokensOf(page).flatMap((token) => (token.type === "heading" ? [anchorOf(String(token["text"]))] : []))
}
