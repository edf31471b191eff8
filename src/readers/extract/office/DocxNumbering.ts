import { type ParagraphKind, valueOf } from "./DocxStyles.ts"
import { childrenOf, descend, type XmlElement } from "./Xml.ts"

interface Level {
  readonly start: number
  readonly isBullet: boolean
  /** The template of the marker, such as `%1.%2.`, in which `%1` is the count of the first level. */
  readonly text: string
  readonly isLetter: boolean
}

const levelOf = (element: XmlElement): Level => {
  const format = valueOf(element, "w:numFmt") ?? "decimal"
  const text = valueOf(element, "w:lvlText") ?? ""
  return {
    start: Number(valueOf(element, "w:start") ?? 1) || 0,
    isBullet: format === "bullet" || format === "none" || !text.includes("%"),
    text,
    isLetter: /letter$/i.test(format),
  }
}

const numeral = (count: number, isLetter: boolean): string =>
  isLetter && count >= 1 && count <= 26 ? String.fromCharCode(96 + count) : String(count)

/** Counts the items of a document's lists. */
export class DocxNumbering {
  private readonly levels = new Map<string, ReadonlyMap<number, Level>>()
  private readonly listOf = new Map<string, string>()
  /** The count of each level, by list. Uses of one list share the array. */
  private readonly counts = new Map<string, Array<number | undefined>>()

  constructor(numbering: XmlElement | undefined) {
    for (const list of childrenOf(numbering, "w:abstractNum")) {
      const levels = childrenOf(list, "w:lvl").map(
        (level) => [Number(level.attributes["w:ilvl"] ?? 0), levelOf(level)] as const,
      )
      this.levels.set(list.attributes["w:abstractNumId"] ?? "", new Map(levels))
    }
    for (const use of childrenOf(numbering, "w:num")) {
      const id = use.attributes["w:numId"] ?? ""
      const list = valueOf(use, "w:abstractNumId") ?? ""
      // Uses of one list continue its counts, unless they override the start.
      const restarts = childrenOf(use, "w:lvlOverride").some((level) => descend(level, "w:startOverride") !== undefined)
      this.listOf.set(id, list)
      this.counts.set(id, restarts ? [] : (this.counts.get(`list ${list}`) ?? this.share(list)))
    }
  }

  private share(list: string): Array<number | undefined> {
    const counts: Array<number | undefined> = []
    this.counts.set(`list ${list}`, counts)
    return counts
  }

  /** Counts an item and returns its Markdown marker, such as `-` or `2.1.`; `undefined` for an undeclared list. */
  next({ id, level }: NonNullable<ParagraphKind["list"]>): string | undefined {
    const levels = this.levels.get(this.listOf.get(id) ?? "")
    const counts = this.counts.get(id)
    const own = levels?.get(level)
    if (levels === undefined || counts === undefined || own === undefined) return undefined
    counts.length = Math.max(counts.length, level + 1)
    counts[level] = (counts[level] ?? own.start - 1) + 1
    counts.length = level + 1
    if (own.isBullet) return "-"
    const label = own.text.replace(/%(\d)/g, (_, digit: string) => {
      const above = Number(digit) - 1
      const { start, isLetter } = levels.get(above) ?? { start: 1, isLetter: false }
      return numeral(counts[above] ?? start, isLetter)
    })
    return label.trim().replace(/[^.)]$/, "$&.")
  }
}
