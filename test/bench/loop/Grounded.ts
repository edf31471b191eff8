import { readFileSync } from "node:fs"
import { join } from "node:path"

/*
 * Short replies over passages: true ones, and ones with one fault. The files `grounded/*.txt` have pages (`# dev` or
 * `# held`), their questions (`?`), true replies (`+ kind | text`) and false ones (`- kind | text`). Rules are made on the
 * pages `dev` alone; the others measure them.
 */

export interface Grounded {
  readonly language: string
  readonly half: "dev" | "held"
  readonly question: string
  /** The passages that the model was given: the page itself first, and all others of its language. */
  readonly passages: ReadonlyArray<string>
  readonly text: string
  readonly kind: string
  readonly isTrue: boolean
}

export const GROUNDED_LANGUAGES = ["en", "de", "fr", "es", "ru", "ar", "zh", "ja"]

export const groundedReplies = (language: string): ReadonlyArray<Grounded> => {
  const source = readFileSync(join(import.meta.dir, "grounded", `${language}.txt`), "utf8")
  const pages = source.split(/^# (?=(?:dev|held)$)/m).slice(1)
  const contents = pages.map((page) => page.replace(/^\w+\n/, "").split("\n? ")[0] ?? "")
  return pages.flatMap((page, at) => {
    const passages = [contents[at] ?? "", ...contents.filter((_, other) => other !== at)]
    const question = /^\? (.*)$/m.exec(page)?.[1] ?? ""
    return Array.from(page.matchAll(/^([+-]) (\w+) \| (.*)$/gm), ([, sign, kind = "", text = ""]) => ({
      language,
      half: page.startsWith("dev") ? ("dev" as const) : ("held" as const),
      question,
      passages,
      text: text.replaceAll("\\n", "\n"),
      kind,
      isTrue: sign === "+",
    }))
  })
}
