import { Duration, Effect } from "effect"
import { Prompt } from "effect/ai"
import { OrganizationId } from "../../domain/Ids.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { explanationOf, sentencesOf } from "../../models/Explanations.ts"
import { extractiveModel } from "../../domain/chatbot/Chatbot.ts"
import type { ModelCalls } from "../../models/ModelCalls.ts"
import { Models } from "../../models/Models.ts"
import { searchKnowledgeBase } from "../../models/ToolDeclaration.ts"
import { Inspection, type ModelInUse } from "../../storage/inspection/Inspection.ts"
import { note, ok, wrong } from "./Findings.ts"

/** The most models that are asked: those of most chatbots. */
const ASKED_MAX = 10
/** Time for a model to answer. One that has to be loaded first may need more. */
const ANSWER_TIMEOUT = Duration.seconds(20)
/** The most tokens of an answer, with what a model thinks before. */
const OUTPUT_TOKENS_MAX = 2_000
/** Stands for those who have connected nothing. */
const NOBODY = OrganizationId.make("00000000-0000-0000-0000-000000000000")

const prompt = Prompt.fromMessages([
  Prompt.systemMessage({ content: "Answer in one word." }),
  Prompt.userMessage({ content: [Prompt.textPart({ text: "Is anybody there?" })] }),
])

/** Asks a model one short question, with the search unless its server refuses tools, and returns what that refuses. */
const refusedBy = Effect.fnUntraced(function* ({ answer, traits }: ModelCalls) {
  const ask = (takesTools: boolean) =>
    answer(
      {
        prompt,
        tools: takesTools ? [searchKnowledgeBase] : [],
        toolChoice: takesTools ? "auto" : "none",
        bounds: { max_output_tokens: OUTPUT_TOKENS_MAX },
      },
      () => undefined,
    )
  const known = traits && (yield* traits.known)
  yield* Effect.catch(ask(known?.takesTools !== false), (failure) =>
    failure.kind === "tools-refused"
      ? Effect.andThen(ask(false), traits?.learn({ takesTools: false }) ?? Effect.void)
      : Effect.fail(failure),
  )
  return traits === undefined ? [] : yield* traits.refused
})

/** Asks a model, unless its provider, which was asked before, has failed. */
const checkOf = (failed: ReadonlyArray<string>) =>
  Effect.fnUntraced(function* ({ connectedBy, model, organization }: ModelInUse) {
    const models = yield* Models
    const name = connectedBy === null ? model : `${model}, connected by ${connectedBy},`
    // A model other than that of new chatbots is the fault of those who have chosen it.
    const fault = connectedBy === null && model === models.defaultModel ? wrong : note
    const asked = Effect.gen(function* () {
      const { calls, provider } = yield* models.get(model)
      if (connectedBy === null && failed.includes(provider)) return []
      const parts = (yield* refusedBy(calls)).map(
        ({ instead, what }) => `; its server refuses ${what[0]?.toLowerCase()}${what.slice(1)}: Parley ${instead}`,
      )
      return [ok("models", `${name} answers${parts.join("")}`)]
    })
    return yield* asked.pipe(
      Effect.timeoutOrElse({
        duration: ANSWER_TIMEOUT,
        orElse: () =>
          Effect.succeed([note("models", `${name} has not answered within ${Duration.format(ANSWER_TIMEOUT)}`)]),
      }),
      Effect.catchTags({
        ModelUnavailable: ({ detail }) => Effect.succeed([fault("models", detail)]),
        ProviderFailure: (failure) =>
          Effect.succeed([fault("models", `${name} does not answer. ${sentencesOf(explanationOf(failure))}`)]),
      }),
      Effect.provideService(CurrentOrganization, organization),
    )
  })

/** Asks the model of new chatbots and those that chatbots have, except those of providers that have failed. */
export const modelsInUseCheck = Effect.fnUntraced(function* (failed: ReadonlyArray<string>) {
  const { defaultModel } = yield* Models
  const used = yield* (yield* Inspection).modelsInUse(ASKED_MAX)
  const isListed = used.some(({ connectedBy, model }) => connectedBy === null && model === defaultModel)
  const first = { model: defaultModel, organization: NOBODY, connectedBy: null }
  const all = isListed || defaultModel === extractiveModel ? used : [first, ...used]
  return (yield* Effect.forEach(all, checkOf(failed), { concurrency: "unbounded" })).flat()
})
