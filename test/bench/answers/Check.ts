import { Effect } from "effect"
import { detect } from "../../../src/domain/knowledge/Formats.ts"
import { readDocument } from "../../lib/Defaults.ts"
import { type Case, isSmallTalk, type Knowledge } from "./Case.ts"
import { holds } from "./Matching.ts"

/** The cases that no reply can be right about, since the text of no document holds their answer. */
export const impossibleCases = Effect.fnUntraced(function* (knowledge: Knowledge) {
  const texts: Array<string> = []
  for (const { content, name } of knowledge.files) {
    const format = detect(name, content, content)
    if (format === undefined) return yield* Effect.die(new Error(`${knowledge.name}: no format for ${name}`))
    texts.push((yield* Effect.promise(() => readDocument({ format, name, bytes: content }))).text)
  }
  const isPresent = (answer: string) => texts.some((text) => holds(text, answer))
  return knowledge.cases.flatMap((asked): ReadonlyArray<readonly [Case, string]> => {
    if (isSmallTalk(asked.kind) || asked.kind === "about" || asked.absent) return []
    const missing = asked.all.filter((item) => !isPresent(item))
    if (missing.length > 0) return [[asked, `missing: ${missing.join(" | ")}`]]
    if (asked.answers.length === 0 || asked.answers.some(isPresent)) return []
    return [[asked, `missing: ${asked.answers.join(" | ")}`]]
  })
})
