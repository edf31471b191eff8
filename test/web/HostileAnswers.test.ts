import { describe, expect, test } from "bun:test"
import { hostileDocuments } from "../browser/lib/HostileMarkdown.ts"
import { treeOf, elementsOf, render, streamed } from "./lib/Tree.ts"

/*
 * What hostile answers become, by rule. `test/browser/Hostile.test.ts` shows some of them in a browser.
 */

/** The elements that an answer may become, without formulas: a browser makes these of tokens. */
const ELEMENTS =
  /^(?:p|a|bdi|br|hr|h[2-6]|strong|em|del|ul|ol|li|blockquote|figure|figcaption|span|button|pre|code|section|table|thead|tbody|tr|th|td|math|sup|div)$/
const FORBIDDEN_ATTRIBUTES = /^(?:on|src|style$|action$|id$|name$|dangerouslySetInnerHTML$)/i

/** Characters after which the long ones only repeat themselves. */
const REPEATING = 2_000
const PIECES = 20

/** What is wrong with a rendered answer, one line for each element. */
const faultsOf = (tree: ReturnType<typeof render>): ReadonlyArray<string> =>
  elementsOf(tree).flatMap(({ attributes, name }) => {
    const { href, rel, target } = attributes
    const isSafe =
      name !== "a" ||
      (/^(?:https?|mailto):/.test(String(href)) &&
        new URL(String(href)).username === "" &&
        rel === "noopener noreferrer" &&
        target === "_blank")
    const wrong = name === "button" ? [] : Object.keys(attributes).filter((key) => FORBIDDEN_ATTRIBUTES.test(key))
    return ELEMENTS.test(name) && isSafe && wrong.length === 0 ? [] : [`${name} ${JSON.stringify(attributes)}`]
  })

describe("an answer that is hostile, by what it tries,", () => {
  test.each(hostileDocuments.map((document) => [document.name, document] as const))(
    "becomes harmless elements, as a whole and while it is streamed: %s",
    (_name, { markdown }) => {
      const text = markdown.slice(0, REPEATING)
      expect(faultsOf(render(text))).toEqual([])
      const size = Math.max(7, Math.ceil(text.length / PIECES))
      for (let end = size; end < text.length; end += size) expect(faultsOf(render(text.slice(0, end)))).toEqual([])
      expect(faultsOf(treeOf(streamed(text, size)))).toEqual([])
    },
  )
})
