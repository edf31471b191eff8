import type { Document, Element } from "domhandler"
import { findAll, findOne, nextElementSibling, prependChild, removeElement, textContent } from "domutils"
import { oneLine } from "../Text.ts"
import { isSurrounding, namesOf } from "./Chrome.ts"
import { inlineElements, isElement, isHidden, isInMain, parentOf } from "./Elements.ts"

/*
 * What a page folds: accordions, tabs, and more text that a click shows. A person opens them, so that they are read as if
 * they were open, with the texts of the buttons that name them. The menus, dialogs and filters that other buttons open
 * stay closed.
 */

/** Names of parts that open with a click. */
const FOLDED = /accordion|collaps|expand|(?:^|[ _-])(?:faq|tab|tab-?(?:content|pane|panel)|toggle)(?=$|[ _-])/

/** Names of buttons that name the part beside them. */
const LABEL = /accordion|collaps|(?:^|[ _-])(?:faq|question)(?=$|[ _-])/

/** Names of what opens above a page, and of what opens it. */
const OVERLAY =
  /(?:^|[ _-])(?:cart|comments?|copy|dialog|drawer|dropdown|filters?|flyout|lightbox|log-?in|modal|off-?canvas|overlay|popover|popup|replies|search|share|sign-?in|toc|tooltip)(?=$|[ _-])/

/** What has a higher share of links outside of the main content is a menu. */
const MAX_LINKED_SHARE = 0.5

/** How far above a button the part that it opens may stand beside its parent. */
const MAX_CLIMB = 3

const HEADING = /^(?:h[1-6]|dt)$/

const show = ({ attribs }: Element): void => {
  for (const attribute of ["hidden", "aria-hidden", "style"]) delete attribs[attribute]
}

/** Whether an element opens a part of the page itself, if it opens any. */
const isControl = (element: Element): boolean => {
  const { attribs, name } = element
  const isMarked = ["aria-controls", "aria-expanded", "data-bs-target", "data-target", "data-toggle"].some(
    (attribute) => attribute in attribs,
  )
  const isLink = name === "a" && attribs["href"]?.startsWith("#") === true
  if (!isMarked && !isLink && name !== "button") return false
  const toggled = attribs["data-bs-toggle"] ?? attribs["data-toggle"] ?? ""
  return (
    (attribs["aria-haspopup"] ?? "false") === "false" &&
    !/^(?:dropdown|modal|offcanvas|popover|tooltip)$/.test(toggled) &&
    !OVERLAY.test(namesOf(element))
  )
}

/** The identifiers that a control names. */
const namedBy = ({ attribs }: Element): ReadonlyArray<string> => [
  ...(attribs["aria-controls"] ?? "").split(/\s+/),
  ...[attribs["data-bs-target"], attribs["data-target"], attribs["href"]].flatMap((target) =>
    target?.startsWith("#") === true ? target.slice(1) : [],
  ),
]

/** What stands behind a control, or behind a parent that it is the last part of. */
const besideOf = (control: Element): Element | undefined => {
  let at: Element | undefined = control
  for (let climbed = 0; at !== undefined && climbed < MAX_CLIMB; climbed++) {
    const next = nextElementSibling(at)
    if (next !== null) return isHidden(next) || !inlineElements.has(next.name) ? next : undefined
    at = parentOf(at)
  }
  return undefined
}

/** The list that a tab stands in. */
const listOf = (tab: Element): Element | undefined => {
  let at = parentOf(tab)
  while (at !== undefined && at.attribs["role"] !== "tablist") at = parentOf(at)
  return at
}

/** The panels that follow a list of tabs, in its order. */
const panelsBehind = (tabs: Element): ReadonlyArray<Element> => {
  const isPanel = ({ attribs }: Element) => attribs["role"] === "tabpanel"
  const next = nextElementSibling(tabs)
  if (next === null || !isPanel(next)) return (next?.children ?? []).filter((node) => isElement(node)).filter(isPanel)
  const panels: Array<Element> = []
  for (let at: Element | null = next; at !== null && isPanel(at); at = nextElementSibling(at)) panels.push(at)
  return panels
}

/** Characters of an element's text, and whether it has a form. */
interface Size {
  readonly text: number
  readonly linked: number
  readonly hasForm: boolean
}

