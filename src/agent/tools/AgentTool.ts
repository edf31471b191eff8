import { type Duration, Effect, type Schema } from "effect"
import type { ToolDeclaration } from "../../models/ToolDeclaration.ts"

export interface ToolSettings {
  /** How long one call may take. */
  readonly callTimeout: Duration.Duration
  /** How many calls of one step run at once. */
  readonly concurrency: number
}

/** What the model is given at once, whatever the settings. */
export interface ToolSizes {
  /** How many calls of one step run at all. */
  readonly callsMax: number
  /** Most passages of one result. */
  readonly passagesMax: number
  /** Longest passage of a result, in UTF-16 code units. */
  readonly passageMaxLength: number
  /** Longest text of all passages of a result together, in UTF-16 code units. */
  readonly resultMaxLength: number
}

export interface ToolLimits extends ToolSettings, ToolSizes {}

export const toolSizes: ToolSizes = {
  callsMax: 16,
  passagesMax: 10,
  passageMaxLength: 4_000,
  resultMaxLength: 16_000,
}

/** What goes back to the model; a failure has `{ error }`. */
export interface ToolOutcome {
  readonly result: Schema.Json
  readonly isFailure: boolean
}

export const failedOutcome = (error: string): ToolOutcome => ({ result: { error }, isFailure: true })

/**
 * A tool that a model may call. `run` decodes the input strictly, as the model made it, keeps its result within the
 * limits and never fails: whatever goes wrong is told to the model, which may do better. The loop interrupts it when it
 * takes too long or when nobody waits for the answer any more.
 */
export interface AgentTool extends ToolDeclaration {
  /** How long one call may take, where that is another time than the limits say. */
  readonly timeout?: Duration.Duration | undefined
  readonly run: (input: unknown) => Effect.Effect<ToolOutcome>
}

/** Runs one call of a model. */
export const runTool = (
  call: { readonly name: string; readonly params: unknown },
  tools: ReadonlyArray<AgentTool>,
  limits: ToolLimits,
): Effect.Effect<ToolOutcome> => {
  const tool = tools.find(({ name }) => name === call.name)
  if (tool === undefined) {
    const names = tools.map(({ name }) => name).join(", ")
    return Effect.succeed(failedOutcome(`There is no tool ${call.name}. Available: ${names}.`))
  }
  return Effect.timeoutOrElse(tool.run(call.params), {
    duration: tool.timeout ?? limits.callTimeout,
    orElse: () => Effect.succeed(failedOutcome("The call took too long.")),
  })
}
