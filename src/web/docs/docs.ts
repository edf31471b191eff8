import "./docs.css"
import { copyText } from "../shared/Clipboard.ts"
import { type Found, find, type Section } from "./Search.ts"

/*
 * What the pages of the documentation do beyond showing text: the colours chosen in the console, buttons that copy,
 * search, the address of the server in examples, and a mark in the contents at the section that is read.
 */

/** The colours that were chosen in the console of this browser. Storage may be switched off. */
const storedTheme = (): string => {
  try {
    return JSON.parse(localStorage.getItem("parley:console:theme") ?? '"system"')
  } catch {
    return "system"
  }
}
document.documentElement.dataset["theme"] = storedTheme()

/** The address of the server. */
const root = document.querySelector<HTMLAnchorElement>(".wordmark")?.href ?? ""

for (const code of document.querySelectorAll(".request code"))
  code.textContent = code.textContent.replace("$URL/", () => root)

// The reference was one page: an address of a section there leads to the page that has the section now.
const section = Array.from(document.querySelectorAll<HTMLAnchorElement>(".sections li a")).find(
  ({ hash }) => hash === location.hash,
)
if (section !== undefined) location.replace(section.href)

const SHOWN_MILLIS = 2_000

for (const block of document.querySelectorAll("main pre")) {
  const button = Object.assign(document.createElement("button"), {
    type: "button",
    className: "copy",
    textContent: "Copy",
  })
  button.addEventListener("click", () => {
    void copyText(block.textContent.trimEnd()).then((done) => {
      button.textContent = done ? "Copied" : "Copy failed"
      setTimeout(() => (button.textContent = "Copy"), SHOWN_MILLIS)
    })
  })
  const figure = document.createElement("figure")
  block.replaceWith(figure)
  figure.append(block, button)
}

const input = document.querySelector<HTMLInputElement>("search input")
const status = document.querySelector("search [role=status]")
const results = document.querySelector<HTMLElement>("search ul")
const navigation = document.querySelector<HTMLElement>("nav[aria-label=Documentation]")

// The list of the reference is longer than a window.
navigation?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" })

const isSection = (value: unknown): value is Section =>
  typeof value === "object" && value !== null && "text" in value && "heading" in value

/** The sections of all pages, loaded when the search is first used. */
let index: Promise<ReadonlyArray<Section>> | undefined
const load = (): Promise<ReadonlyArray<Section>> =>
  fetch(`${root}docs/search.json`)
    .then((response) => response.json())
    .then((json: unknown) => (Array.isArray(json) ? json.filter(isSection) : []))

const result = ({ section, snippet }: Found): HTMLElement => {
  const link = document.createElement("a")
  link.href = `${root}${section.page}#${section.id}`
  const lines = [section.heading, section.title, snippet].map((text, line) =>
    Object.assign(document.createElement(line === 0 ? "strong" : "span"), { textContent: text }),
  )
  link.append(...lines)
  const item = document.createElement("li")
  item.append(link)
  return item
}

if (input !== null && status !== null && results !== null && navigation !== null) {
  const search = async (): Promise<void> => {
    const query = input.value
    const sections = query.trim() === "" ? [] : await (index ??= load())
    // Somebody has typed on meanwhile.
    if (query !== input.value) return
    const found = find(sections, query)
    const isEmpty = query.trim() === ""
    results.replaceChildren(...found.map((one) => result(one)))
    results.hidden = isEmpty
    navigation.hidden = !isEmpty
    status.className = isEmpty || found.length > 0 ? "visually-hidden" : ""
    status.textContent = isEmpty
      ? ""
      : found.length === 0
        ? "No results"
        : `${found.length} ${found.length === 1 ? "result" : "results"}`
  }
  input.addEventListener("input", () => {
    search().catch(() => {
      index = undefined
      status.className = ""
      status.textContent = "Search is not available."
    })
  })
  // A link of the page that is open leads nowhere else: the popover would stay.
  for (const popover of document.querySelectorAll<HTMLElement>("[popover]")) {
    popover.addEventListener("click", ({ target }) => {
      if (target instanceof Element && target.closest("a") !== null && popover.matches(":popover-open"))
        popover.hidePopover()
    })
  }
}

/** Marks the entry of the contents whose section has most recently come into the upper part of the window. */
const observer = new IntersectionObserver(
  (entries) => {
    const entry = entries.find(({ isIntersecting }) => isIntersecting)
    if (entry === undefined) return
    for (const link of document.querySelectorAll<HTMLAnchorElement>("#contents a")) {
      if (link.hash === `#${entry.target.id}`) {
        link.setAttribute("aria-current", "true")
        link.scrollIntoView({ block: "nearest" })
      } else link.removeAttribute("aria-current")
    }
  },
  { rootMargin: "0px 0px -70%" },
)
for (const heading of document.querySelectorAll("main :is(h2, h3)[id]")) observer.observe(heading)
