import { Effect, Schema } from "effect"
import { HumanRequest, requestHuman } from "../../models/ToolDeclaration.ts"
import { type Emit, emitted } from "../AgentEvent.ts"
import { type AgentTool, failedOutcome, type ToolOutcome } from "./AgentTool.ts"

const decodeInput = Schema.decodeUnknownEffect(HumanRequest, { onExcessProperty: "error" })

const accepted: ToolOutcome = { result: { handed_over: true }, isFailure: false }

/** The tool by which a model asks for a person. `local/extractive` says by its reason that it has found nothing. */
export const requestHumanTool = (emit: Emit): AgentTool => ({
  ...requestHuman,
  run: (input) =>
    decodeInput(input).pipe(
      Effect.flatMap(({ reason }) =>
        Effect.as(
          emitted(emit, { type: "human-requested", reason: reason === "not_found" ? reason : "tool" }),
          accepted,
        ),
      ),
      Effect.catchTag("SchemaError", (error) => Effect.succeed(failedOutcome(`Invalid input: ${error.message}`))),
    ),
})
