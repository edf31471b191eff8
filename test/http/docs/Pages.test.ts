import { expect, test } from "bun:test"
import { Effect, FileSystem, Layer, Option, PlatformError } from "effect"
import { HttpRouter } from "effect/http"
import * as Docs from "../../../src/http/docs/Docs.ts"
import { anchorOf, contentOf } from "../../../src/http/docs/Pages.ts"
import { WebFiles } from "../../../src/http/web/WebFiles.ts"

/** Renders a Markdown text. */
const shown = async (markdown: string): Promise<string> => {
  const files = FileSystem.layerNoop({ readFileString: () => Effect.succeed(markdown) })
  const content = contentOf({ name: "guide", title: "Guide", file: "docs/guide.md" })
  return Option.getOrElse(await Effect.runPromise(Effect.provide(content, files)), () => "")
}

test.each([
  ["[Settings](settings.md)", '<p><a href="../docs/settings">Settings</a></p>\n'],
  ["[README](../README.md)", '<p><a href="../docs/readme">README</a></p>\n'],
  ["[budgets](docs/keys-and-budgets.md#budgets)", '<p><a href="../docs/keys-and-budgets#budgets">budgets</a></p>\n'],
  ["[Readiness](/readyz)", '<p><a href="../readyz">Readiness</a></p>\n'],
  ["[above](#above)", '<p><a href="#above">above</a></p>\n'],
  ["[Bun](https://bun.sh)", '<p><a href="https://bun.sh">Bun</a></p>\n'],
])("the link %s becomes one to the page or address", async (markdown, html) => {
  expect(await shown(markdown)).toBe(html)
})

test.each([
  ["[MIT](LICENSE)", "<p>MIT</p>\n"],
  ["[run](javascript:alert%281%29)", "<p>run</p>\n"],
])("%s links to no page, so only its text is shown", async (markdown, html) => {
  expect(await shown(markdown)).toBe(html)
})

test("a picture is left out, because the pages load nothing", async () => {
  expect(await shown("![The console](images/console.webp) and more")).toBe("<p> and more</p>\n")
})

test("HTML in the Markdown is shown as text", async () => {
  expect(await shown("<script>alert(1)</script>\n")).not.toContain("<script")
  expect(await shown("a <b onclick=x>c</b>")).toBe("<p>a &lt;b onclick=x&gt;c&lt;/b&gt;</p>\n")
})

test("headings have the same anchors as on GitHub", async () => {
  expect(await shown("## The `parley` command, and why?")).toBe(
    '<h2 id="the-parley-command-and-why">The <code>parley</code> command, and why?</h2>\n',
  )
  expect(anchorOf("Keys & budgets")).toBe("keys--budgets")
})

test("code and tables, which may scroll, can be reached with the keyboard", async () => {
  expect(await shown("```sh\na < b\n```")).toBe('<pre tabindex="0"><code>a &lt; b\n</code></pre>\n')
  expect(await shown("| a |\n|---|\n| b |")).toStartWith(
    '<div class="table" role="group" aria-label="Table" tabindex="0">',
  )
})

const missing = PlatformError.systemError({ _tag: "NotFound", module: "FileSystem", method: "readFileString" })

test("a page whose Markdown file is not in the checkout is not found", async () => {
  const files = FileSystem.layerNoop({ readFileString: () => Effect.fail(missing) })
  const web = Layer.mock(WebFiles, {})
  const { dispose, handler } = HttpRouter.toWebHandler(Layer.provide(Docs.layer, [files, web]), { disableLogger: true })
  expect((await handler(new Request("http://localhost/docs/guide"))).status).toBe(404)
  await dispose()
})
