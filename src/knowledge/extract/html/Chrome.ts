import type { Element } from "domhandler"
import { isHidden, skippedElements } from "./Html.ts"

/*
 * Parts of a web page that surround its content: what elements, roles and the names that authors give to classes and
 * ids tell about them.
 */

const CHROME_ROLES = new Set(
  "alert alertdialog banner complementary contentinfo dialog menu menubar navigation search toolbar tooltip".split(" "),
)

/** Names of parts for screen readers, machines and the mouse only, and of the marks of encyclopedias and documentation. */
const MARKS =
  /(?:^| )(?:sr-only|visually-hidden|screen-reader(?:-text|-only)?|skip-(?:link|nav|to-content)|mw-editsection|mw-jump-link|noprint|navbox|vertical-navbox|sistersitebox|reflist|mw-references-wrap|headerlink|header-anchor|heading-anchor|anchor-link|hash-link|edit-this-page|edit-page-link|theme-edit-this-page|copy-(?:button|btn|code)|btn-copy|clipboard-copy|line-?numbers?(?:-rows)?|linenos?|lineno|gutter|rouge-gutter|blob-num)(?: |$)/

/** Names of notes within content. */
const ADMONITION = /admonition|alert|callout|caution|danger|hint|important|info|note|tip|warning/

/** Names of dialogs that ask for consent. */
const CONSENT =
  /(?:cookie|consent|gdpr|privacy)[-_ ]?(?:alert|banner|bar|box|consent|dialog|hint|info|law|layer|message|modal|notice|notification|overlay|popup|prompt)|(?:^| )(?:onetrust|cookiebot|cybot|usercentrics|didomi|osano|borlabs|cmplz|cc-window|truste|qc-cmp)/

/** Names of the surroundings of content. */
const CHROME =
  /(?:^|[ _-])(?:ad|ads|ad-?(?:break|slot|unit|container|wrapper)|advert\w*|agegate|banner|breadcrumbs?|combx|comments?(?:list|area)?|community|consent|cookies?|cover-wrap|disqus|disclaimer|extra|footer|gdpr|header|legends?|masthead|menu|modal|nav|navbar|navigation|newsletter|outbrain|pager|pagination|popup|promos?|recommend\w*|related|remark|replies|rss|shar(?:e|es|ing)|shoutbox|sidebar|skyscraper|social|sponsor\w*|subscribe|supplemental|table-of-contents|taboola|toc|toolbar|yom-remote)(?=$|[ _-])/

/** Names of content, which also surround chrome, and which chrome has as well. */
const CONTENT = /(?:^|[ _-])(?:and|article|body|column|content|main|math|shadow)(?=$|[ _-])/

const FAVOURED = /article|blog|body|content|entry|main|markdown|page|pagination|post|prose|story|text/
const DISFAVOURED =
  /(?:^|[ _-])(?:ad|hid|hidden)(?=$|[ _-])|banner|combx|comment|com-|footer|gdpr|masthead|media|meta|outbrain|promo|related|scroll|share|shoutbox|sidebar|skyscraper|sponsor|shopping|tags|widget/

/** Most characters of an element's classes and id that are looked at. */
const MAX_NAMES = 400

const split = (names: string) =>
  names
    .slice(0, MAX_NAMES)
    .replace(/([a-z])([A-Z])/g, "$1-$2")
    .toLowerCase()

/** The words of an element's classes and id. */
const namesOf = ({ attribs }: Element): string => split(`${attribs["class"] ?? ""} ${attribs["id"] ?? ""}`.trim())

/** Whether an element is never content, such as a script, a menu, or a button that copies code. */
export const isNeverContent = (element: Element): boolean => {
  const { attribs, name, parent } = element
  if (name === "html" || name === "body") return false
  const names = namesOf(element)
  // Encyclopedias have formulas as hidden MathML, and as pictures that are hidden from screen readers.
  if (name === "img" && names.includes("mwe-math")) delete attribs["aria-hidden"]
  return (
    skippedElements.has(name) ||
    isHidden(element) ||
    CHROME_ROLES.has(attribs["role"] ?? "") ||
    (name === "sup" && names.includes("reference")) ||
    (name === "footer" && !(parent !== null && "name" in parent && parent.name === "blockquote")) ||
    (name === "aside" && !ADMONITION.test(names)) ||
    MARKS.test(names) ||
    CONSENT.test(names)
  )
}

/** Whether the names of an element tell that it surrounds the content. */
export const isNamedChrome = (element: Element): boolean => {
  const names = namesOf(element)
  if (/^(?:a|body|html|main)$/.test(element.name)) return false
  return CHROME.test(names) && !CONTENT.test(names)
}

/** How much the names of an element speak for content: from -50 to 50. */
export const weightOf = ({ attribs }: Element): number =>
  [attribs["class"], attribs["id"]].reduce((weight, value) => {
    if (value === undefined || value === "") return weight
    const names = split(value)
    return weight + (DISFAVOURED.test(names) ? -25 : 0) + (FAVOURED.test(names) ? 25 : 0)
  }, 0)
