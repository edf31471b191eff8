import type { ChildNode, Element } from "domhandler"

/** Elements without text of the page itself, such as scripts, forms and navigation. */
export const skippedElements: ReadonlySet<string> = new Set(
  "script style noscript template nav head title svg annotation iframe object embed canvas audio video map select button input textarea datalist dialog".split(
    " ",
  ),
)

export const inlineElements: ReadonlySet<string> = new Set(
  "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q rp rt ruby s samp small span strike strong sub sup time tt u var wbr img br".split(
    " ",
  ),
)

export const isElement = (node: ChildNode): node is Element => "name" in node && "attribs" in node

/** Whether nobody sees an element. A whole page is hidden only until its scripts have run. */
export const isHidden = ({ attribs, name }: Element): boolean =>
  name !== "html" &&
  name !== "body" &&
  (("hidden" in attribs && attribs["hidden"] !== "until-found") ||
    attribs["aria-hidden"] === "true" ||
    attribs["role"] === "navigation" ||
    /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(attribs["style"] ?? ""))

/** Whether a page marks an element as its main content. */
export const isMain = ({ attribs, name }: Element): boolean =>
  /^(?:main|article)$/.test(name) || attribs["role"] === "main"

export const parentOf = ({ parent }: Element): Element | undefined =>
  parent !== null && isElement(parent) ? parent : undefined

/** Whether an element is within the main content, as the page itself marks it. */
export const isInMain = (element: Element): boolean => {
  const parent = parentOf(element)
  return parent !== undefined && (isMain(parent) || isInMain(parent))
}
