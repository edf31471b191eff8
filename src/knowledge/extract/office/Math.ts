import { oneLine } from "../Text.ts"
import { childOf, elementsOf, textOf, type XmlElement } from "./Xml.ts"

/*
 * Office's mathematics (ECMA-376 part 1, 22.1) as LaTeX, which people search for and language models read.
 */

/** The LaTeX commands of signs. Other signs stay as they are. */
const signs = new Map(
  Object.entries({
    "∑": "\\sum",
    "∏": "\\prod",
    "∫": "\\int",
    "∬": "\\iint",
    "∮": "\\oint",
    "⋃": "\\bigcup",
    "⋂": "\\bigcap",
    "∞": "\\infty",
    "×": "\\times",
    "÷": "\\div",
    "±": "\\pm",
    "∓": "\\mp",
    "⋅": "\\cdot",
    "≤": "\\leq",
    "≥": "\\geq",
    "≠": "\\neq",
    "≈": "\\approx",
    "≡": "\\equiv",
    "→": "\\rightarrow",
    "←": "\\leftarrow",
    "⇒": "\\Rightarrow",
    "∈": "\\in",
    "∉": "\\notin",
    "⊂": "\\subset",
    "⊆": "\\subseteq",
    "∪": "\\cup",
    "∩": "\\cap",
    "∀": "\\forall",
    "∃": "\\exists",
    "∂": "\\partial",
    "∇": "\\nabla",
    "√": "\\sqrt",
    "…": "\\ldots",
    "⋯": "\\cdots",
    "–": "-",
    "−": "-",
    α: "\\alpha",
    β: "\\beta",
    γ: "\\gamma",
    δ: "\\delta",
    ε: "\\epsilon",
    θ: "\\theta",
    λ: "\\lambda",
    μ: "\\mu",
    π: "\\pi",
    ρ: "\\rho",
    σ: "\\sigma",
    τ: "\\tau",
    φ: "\\phi",
    ω: "\\omega",
    Γ: "\\Gamma",
    Δ: "\\Delta",
    Θ: "\\Theta",
    Λ: "\\Lambda",
    Π: "\\Pi",
    Σ: "\\Sigma",
    Φ: "\\Phi",
    Ψ: "\\Psi",
    Ω: "\\Omega",
  }),
)

const functions = new Set(["sin", "cos", "tan", "cot", "sec", "csc", "log", "ln", "exp", "lim", "min", "max", "det"])

/** Replaces signs by LaTeX commands, each followed by a space because a following letter would become part of it. */
const withSigns = (text: string): string =>
  Array.from(text, (char) => (signs.has(char) ? `${signs.get(char)} ` : char)).join("")

const inside = (element: XmlElement | undefined): string => elementsOf(element).map(latexOf).join("").trim()

const part = (element: XmlElement, name: string): string => inside(childOf(element, name))

const property = (element: XmlElement, group: string, name: string): string | undefined =>
  childOf(childOf(element, group), name)?.attributes["m:val"]

const below = (text: string) => (text === "" ? "" : `_{${text}}`)
const above = (text: string) => (text === "" ? "" : `^{${text}}`)

const delimited = (element: XmlElement): string => {
  const parts = elementsOf(element).filter(({ name }) => name === "m:e")
  const separator = property(element, "m:dPr", "m:sepChr") ?? "|"
  const [open, close] = [property(element, "m:dPr", "m:begChr") ?? "(", property(element, "m:dPr", "m:endChr") ?? ")"]
  const escaped = (char: string) => (char === "" ? "." : char.replace(/[{}]/, "\\$&"))
  return `\\left${escaped(open)}${parts.map(inside).join(separator)}\\right${escaped(close)}`
}

const fraction = (element: XmlElement): string => {
  const [top, bottom] = [part(element, "m:num"), part(element, "m:den")]
  return property(element, "m:fPr", "m:type") === "noBar" ? `{${top} \\atop ${bottom}}` : `\\frac{${top}}{${bottom}}`
}

const root = (element: XmlElement): string => {
  const degree = part(element, "m:deg")
  return `\\sqrt${degree === "" ? "" : `[${degree}]`}{${part(element, "m:e")}}`
}

const large = (element: XmlElement): string => {
  const sign = withSigns(property(element, "m:naryPr", "m:chr") ?? "∫").trim()
  return `${sign}${below(part(element, "m:sub"))}${above(part(element, "m:sup"))}{${part(element, "m:e")}}`
}

const called = (element: XmlElement): string => {
  const name = part(element, "m:fName")
  return `${functions.has(name) ? `\\${name}` : name}(${part(element, "m:e")})`
}

const matrix = (element: XmlElement): string => {
  const rows = elementsOf(element).filter(({ name }) => name === "m:mr")
  const cells = (row: XmlElement) => elementsOf(row).filter(({ name }) => name === "m:e")
  return `\\begin{matrix}${rows.map((row) => cells(row).map(inside).join(" & ")).join(" \\\\ ")}\\end{matrix}`
}

/** The base of a subscript or superscript. A fraction is put in braces, so that the script belongs to all of it. */
const base = (element: XmlElement): string => {
  const text = part(element, "m:e")
  return text.startsWith("\\frac") ? `{${text}}` : text
}

const latexOf = (element: XmlElement): string => {
  switch (element.name) {
    case "m:t":
      return withSigns(textOf(element))
    case "m:f":
      return fraction(element)
    case "m:sSup":
      return base(element) + above(part(element, "m:sup"))
    case "m:sSub":
      return base(element) + below(part(element, "m:sub"))
    case "m:sSubSup":
      return base(element) + below(part(element, "m:sub")) + above(part(element, "m:sup"))
    case "m:sPre":
      return `{}${below(part(element, "m:sub"))}${above(part(element, "m:sup"))}${base(element)}`
    case "m:rad":
      return root(element)
    case "m:nary":
      return large(element)
    case "m:d":
      return delimited(element)
    case "m:func":
      return called(element)
    case "m:limLow":
      return base(element) + below(part(element, "m:lim"))
    case "m:limUpp":
      return base(element) + above(part(element, "m:lim"))
    case "m:m":
      return matrix(element)
    case "m:eqArr":
      return elementsOf(element)
        .filter(({ name }) => name === "m:e")
        .map(inside)
        .join(" \\\\ ")
    default:
      return element.name.endsWith("Pr") ? "" : inside(element)
  }
}

/** Writes a formula (`m:oMath`) as LaTeX without dollar signs; empty when the formula is empty. */
export const latex = (formula: XmlElement): string => oneLine(inside(formula))
