import { Effect, Schema } from "effect"
import type { Unavailable } from "../../domain/Errors.ts"
import { type DocumentTitles, listDocuments } from "../../models/ToolDeclaration.ts"
import { cut } from "../../text/Cut.ts"
import { type AgentTool, failedOutcome, type ToolOutcome } from "./AgentTool.ts"

/** Lists the documents of one chatbot that a search looks through. */
export type ListDocuments = Effect.Effect<DocumentTitles, Unavailable>

/** The longest title in a result, in UTF-16 code units. */
const TITLE_MAX_LENGTH = 200

const decodeInput = Schema.decodeUnknownEffect(Schema.Struct({}), { onExcessProperty: "error" })

/** The tool by which a model learns what documents its chatbot has. */
export const listTool = (documents: ListDocuments): AgentTool => ({
  ...listDocuments,
  run: (input) =>
    decodeInput(input).pipe(
      Effect.andThen(documents),
      Effect.map(({ titles, total }): ToolOutcome => ({
        result: { total, titles: titles.map((title) => cut(title, TITLE_MAX_LENGTH)) },
        isFailure: false,
      })),
      Effect.catchTags({
        SchemaError: (error) => Effect.succeed(failedOutcome(`Invalid input: ${error.message}`)),
        Unavailable: () => Effect.succeed(failedOutcome("The documents cannot be listed at the moment.")),
      }),
    ),
})
