import { Effect, Schema } from "effect"
import type { HandoverReason } from "../../domain/inbox/Handover.ts"
import { HumanRequest, requestHuman } from "../../models/ToolDeclaration.ts"
import { type AgentTool, failedOutcome, type ToolOutcome } from "./AgentTool.ts"

/** Hears that the model has asked for a person. The conversation is handed over with the reply. */
export type OnHumanRequested = (reason: HandoverReason) => void

const decodeInput = Schema.decodeUnknownEffect(HumanRequest, { onExcessProperty: "error" })

const accepted: ToolOutcome = { result: { handed_over: true }, isFailure: false }

/** The tool by which a model asks for a person. `local/extractive` says by its reason that it has found nothing. */
export const requestHumanTool = (onRequested: OnHumanRequested): AgentTool => ({
  ...requestHuman,
  run: (input) =>
    decodeInput(input).pipe(
      Effect.map(({ reason }) => {
        onRequested(reason === "not_found" ? reason : "tool")
        return accepted
      }),
      Effect.catchTag("SchemaError", (error) => Effect.succeed(failedOutcome(`Invalid input: ${error.message}`))),
    ),
})
