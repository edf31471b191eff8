import { type ChildNode, type Element, Text } from "domhandler"
import { findOne, textContent } from "domutils"
import { isVisible, normalizeText, oneLine } from "../Text.ts"
import { isElement } from "./Elements.ts"
import { Writer } from "./Html.ts"
import { SpanBudget } from "./HtmlTable.ts"
import type { Content } from "./MainContent.ts"
import { absoluteAddress } from "./PageFacts.ts"

/** A formula as TeX where the page has it, and else as its symbols in a row. */
const formula = (math: Element): string => {
  const tex = findOne(
    ({ attribs, name }) => name === "annotation" && /tex/i.test(attribs["encoding"] ?? ""),
    math.children,
  )
  return oneLine(math.attribs["alttext"] ?? textContent(tex ?? math))
}

/**
 * Takes what is no content out of nodes, and makes the rest such as the writer of uploaded HTML expects: links have
 * absolute addresses, formulas are text, and code has its line breaks as text.
 */
const prepare = (
  nodes: ReadonlyArray<ChildNode>,
  dropped: ReadonlySet<Element>,
  base: string,
  isCode = false,
): Array<ChildNode> =>
  nodes.flatMap((node): ReadonlyArray<ChildNode> => {
    if (!isElement(node)) return [node]
    if (dropped.has(node)) return []
    if (node.name === "math") return [new Text(` ${formula(node)} `)]
    if (node.name === "br" && isCode) return [new Text("\n")]
    if (node.name.startsWith("mjx-")) node.name = "span"
    // Text beside the items of a list would be lost.
    if (/^[ou]l$/.test(node.name) && node.children.some((child) => child.type === "text" && isVisible(child.data))) {
      node.name = "div"
    }
    const { href } = node.attribs
    if (href !== undefined) node.attribs["href"] = href.startsWith("#") ? "" : (absoluteAddress(href, base) ?? "")
    node.children = prepare(node.children, dropped, base, isCode || node.name === "pre")
    return [node]
  })

/** Writes the main content of a page as blocks of Markdown, with links resolved against `base`. Changes the page. */
export const blocksOf = ({ dropped, nodes }: Pick<Content, "dropped" | "nodes">, base: string): ReadonlyArray<string> =>
  Writer.blocksOf(prepare(nodes, dropped, base), new SpanBudget())
    .map(normalizeText)
    .filter((block) => block !== "")
