import type { Omitted } from "../Extraction.ts"
import { markdownTable } from "../Table.ts"
import { oneLine } from "../Text.ts"
import type { OfficePackage } from "./OfficePackage.ts"
import { allOf, childOf, childrenOf, descend, elementsOf, textOf, type XmlElement } from "./Xml.ts"

/** A chart with more points per series is written as its title only, because it shows a curve and not its numbers. */
const MAX_POINTS = 200

/** The values with which a chart was last drawn, by their index. */
const cachedValues = (element: XmlElement | undefined): ReadonlyMap<number, string> =>
  new Map(
    allOf(element, "c:pt").map((point) => [Number(point.attributes["idx"]), textOf(childOf(point, "c:v"))] as const),
  )

const first = (values: ReadonlyMap<number, string>): string => values.values().next().value ?? ""

const titleOf = (chart: XmlElement): string =>
  allOf(descend(chart, "c:chart", "c:title"), "a:t")
    .map(textOf)
    .join("")
    .trim()

/** The kind of a chart, such as `Bar chart`. */
const kindOf = (chart: XmlElement): string => {
  const plots = elementsOf(descend(chart, "c:chart", "c:plotArea"))
  const kind = plots.map(({ name }) => /^c:([a-z]+)(?:3D)?Chart$/.exec(name)?.[1]).find((found) => found !== undefined)
  return kind === undefined ? "Chart" : `${kind.slice(0, 1).toUpperCase()}${kind.slice(1)} chart`
}

/** Writes a chart as its title and a table with one column per series. */
const write = (root: XmlElement, omitted: Omitted): ReadonlyArray<string> => {
  const title = titleOf(root)
  const series = allOf(descend(root, "c:chart", "c:plotArea"), "c:ser")
  const columns = series.map((each) => ({
    name: first(cachedValues(childOf(each, "c:tx"))) || textOf(descend(each, "c:tx", "c:v")),
    categories: cachedValues(childOf(each, "c:cat") ?? childOf(each, "c:xVal")),
    values: cachedValues(childOf(each, "c:val") ?? childOf(each, "c:yVal")),
  }))
  const points = Math.max(0, ...columns.map(({ values }) => Math.max(-1, ...values.keys()) + 1))
  const blocks = [title === "" ? kindOf(root) : `${kindOf(root)}: ${title}`]
  if (points === 0 || points > MAX_POINTS) {
    omitted.add("charts", title)
    return blocks
  }
  const rows = Array.from({ length: points }, (_, index) => [
    columns[0]?.categories.get(index) ?? "",
    ...columns.map(({ values }) => values.get(index) ?? ""),
  ])
  return [...blocks, markdownTable([["", ...columns.map(({ name }) => name)], ...rows])]
}

/** The charts in a drawing, as Markdown blocks. `path` is the part of the package that contains the drawing. */
export const chartsIn = (office: OfficePackage, path: string, drawing: XmlElement): ReadonlyArray<string> => {
  // Newer kinds, such as waterfalls, have a format of their own.
  office.omitted.add("charts", "", allOf(drawing, "cx:chart").length)
  return allOf(drawing, "c:chart").flatMap(({ attributes }) => {
    const target = office.target(path, attributes["r:id"])
    const root = target === undefined ? undefined : office.part(target)
    return root === undefined ? [] : write(root, office.omitted)
  })
}

/** The text of the diagrams in a drawing, as lists. `path` is the part of the package that contains the drawing. */
export const diagramsIn = (office: OfficePackage, path: string, drawing: XmlElement): ReadonlyArray<string> =>
  allOf(drawing, "dgm:relIds").flatMap(({ attributes }) => {
    const target = office.target(path, attributes["r:dm"])
    const points = target === undefined ? [] : allOf(office.part(target), "dgm:pt")
    const texts = points.map((point) => allOf(childOf(point, "dgm:t"), "a:t").map(textOf).join("").trim())
    const items = texts.filter((text) => text !== "")
    return items.length === 0 ? [] : [items.map((text) => `- ${text}`).join("\n")]
  })

/** The alternative text of a picture, from the properties of its drawing; empty when it is a file's name. */
export const alternativeText = (properties: XmlElement | undefined): string => {
  const text = oneLine(properties?.attributes["descr"] ?? "")
  // Programs fill in the name of the file.
  return /\.(?:png|jpe?g|gif|bmp|emf|wmf|svg|tiff?)$/i.test(text) ? "" : text
}

/** Whether a picture says nothing to those who do not see it, as its author has marked it. */
export const isDecorative = (properties: XmlElement | undefined): boolean =>
  properties !== undefined && allOf(properties, "adec:decorative").some(({ attributes }) => isOn(attributes["val"]))

/** The rows of a table in DrawingML (`a:tbl`), with the text of each cell. */
export const drawingTableRows = (
  table: XmlElement,
  cellText: (cell: XmlElement) => string,
): ReadonlyArray<ReadonlyArray<string>> => {
  let above: ReadonlyArray<string> = []
  return childrenOf(table, "a:tr").map((row) => {
    const cells: Array<string> = []
    for (const [column, cell] of childrenOf(row, "a:tc").entries()) {
      // The file has all cells of a merged area, but only the first has the text, which is repeated in all of them.
      const { hMerge, vMerge } = cell.attributes
      const merged = isOn(hMerge) ? cells.at(-1) : isOn(vMerge) ? above[column] : undefined
      cells.push(merged ?? cellText(cell))
    }
    above = cells
    return cells
  })
}

const isOn = (value: string | undefined) => value === "1" || value === "true"
