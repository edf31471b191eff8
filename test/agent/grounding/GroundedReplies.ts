import { readFileSync } from "node:fs"
import { join } from "node:path"

/*
 * Short replies over passages: true ones, and ones with one fault. The files `replies/*.txt` have pages (`# dev` or
 * `# held`), their questions (`?`), true replies (`+ kind | text`) and false ones (`- kind | text`). Rules are made on the
 * pages `dev` alone.
 */

export interface Grounded {
  readonly question: string
  /** The passages that the model was given: the page itself first, and all others of its language. */
  readonly passages: ReadonlyArray<string>
  readonly text: string
  readonly isTrue: boolean
}

const LANGUAGES = ["en", "de", "fr", "es", "ru", "ar", "zh", "ja"]

const repliesIn = (language: string): ReadonlyArray<Grounded> => {
  const source = readFileSync(join(import.meta.dir, "replies", `${language}.txt`), "utf8")
  const pages = source.split(/^# (?=(?:dev|held)$)/m).slice(1)
  const contents = pages.map((page) => page.replace(/^\w+\n/, "").split("\n? ")[0] ?? "")
  return pages.flatMap((page, at) => {
    const passages = [contents[at] ?? "", ...contents.filter((_, other) => other !== at)]
    const question = /^\? (.*)$/m.exec(page)?.[1] ?? ""
    return Array.from(page.matchAll(/^([+-]) \w+ \| (.*)$/gm), ([, sign, text = ""]) => ({
      question,
      passages,
      text: text.replaceAll("\\n", "\n"),
      isTrue: sign === "+",
    }))
  })
}

export const groundedReplies: ReadonlyArray<Grounded> = LANGUAGES.flatMap(repliesIn)
