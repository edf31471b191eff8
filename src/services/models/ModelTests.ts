import { Effect, Option, Result } from "effect"
import * as Prompt from "effect/ai/Prompt"
import { Agent } from "../../agent/Agent.ts"
import type { AgentEvent } from "../../agent/AgentEvent.ts"
import type { Occurrence } from "../../domain/Failure.ts"
import type { Passage } from "../../domain/knowledge/Passage.ts"
import type { ModelTest } from "../../domain/models/ModelConnection.ts"
import { Service } from "../../domain/Service.ts"
import { sentencesOf } from "../../models/Explanations.ts"
import type { ModelCalls } from "../../models/ModelCalls.ts"
import { Models } from "../../models/Models.ts"
import { currentMonotonicMillis } from "../../system/Monotonic.ts"

/** What the model has to find, since it cannot know it. */
const passage: Passage = {
  documentId: "00000000-0000-0000-0000-000000000000",
  title: "Timetable",
  chunk: 1,
  page: null,
  content: "The ferry to Marken sails at 9:40 from pier 3. It takes bicycles.",
  similarity: 0.9,
}
const QUESTION = "When does the ferry to Marken sail, and from which pier? Answer in two sentences."

/** A red square of 16 by 16 pixels. */
const PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAF0lEQVR42mP8z8BACiBJ8aiGUQ1DSAMAdOgCHlxLrGQAAAAASUVORK5CYII="

/** The most tokens of the answers, with what a model thinks before. */
const OUTPUT_TOKENS_MAX = 2_000

/** Tries models as chats use them. Their tokens count for no chatbot. */
export class ModelTests extends Service<ModelTests>()("parley/services/models/ModelTests", function* () {
  const agent = yield* Agent
  const models = yield* Models

  /** Whether a model takes images: where its server refuses one, calls are made again without it. */
  const takesImages = Effect.fnUntraced(function* (calls: ModelCalls) {
    let body = ""
    yield* calls.answer(
      {
        prompt: Prompt.fromMessages([
          Prompt.userMessage({
            content: [
              Prompt.textPart({ text: "Which colour is this? Answer with one word." }),
              Prompt.filePart({ mediaType: "image/png", fileName: "colour.png", data: PICTURE }),
            ],
          }),
        ]),
        tools: [],
        toolChoice: "none",
        isWhole: true,
        isBodyKept: true,
        bounds: { max_output_tokens: OUTPUT_TOKENS_MAX },
      },
      (parts) => {
        for (const part of parts) if (part.type === "response-metadata") body = part.metadata?.parley?.body ?? body
      },
    )
    return body.includes(PICTURE) ? ("accepted" as const) : ("refused" as const)
  })

  return {
    /** Asks a model a question that needs a search, and shows it an image. */
    run: Effect.fn("ModelTests.run")(function* (model: string) {
      const begin = yield* currentMonotonicMillis
      let pieces = 0
      let firstWord: number | null = null
      const emit = (event: AgentEvent) =>
        event.type !== "text-delta"
          ? undefined
          : Effect.map(currentMonotonicMillis, (now) => {
              pieces += 1
              firstWord ??= now - begin
            })
      const asked = yield* Effect.result(
        agent.reply({
          model,
          instructions: {
            chatbotName: "Test",
            prompt: "Search the documents before you answer.",
            personality: { tone: "friendly", style: "concise" },
            application: "",
          },
          toolsEnabled: true,
          history: [{ role: "user", content: QUESTION }],
          search: () => Effect.succeed([passage]),
          emit,
          isStreamed: true,
          bounds: { max_output_tokens: OUTPUT_TOKENS_MAX },
          explainsFailures: true,
        }),
      )
      const total_ms = (yield* currentMonotonicMillis) - begin
      const none = { model, streams: false, first_word_ms: firstWord, total_ms }
      if (Result.isFailure(asked)) {
        const { detail, explanation }: Occurrence = asked.failure
        const failure = explanation === undefined ? detail : sentencesOf(explanation)
        return {
          ...none,
          answer: null,
          failure,
          tools: "unknown",
          images: "unknown",
          notes: [],
        } satisfies ModelTest
      }
      const { output, steps, toolCalls } = asked.success
      // Somebody may have deleted its connection meanwhile.
      const calls = Option.getOrUndefined(yield* Effect.option(models.get(model)))?.calls
      const known = calls?.traits && (yield* calls.traits.known)
      const images =
        calls === undefined ? "unknown" : yield* Effect.orElseSucceed(takesImages(calls), () => "unknown" as const)
      const notes = new Set(
        steps.flatMap(({ warnings }) =>
          (warnings ?? []).flatMap((warning) => (warning.type === "other" ? [warning.message] : [])),
        ),
      )
      return {
        ...none,
        answer: output,
        // Of a server nearby, all pieces may come together.
        streams:
          pieces > 1 || steps.some(({ response }) => /event-stream/.test(response.headers?.["content-type"] ?? "")),
        failure: null,
        tools: toolCalls.length > 0 ? "called" : known?.takesTools === false ? "refused" : "not_called",
        images,
        notes: Array.from(notes),
      } satisfies ModelTest
    }),
  }
}) {}
