import { expect, test } from "bun:test"
import { anchorOf, htmlOf } from "../../../../src/http/web/docs/Markdown.ts"

test.each([
  ["[Settings](settings.md)", '<p><a href="../docs/settings">Settings</a></p>\n'],
  ["[README](../README.md)", '<p><a href="../docs/readme">README</a></p>\n'],
  ["[budgets](docs/keys-and-budgets.md#budgets)", '<p><a href="../docs/keys-and-budgets#budgets">budgets</a></p>\n'],
  ["[Readiness](/readyz)", '<p><a href="../readyz">Readiness</a></p>\n'],
  ["[above](#above)", '<p><a href="#above">above</a></p>\n'],
  ["[Bun](https://bun.sh)", '<p><a href="https://bun.sh">Bun</a></p>\n'],
])("the link %s becomes one to the page or address", (markdown, html) => {
  expect(htmlOf(markdown)).toBe(html)
})

test.each([
  ["[MIT](LICENSE)", "<p>MIT</p>\n"],
  ["[run](javascript:alert%281%29)", "<p>run</p>\n"],
])("%s links to no page, so only its text is shown", (markdown, html) => {
  expect(htmlOf(markdown)).toBe(html)
})

test("a picture is left out, because the pages load nothing", () => {
  expect(htmlOf("![The console](images/console.webp) and more")).toBe("<p> and more</p>\n")
})

test("HTML in the Markdown is shown as text", () => {
  expect(htmlOf("<script>alert(1)</script>\n")).not.toContain("<script")
  expect(htmlOf("a <b onclick=x>c</b>")).toBe("<p>a &lt;b onclick=x&gt;c&lt;/b&gt;</p>\n")
})

test("headings have the same anchors as on GitHub", () => {
  expect(htmlOf("## The `parley` command, and why?")).toBe(
    '<h2 id="the-parley-command-and-why">The <code>parley</code> command, and why?</h2>\n',
  )
  expect(anchorOf("Keys & budgets")).toBe("keys--budgets")
})

test("code and tables, which may scroll, can be reached with the keyboard", () => {
  expect(htmlOf("```sh\na < b\n```")).toBe('<pre tabindex="0"><code>a &lt; b\n</code></pre>\n')
  expect(htmlOf("| a |\n|---|\n| b |")).toStartWith('<div class="table" role="group" aria-label="Table" tabindex="0">')
})