/** Opens what a page folds, once. Changes the page. */
export const unfold = (document: Document): void => {
  const elements = findAll(() => true, document.children)
  const byId = new Map<string, Element>()
  const labelled = new Map<string, Element>()
  const texts = new Map<string, number>()
  for (const element of elements) {
    const { attribs, name } = element
    if (attribs["id"] !== undefined && !byId.has(attribs["id"])) byId.set(attribs["id"], element)
    const label = attribs["role"] === "tabpanel" ? attribs["aria-labelledby"] : undefined
    if (label !== undefined) labelled.set(label, element)
    if (name === "button") texts.set(labelOf(element), (texts.get(labelOf(element)) ?? 0) + 1)
    if (isHidden(element) && isFolded(element)) show(element)
  }

  const sizes = new Map<Element, Size>()
  const sizeOf = (element: Element): Size => {
    const known = sizes.get(element)
    if (known !== undefined) return known
    const size = { text: 0, linked: 0, hasForm: element.name === "form" }
    for (const node of element.children) {
      const { hasForm, linked, text } = isElement(node)
        ? sizeOf(node)
        : { text: node.type === "text" ? node.data.trim().length : 0, linked: 0, hasForm: false }
      size.text += text
      size.linked += element.name === "a" ? text : linked
      size.hasForm ||= hasForm
    }
    sizes.set(element, size)
    return size
  }

  /** Whether a part that opens is a part of the page's text. */
  const isContent = (panel: Element): boolean => {
    if (isSurrounding(panel) || OVERLAY.test(namesOf(panel)) || panel.name === "form") return false
    const { linked, text } = sizeOf(panel)
    return linked <= text * MAX_LINKED_SHARE || isInMain(panel)
  }

  const named = new Set<Element>()
  /** Makes the text of a tab the first one of its panel, unless its heading says the same. */
  const nameBy = (tab: Element, panel: Element): void => {
    if (!isContent(panel) || named.has(panel) || isWithin(panel, tab)) return
    named.add(panel)
    show(panel)
    removeElement(tab)
    const heading = findOne((element) => /^h[1-6]$/.test(element.name), panel.children)
    if (heading !== null && labelOf(heading) === labelOf(tab)) return
    tab.name = "p"
    prependChild(panel, tab)
  }
  // What many buttons say, such as “Show more”, names nothing.
  const isName = (label: string) => texts.get(label) === 1 || /[?？؟]$/.test(label)

  const tabs = elements.filter(({ attribs }) => attribs["role"] === "tab")
  for (const [list, own] of Map.groupBy(tabs, listOf)) {
    if (list === undefined) continue
    const behind = panelsBehind(list)
    for (const [index, tab] of own.entries()) {
      const panel =
        byId.get(tab.attribs["aria-controls"] ?? "") ??
        labelled.get(tab.attribs["id"] ?? "") ??
        (behind.length === own.length ? behind[index] : undefined)
      if (panel !== undefined) nameBy(tab, panel)
    }
  }

  for (const control of elements.filter(isControl)) {
    const { attribs } = control
    const isButton = control.name === "button"
    const isLabel = "aria-expanded" in attribs || "data-toggle" in attribs || "data-bs-toggle" in attribs
    const parent = parentOf(control)
    const isHeading =
      isButton && parent !== undefined && HEADING.test(parent.name) && sizeOf(parent).text === sizeOf(control).text
    const opens = isLabel || isHeading || (isButton && LABEL.test(namesOf(control)))
    const panel = namedBy(control).flatMap((id) => byId.get(id) ?? [])[0] ?? (opens ? besideOf(control) : undefined)
    const isOpened = panel !== undefined && isContent(panel)
    // A form that a mere link shows is a dialog.
    const isDialog = control.name === "a" && !isLabel && panel !== undefined && sizeOf(panel).hasForm
    if (isOpened && isHidden(panel) && !isDialog) show(panel)
    if (isHeading) control.name = "span"
    else if (isButton && isOpened && opens && isName(labelOf(control))) control.name = "div"
  }
}

const labelOf = (element: Element): string => oneLine(textContent(element))

const isWithin = (element: Element, other: Element): boolean => {
  const parent = parentOf(element)
  return parent !== undefined && (parent === other || isWithin(parent, other))
}

/** Whether the names of a hidden part, or of what it stands in, tell that it opens with a click: no icon does. */
const isFolded = (element: Element): boolean => {
  const { attribs, name } = element
  if (name === "img") return namesOf(element).includes("mwe-math")
  if (inlineElements.has(name)) return false
  const parent = parentOf(element)
  const isAnswer = parent !== undefined && !OVERLAY.test(namesOf(element)) && LABEL.test(namesOf(parent))
  return FOLDED.test(namesOf(element)) || attribs["role"] === "tabpanel" || isAnswer
}
