import { Effect } from "effect"
import type { ChatTurn } from "../../domain/chat/Chat.ts"
import type { GroundingMode } from "../../domain/chatbot/GroundingMode.ts"
import type { Unsupported } from "../../domain/chat/Grounding.ts"
import type { CurrentOrganization } from "../../domain/Tenancy.ts"
import type { ModelCost } from "../../domain/organizations/Usage.ts"
import type { Passage } from "../../domain/knowledge/Passage.ts"
import { languageOfReply } from "../../language/Detection.ts"
import { locales } from "../../language/Locales.ts"
import { titleWithSection } from "../../models/PassageForm.ts"
import { searchKnowledgeBase } from "../../models/ToolDeclaration.ts"
import type { Models } from "../../models/Models.ts"
import { bounded, MESSAGE_MAX_LENGTH } from "../../text/BoundedText.ts"
import { type Emit, emitted } from "../AgentEvent.ts"
import type { Instructions } from "../Instructions.ts"
import type { AnswerToReview, Review } from "../Loop.ts"
import { passageJson } from "../tools/SearchTool.ts"
import { type Checked, checkReply, unsupportedOf } from "./Grounding.ts"
import { judge } from "./ClaimJudge.ts"

interface ReviewedChat {
  readonly grounding?: GroundingMode | undefined
  readonly judgeModel?: string | undefined
  readonly history: ReadonlyArray<ChatTurn>
  readonly instructions: Instructions
}

interface ReviewContext {
  readonly models: Models["Service"]
  /** All passages that were found for the reply so far. */
  readonly found: ReadonlyArray<Passage>
  /** Receives what a judge has used. */
  readonly emit: Emit
  /** Whether the answer consists of quotes, which need no review. */
  readonly isQuoted: () => boolean
}

/**
 * Makes the review of a chatbot's answers; undefined where it has none. With `mark`, each answer is accepted; with
 * `strict`, one with unsupported sentences is made again once, and then refused.
 */
export const reviewOf = (
  { grounding = "off", history, instructions, judgeModel }: ReviewedChat,
  { emit, found, isQuoted, models }: ReviewContext,
): ((answer: AnswerToReview) => Effect.Effect<Review, never, CurrentOrganization>) | undefined => {
  if (grounding === "off") return undefined
  const said = [
    instructions.chatbotName,
    instructions.prompt,
    instructions.application ?? "",
    ...history.map(({ content }) => content),
  ]
  const question = bounded(history.at(-1)?.content ?? "", MESSAGE_MAX_LENGTH)
  const onCost = (cost: ModelCost) => emitted(emit, { type: "judged", cost })
  let tries = 0
  return Effect.fnUntraced(function* ({ output, steps }) {
    if (isQuoted() || output.trim() === "") return { type: "accepted", unsupported: [] }
    const passages = found.map((passage) => `# ${titleWithSection(passageJson(passage))}\n\n${passage.content}`)
    const results = steps.flatMap(({ toolResults }) =>
      toolResults.flatMap(({ result, toolName }) =>
        toolName === searchKnowledgeBase.name ? [] : [JSON.stringify(result, null, 1)],
      ),
    )
    const texts = Array.from(new Set([...passages, ...results]))
    const checked = yield* checkReply(output, { texts, said })
    const judged = judgeModel === undefined ? undefined : { models, model: judgeModel, onCost }
    const unsupported = yield* decided(output, checked, judged, [...said, ...texts])
    if (grounding === "mark" || unsupported.length === 0) return { type: "accepted", unsupported }
    if (tries++ === 0) return { type: "again", remark: remarkOn(unsupported) }
    return { type: "refused", text: locales[languageOfReply(question, [bounded(output)])].replies.nothingFound }
  })
}

/** The claims that are not supported: as the judge says of those that words do not support, or as words say alone. */
const decided = Effect.fnUntraced(function* (
  reply: string,
  checked: ReadonlyArray<Checked>,
  judged: Parameters<typeof judge>[0] | undefined,
  texts: ReadonlyArray<string>,
) {
  const doubtful = checked.filter(({ verdict }) => verdict !== undefined)
  const verdicts =
    judged === undefined || doubtful.length === 0
      ? undefined
      : yield* judge(
          judged,
          doubtful.map(({ claim }) => claim.text),
          texts,
        )
  return doubtful.flatMap(({ claim, verdict }, at): ReadonlyArray<Unsupported> => {
    const byWords = verdict === "unsure" ? undefined : verdict
    const isMarked = verdicts?.[at] ?? byWords !== undefined
    return isMarked ? [unsupportedOf(reply, claim, byWords ?? { reason: "judge" })] : []
  })
})

/** The remark with which an answer is made once more. */
const remarkOn = (unsupported: ReadonlyArray<Unsupported>): string =>
  [
    "<remark>",
    "An answer to this message was discarded, because these sentences of it stand in none of your passages:",
    ...unsupported.map(({ detail, sentence }) => `- ${sentence}${detail === undefined ? "" : ` (${detail})`}`),
    "Answer again from the passages alone, without what these sentences claim, and do not mention this remark.",
    "</remark>",
  ].join("\n")
