import { Duration, Effect, Exit, type Schema } from "effect"
import { listDocuments, requestHuman, searchKnowledgeBase, type ToolDeclaration } from "../../models/ToolDeclaration.ts"
import { attributes, genAi, operations } from "../../observability/Attributes.ts"
import { atBorder, outcomeOf } from "../../observability/Border.ts"
import { tool as metrics } from "../../observability/Metrics.ts"

/** The limits of tool calls and results that are constants of the server. */
export interface ToolSizes {
  /** Longest time that one call may take, unless the tool has a time of its own. */
  readonly callTimeout: Duration.Duration
  /** Calls of one step that run at once. */
  readonly concurrency: number
  /** The most calls of one step that run; the others fail. */
  readonly callsMax: number
  /** The most passages of one search result. */
  readonly passagesMax: number
  /** The longest passage of a result, in UTF-16 code units. */
  readonly passageMaxLength: number
  /** The longest result: all passages of a search together, or the answer of an endpoint, in UTF-16 code units. */
  readonly resultMaxLength: number
}

export const toolSizes: ToolSizes = {
  callTimeout: Duration.seconds(10),
  concurrency: 4,
  callsMax: 16,
  passagesMax: 10,
  passageMaxLength: 4_000,
  resultMaxLength: 16_000,
}

/** The outcome of one call. `result` goes back to the model; that of a failure is `{ error }`. */
export interface ToolOutcome {
  readonly result: Schema.Json
  readonly isFailure: boolean
}

export const failedOutcome = (error: string): ToolOutcome => ({ result: { error }, isFailure: true })

/**
 * A tool that a model may call. `run` decodes the model's input strictly, keeps its result within the limits and never
 * fails: a failure is an outcome, to which the model can react. The loop interrupts it when it takes too long or when
 * the reply is cancelled.
 */
export interface AgentTool extends ToolDeclaration {
  /** The longest time that one call may take, instead of `callTimeout`. */
  readonly timeout?: Duration.Duration | undefined
  readonly run: (input: unknown) => Effect.Effect<ToolOutcome>
}

/** Runs one call of a model by the tool that it names. */
export const runTool = (
  call: { readonly name: string; readonly params: unknown },
  tools: ReadonlyArray<AgentTool>,
  limits: ToolSizes,
): Effect.Effect<ToolOutcome> => {
  const tool = tools.find(({ name }) => name === call.name)
  if (tool === undefined) {
    const names = tools.map(({ name }) => name).join(", ")
    return Effect.succeed(failedOutcome(`There is no tool ${call.name}. Available: ${names}.`))
  }
  const outcome = Effect.timeoutOrElse(tool.run(call.params), {
    duration: tool.timeout ?? limits.callTimeout,
    orElse: () => Effect.succeed(failedOutcome("The call took too long.")),
  })
  const kind = kindOf(tool)
  return atBorder(outcome, {
    span: `${operations.tool} ${kind}`,
    timing: "tools",
    attributes: () => ({ [genAi.operation]: operations.tool, [attributes.toolKind]: kind }),
    measure: (seconds, exit) => {
      const isFailure = Exit.isSuccess(exit) && exit.value.isFailure
      metrics.seconds(kind, isFailure ? "failed" : outcomeOf(exit)).observe(seconds)
    },
  })
}

/** Kind of a tool in spans and metrics for the operator. The names of tools are their owners'. */
const kindOf = ({ name }: AgentTool): string => kinds.get(name) ?? "http"

const kinds: ReadonlyMap<string, string> = new Map([
  [searchKnowledgeBase.name, "search"],
  [listDocuments.name, "list"],
  [requestHuman.name, "human"],
])
