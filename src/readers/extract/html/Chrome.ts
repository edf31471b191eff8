import type { Element } from "domhandler"
import { existsOne } from "domutils"
import { isHidden, isInMain, skippedElements } from "./Elements.ts"

/*
 * Parts of a web page that surround its content: what elements, roles, and the names that authors give to classes and
 * ids tell about them.
 */

const CHROME_ROLES = new Set(
  "alertdialog banner contentinfo dialog menu menubar navigation search toolbar tooltip".split(" "),
)

/** Names of parts for screen readers, machines and the mouse only, and of the marks of encyclopedias and documentation. */
const MARKS =
  /(?:^| )(?:sr-only|visually-hidden|screen-reader(?:-text|-only)?|skip-(?:link|nav|to-content)|mw-editsection|mw-jump-link|noprint|(?:vertical-)?navbox|sistersitebox|reflist|mw-references-wrap|(?:header|heading|anchor|hash)-?(?:link|anchor)|(?:theme-)?edit-(?:this-)?page(?:-link)?|copy-(?:button|btn|code)|btn-copy|clipboard-copy|line-?numbers?(?:-rows)?|linenos?|rouge-gutter|blob-num)(?: |$)/

/** Names of dialogs that ask for consent. */
const CONSENT =
  /(?:cookie|consent|gdpr|privacy)[-_ ]?(?:alert|banner|bar|box|consent|dialog|hint|info|law|layer|message|modal|notice|notification|overlay|popup|prompt)|(?:^| )(?:onetrust|cookiebot|cybot|usercentrics|didomi|osano|borlabs|cmplz|cc-window|truste|qc-cmp)/

/** Names of the surroundings of content, with all that stands in them. */
const CHROME =
  /(?:^|[ _-])(?:breadcrumbs?|comments?|disqus|modal|outbrain|popup|replies|table-of-contents|taboola|toc)(?=$|[ _-])/

/** Names of surroundings that content has as well, so that within the main content they tell little. */
const LIKELY_CHROME =
  /(?:^|[ _-])(?:ads?|advert\w*|footer|masthead|newsletter|promos?|recommend\w*|related|shar(?:e|es|ing)|sidebar|social|sponsor\w*|subscribe|suggested)(?=$|[ _-])/

/** Names of navigation, which consists of links. A menu without links is one of a restaurant. */
const NAVIGATION =
  /(?:^|[ _-])(?:menu|nav|navbar|navigation|pager|pagination|toolbar)(?=$|[ _-])|(?:^| )(?:(?:app|global|main|site|top)-)?header(?= |$)/

/** Names of content. An element that has them as well may hold both. */
const CONTENT = /(?:^|[ _-])(?:article|body|column|content|main|math)(?=$|[ _-])/

/** Names of notes within content. */
const ADMONITION = /admonition|callout|caution|danger|hint|note|tip|warning/

/** Most characters of an element's classes, and of its id, that are looked at. */
const MAX_NAMES = 200

/** The words of an element's classes and id, in lower case. */
export const namesOf = ({ attribs }: Element): string =>
  [attribs["class"], attribs["id"]]
    .map((names = "") => names.slice(0, MAX_NAMES).trim())
    .join(" ")
    .replace(/([a-z])([A-Z])/g, "$1-$2")
    .toLowerCase()

/** Whether an element is the mark beside a heading that links to it. */
const isAnchor = ({ attribs, children, name }: Element): boolean =>
  name === "a" &&
  attribs["href"]?.startsWith("#") === true &&
  children.every((child) => child.type === "text" && !/[\p{L}\p{N}]/u.test(child.data))

const isAside = ({ attribs, name }: Element): boolean => name === "aside" || attribs["role"] === "complementary"

const isForm = ({ name }: Element): boolean => name === "form"

/** Whether an element is no content even where it is seen, such as a script, a menu, or a button that copies code. */
export const isSurrounding = (element: Element): boolean => {
  const { attribs, name, parent } = element
  if (name === "html" || name === "body") return false
  const names = namesOf(element)
  return (
    skippedElements.has(name) ||
    CHROME_ROLES.has(attribs["role"] ?? "") ||
    (name === "sup" && names.includes("reference")) ||
    (name === "footer" && !(parent !== null && "name" in parent && parent.name === "blockquote")) ||
    (isAside(element) && !ADMONITION.test(names) && !isInMain(element)) ||
    isAnchor(element) ||
    MARKS.test(names) ||
    CONSENT.test(names)
  )
}

/** Whether an element is never content: one that surrounds it, or that nobody sees. */
export const isNeverContent = (element: Element): boolean => isHidden(element) || isSurrounding(element)

/** The least share of links in the text of navigation, and of a part that is beside what the page is about. */
const NAVIGATION_LINKS = 0.5
const BESIDE_LINKS = 0.2

/** With as many characters outside of links, a part says something. */
const SENTENCE = 40

/** Whether the names of an element, with so many characters of text and in links, tell that it surrounds the content. */
export const isNamedChrome = (
  element: Element,
  { linked, text }: { readonly linked: number; readonly text: number },
): boolean => {
  if (/^(?:a|body|html|main)$/.test(element.name)) return false
  const names = namesOf(element)
  if (CONTENT.test(names)) return false
  if (CHROME.test(names) || (linked > text * NAVIGATION_LINKS && NAVIGATION.test(names))) return true
  const isLikely = LIKELY_CHROME.test(names)
  if (!isLikely && (!isAside(element) || ADMONITION.test(names))) return false
  const says =
    text - linked >= (isLikely ? SENTENCE : 1) && linked <= text * BESIDE_LINKS && !existsOne(isForm, element.children)
  return !(says && isInMain(element))
}
