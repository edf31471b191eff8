import type { Element } from "domhandler"
import { isHidden, skippedElements } from "./Html.ts"

/*
 * Parts of a web page that surround its content: what elements, roles, and the names that authors give to classes and
 * ids tell about them.
 */

const CHROME_ROLES = new Set(
  "alertdialog banner complementary contentinfo dialog menu menubar navigation search toolbar tooltip".split(" "),
)

/** Names of parts for screen readers, machines and the mouse only, and of the marks of encyclopedias and documentation. */
const MARKS =
  /(?:^| )(?:sr-only|visually-hidden|screen-reader(?:-text|-only)?|skip-(?:link|nav|to-content)|mw-editsection|mw-jump-link|noprint|(?:vertical-)?navbox|sistersitebox|reflist|mw-references-wrap|(?:header|heading|anchor|hash)-?(?:link|anchor)|(?:theme-)?edit-(?:this-)?page(?:-link)?|copy-(?:button|btn|code)|btn-copy|clipboard-copy|line-?numbers?(?:-rows)?|linenos?|rouge-gutter|blob-num)(?: |$)/

/** Names of dialogs that ask for consent. */
const CONSENT =
  /(?:cookie|consent|gdpr|privacy)[-_ ]?(?:alert|banner|bar|box|consent|dialog|hint|info|law|layer|message|modal|notice|notification|overlay|popup|prompt)|(?:^| )(?:onetrust|cookiebot|cybot|usercentrics|didomi|osano|borlabs|cmplz|cc-window|truste|qc-cmp)/

/** Names of the surroundings of content. */
const CHROME =
  /(?:^|[ _-])(?:ads?|advert\w*|breadcrumbs?|comments?|disqus|footer|masthead|modal|newsletter|outbrain|popup|promos?|recommend\w*|related|replies|shar(?:e|es|ing)|sidebar|social|sponsor\w*|subscribe|suggested|table-of-contents|taboola|toc)(?=$|[ _-])/

/** Names of navigation, which consists of links. A menu without links is one of a restaurant. */
const NAVIGATION =
  /(?:^|[ _-])(?:menu|nav|navbar|navigation|pager|pagination|toolbar)(?=$|[ _-])|(?:^| )(?:(?:app|global|main|site|top)-)?header(?= |$)/

/** Names of content. An element that has them as well may hold both. */
const CONTENT = /(?:^|[ _-])(?:article|body|column|content|main|math)(?=$|[ _-])/

/** Names of notes within content. */
const ADMONITION = /admonition|callout|caution|danger|hint|note|tip|warning/

/** Names of parts that open with a click. They are hidden until then, and are content all the same. */
const FOLDED = /accordion|collaps|expand|(?:^|[ _-])(?:faq|tab|tab-?(?:content|pane|panel)|toggle)(?=$|[ _-])/

/** Most characters of an element's classes, and of its id, that are looked at. */
const MAX_NAMES = 200

/** The words of an element's classes and id, in lower case. */
const namesOf = ({ attribs }: Element): string =>
  [attribs["class"], attribs["id"]]
    .map((names = "") => names.slice(0, MAX_NAMES).trim())
    .join(" ")
    .replace(/([a-z])([A-Z])/g, "$1-$2")
    .toLowerCase()

/** Shows what only looks hidden: parts that open with a click, and the pictures of formulas that are there twice. */
const unfold = ({ attribs, name }: Element, names: string): void => {
  if (name === "img" ? !names.includes("mwe-math") : !FOLDED.test(names) && attribs["role"] !== "tabpanel") return
  for (const attribute of ["hidden", "aria-hidden", "style"]) delete attribs[attribute]
}

/** Whether an element is the mark beside a heading that links to it. */
const isAnchor = ({ attribs, children, name }: Element): boolean =>
  name === "a" &&
  attribs["href"]?.startsWith("#") === true &&
  children.every((child) => child.type === "text" && !/[\p{L}\p{N}]/u.test(child.data))

/** Whether an element is never content, such as a script, a menu, or a button that copies code. */
export const isNeverContent = (element: Element): boolean => {
  const { attribs, name, parent } = element
  if (name === "html" || name === "body") return false
  const names = namesOf(element)
  unfold(element, names)
  return (
    skippedElements.has(name) ||
    isHidden(element) ||
    CHROME_ROLES.has(attribs["role"] ?? "") ||
    (name === "sup" && names.includes("reference")) ||
    (name === "footer" && !(parent !== null && "name" in parent && parent.name === "blockquote")) ||
    (name === "aside" && !ADMONITION.test(names)) ||
    isAnchor(element) ||
    MARKS.test(names) ||
    CONSENT.test(names)
  )
}

/** Whether the names of an element, with this share of links in its text, tell that it surrounds the content. */
export const isNamedChrome = (element: Element, linkedShare: number): boolean => {
  if (/^(?:a|body|html|main)$/.test(element.name)) return false
  const names = namesOf(element)
  return (CHROME.test(names) || (linkedShare > NAVIGATION_LINKS && NAVIGATION.test(names))) && !CONTENT.test(names)
}

/** The least share of links in the text of navigation. */
const NAVIGATION_LINKS = 0.5
