import { readFileSync } from "node:fs"
import { join } from "node:path"

/*
 * Made replies of a model: paraphrases of documents, and the same with something planted that no document says. The files
 * `replies/*.txt` have documents (`#`), questions (`?`), true replies (`=`), and what is planted in them (`!`).
 */

export type PlantedKind = "number" | "name" | "negation" | "invented"

export interface MadeReply {
  readonly language: string
  readonly half: "dev" | "held"
  readonly question: string
  /** The passages that the model was given, of which the first ones are about the question. */
  readonly passages: ReadonlyArray<string>
  readonly text: string
  readonly kind: PlantedKind | "true"
  /** What was planted; empty in a true reply. */
  readonly planted: string
}

export const LANGUAGES = ["en", "de", "ar", "zh"]
/** Passages beside the one that holds the answer, as a search finds them. */
const OTHERS = 7

interface Page {
  readonly half: "dev" | "held"
  readonly text: string
}

const xquad = (language: string): ReadonlyMap<string, string> => {
  const file = join(import.meta.dir, "../../../../shared/data/xquad", language, "corpus.jsonl")
  const real =
    process.env["PARLEY_DATA"] === undefined
      ? file
      : join(process.env["PARLEY_DATA"], "xquad", language, "corpus.jsonl")
  return new Map(
    readFileSync(real, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as { readonly id: string; readonly text: string })
      .map(({ id, text }) => [id, text]),
  )
}

export const madeReplies = (language: string): ReadonlyArray<MadeReply> => {
  const paragraphs = xquad(language)
  const fillers = Array.from(paragraphs.values()).filter((text) => text.length < 1_500)
  const lines = readFileSync(join(import.meta.dir, "replies", `${language}.txt`), "utf8").split("\n")
  const pages: Array<Page> = []
  const asked: Array<{ page: number; question: string; text: string; kind: PlantedKind; from: string; to: string }> = []
  let title = ""
  let question = ""
  let reply = ""
  for (const line of lines) {
    const rest = line.slice(2)
    if (line.startsWith("# ")) {
      const [half = "dev", ...words] = rest.split(" ")
      title = words.join(" ")
      const paragraph = title.startsWith("xquad ") ? paragraphs.get(title.slice(6)) : undefined
      pages.push({ half: half === "held" ? "held" : "dev", text: paragraph ?? `# ${title}\n` })
    } else if (line.startsWith("? ")) question = rest
    else if (line.startsWith("= ")) reply = rest.replaceAll("\\n", "\n")
    else if (line.startsWith("! ")) {
      const [, kind = "", from = "", to = ""] = /^(\w+) \| (.*) => (.*)$/.exec(rest) ?? []
      if (!reply.includes(from)) throw new Error(`${language}: ${from} is not in ${reply}`)
      asked.push({ page: pages.length - 1, question, text: reply, kind: kind as PlantedKind, from, to })
    } else if (line !== "") {
      const last = pages.at(-1)
      if (last !== undefined) pages[pages.length - 1] = { ...last, text: `${last.text}\n${line}` }
    }
  }
  return asked.flatMap(({ from, kind, page, question, text, to }, at) => {
    const half = pages[page]?.half ?? "dev"
    const others = pages.filter((each, index) => index !== page && each.half === half).map(({ text }) => text)
    const filler = Array.from({ length: OTHERS }, (_, n) => fillers[(at * 31 + n * 17) % fillers.length] ?? "")
    const passages = [pages[page]?.text ?? "", ...others.slice(0, 3), ...filler].slice(0, OTHERS + 1)
    const base = { language, half, question, passages } as const
    return [
      { ...base, text, kind: "true" as const, planted: "" },
      { ...base, text: text.replace(from, () => to), kind, planted: to },
    ]
  })
}
