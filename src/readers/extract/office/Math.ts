import { oneLine } from "../Text.ts"
import { childOf, elementsOf, textOf, type XmlElement } from "./Xml.ts"

/*
 * The structure of Office's mathematics (ECMA-376 part 1, 22.1) as LaTeX, which people search for and language models
 * read. Signs such as ∑ and π stay as they are.
 */

const inside = (element: XmlElement | undefined): string => elementsOf(element).map(latexOf).join("").trim()

const part = (element: XmlElement, name: string): string => inside(childOf(element, name))

const property = (element: XmlElement, group: string, name: string): string | undefined =>
  childOf(childOf(element, group), name)?.attributes["m:val"]

/** The parts of a list of expressions or rows. */
const partsOf = (element: XmlElement, name: string): ReadonlyArray<string> =>
  elementsOf(element)
    .filter((child) => child.name === name)
    .map(inside)

/** An expression with its scripts. A fraction is put in braces, so that the scripts belong to all of it. */
const scripted = (base: string, below: string, above: string): string =>
  (base.startsWith("\\frac") ? `{${base}}` : base) +
  (below === "" ? "" : `_{${below}}`) +
  (above === "" ? "" : `^{${above}}`)

const latexOf = (element: XmlElement): string => {
  const inner = () => part(element, "m:e")
  switch (element.name) {
    case "m:t":
      return textOf(element)
    case "m:f":
      return `\\frac{${part(element, "m:num")}}{${part(element, "m:den")}}`
    case "m:sSup":
    case "m:sSub":
    case "m:sSubSup":
      return scripted(inner(), part(element, "m:sub"), part(element, "m:sup"))
    case "m:limLow":
      return scripted(inner(), part(element, "m:lim"), "")
    case "m:limUpp":
      return scripted(inner(), "", part(element, "m:lim"))
    case "m:rad": {
      const degree = part(element, "m:deg")
      return `\\sqrt${degree === "" ? "" : `[${degree}]`}{${inner()}}`
    }
    case "m:nary": {
      const sign = property(element, "m:naryPr", "m:chr") ?? "∫"
      return `${scripted(sign, part(element, "m:sub"), part(element, "m:sup"))}{${inner()}}`
    }
    case "m:d": {
      const [open, close] = [property(element, "m:dPr", "m:begChr"), property(element, "m:dPr", "m:endChr")]
      return `${open ?? "("}${partsOf(element, "m:e").join("|")}${close ?? ")"}`
    }
    case "m:func":
      return `${part(element, "m:fName")}(${inner()})`
    case "m:mr":
      return `${partsOf(element, "m:e").join(" & ")} \\\\ `
    case "m:eqArr":
      return partsOf(element, "m:e").join(" \\\\ ")
    default:
      return element.name.endsWith("Pr") ? "" : inside(element)
  }
}

/** Writes a formula (`m:oMath`) as LaTeX without dollar signs; empty when the formula is empty. */
export const latex = (formula: XmlElement): string => oneLine(inside(formula))
