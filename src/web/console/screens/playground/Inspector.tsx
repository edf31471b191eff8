import { Bot, Search, Wrench } from "lucide"
import { formatCount, formatMillis, plural } from "../../../shared/Format.ts"
import { Icon } from "../../../shared/Icon.tsx"
import { Badge } from "../../parts/Layout.tsx"
import { Json } from "../../parts/Json.tsx"
import type { Exchange } from "./Exchange.ts"
import { briefly, Passages, passagesIn, SEARCH_TOOL } from "./Passages.tsx"
import { promptParts } from "./Prompt.ts"
import {
  isGoingOn,
  type Row,
  rowsOf,
  spanOf,
  type StepFacts,
  tokensOf,
  type ToolRun,
  type Trace,
  type TracedStep,
} from "./Trace.ts"

interface InspectorProps {
  readonly chatbotId: string
  readonly exchange: Exchange
}

const finishWords: Readonly<Record<string, string>> = {
  stop: "Complete",
  length: "Cut off by its length",
  "content-filter": "Refused by the model",
  "tool-calls": "Calls tools",
  error: "Failed",
}

/** The steps of a reply with their times, and with the texts that were sent and found. */
export const Inspector = ({ chatbotId, exchange }: InspectorProps) => {
  const trace = exchange.trace.value
  const now = exchange.elapsed.value
  const rows = rowsOf(trace, now)
  const span = spanOf(trace, now)
  const tokens = tokensOf(trace)
  const firstText = trace.steps.find(({ text }) => text !== "")?.begun
  const facts = [
    { name: "Time", value: formatMillis(span) },
    ...(firstText === undefined ? [] : [{ name: "First text", value: formatMillis(firstText) }]),
    { name: "Calls of the model", value: formatCount(trace.steps.filter((step) => step.isModelCall).length) },
    { name: "Tokens in", value: formatCount(tokens.input) },
    ...(tokens.cached === 0 ? [] : [{ name: "From the cache", value: formatCount(tokens.cached) }]),
    { name: "Tokens out", value: formatCount(tokens.output) },
  ]
  return (
    <section class="section stack" aria-label="How the reply came about">
      <dl class="facts">
        {facts.map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {rows.length === 0 ? (
        <p class="soft">{withoutSteps(trace)}</p>
      ) : (
        <ol class="waterfall rows">
          {rows.map((row) => (
            <li key={row.key} class={row.what.kind}>
              <WaterfallRow row={row} span={span} chatbotId={chatbotId} />
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}

const withoutSteps = (trace: Trace): string => {
  if (isGoingOn(trace)) return "Waiting for the model …"
  return trace.state === "finished" ? "The server answered without a model." : "No model was called."
}

interface RowProps {
  readonly row: Row
  readonly span: number
  readonly chatbotId: string
}

const WaterfallRow = ({ chatbotId, row, span }: RowProps) => {
  const { end, start, what } = row
  const isModel = what.kind === "model"
  const isFailed = !isModel && what.run.error !== undefined
  const passages = isModel ? undefined : passagesIn(what.run.name, what.run.output)
  const name = isModel ? `Model, call ${what.number}` : what.run.name === SEARCH_TOOL ? "Search" : what.run.name
  const note = isModel
    ? what.step.facts && `${formatCount(what.step.facts.completionTokens)} tokens out`
    : (passages && plural(passages.length, "passage")) || (isFailed ? "failed" : undefined)
  const waiting = isModel && end > start ? (Math.min(what.step.begun, end) - start) / (end - start) : 0
  const style = {
    "--start": String(start / span),
    "--length": String(Math.max(0, end - start) / span),
    "--waiting": String(waiting),
  }
  return (
    <details>
      <summary>
        <span class="row nowrap">
          <Icon nodes={isModel ? Bot : what.run.name === SEARCH_TOOL ? Search : Wrench} size={14} />
          <span class="ellipsis">{name}</span>
        </span>
        <span class="waterfall-track" aria-hidden="true">
          <span class={`waterfall-bar${isFailed ? " failed" : ""}`} style={style} />
        </span>
        <span class="waterfall-time number">{formatMillis(end - start)}</span>
        {note !== undefined && <span class="waterfall-note soft small">{note}</span>}
      </summary>
      <div class="stack tight">
        {isModel ? <ModelCall step={what.step} /> : <ToolCall run={what.run} chatbotId={chatbotId} />}
      </div>
    </details>
  )
}

const ModelCall = ({ step }: { readonly step: TracedStep }) => {
  const { begun, facts, start, text, written } = step
  return (
    <>
      <p class="soft small">
        Waited {formatMillis(begun - start)} for the first of the answer, wrote for {formatMillis(written - begun)}.
      </p>
      {facts !== undefined && <Facts facts={facts} />}
      {text !== "" && <Json label="What it wrote" value={text} />}
      {facts !== undefined && facts.request !== "" && <Sent body={facts.request} />}
    </>
  )
}

const Facts = ({ facts }: { readonly facts: StepFacts }) => (
  <>
    <p class="row">
      <Badge>{facts.model}</Badge>
      <Badge>{finishWords[facts.finishReason] ?? facts.finishReason}</Badge>
      <span class="soft small">
        {formatCount(facts.promptTokens + facts.cacheReadTokens + facts.cacheWriteTokens)} tokens in
        {facts.cacheReadTokens > 0 && `, ${formatCount(facts.cacheReadTokens)} of them from the cache`}
        {facts.cacheWriteTokens > 0 && `, ${formatCount(facts.cacheWriteTokens)} written to it`} ·{" "}
        {formatCount(facts.completionTokens)} out
      </span>
    </p>
    {facts.warnings.map((warning) => (
      <p key={warning} class="soft small">
        {warning}
      </p>
    ))}
  </>
)

const roleWords: Readonly<Record<string, string>> = {
  settings: "Settings",
  system: "Instructions",
  tools: "Tools",
  user: "User",
  assistant: "Model",
  tool: "Tool",
}

/** The request to the model: by its parts where they are known, and as it is. */
const Sent = ({ body }: { readonly body: string }) => {
  const parts = promptParts(body)
  return (
    <details>
      <summary>What was sent ({formatCount(body.length)} characters)</summary>
      <div>
        {(parts ?? []).map(({ role, text }, index) => (
          <details key={index}>
            <summary>
              {roleWords[role] ?? role}: <span class="soft">{text.slice(0, 80)}</span>
            </summary>
            <div>
              <Json label={roleWords[role] ?? role} value={text} />
            </div>
          </details>
        ))}
        <details>
          <summary>The whole request</summary>
          <div>
            <Json label="Request" value={body} />
          </div>
        </details>
      </div>
    </details>
  )
}

const ToolCall = ({ chatbotId, run }: { readonly run: ToolRun; readonly chatbotId: string }) => {
  const passages = passagesIn(run.name, run.output)
  if (passages !== undefined)
    return (
      <>
        <p class="soft small">Searched for “{briefly(run.input)}”.</p>
        {passages.length === 0 ? <p>Nothing was found.</p> : <Passages chatbotId={chatbotId} passages={passages} />}
      </>
    )
  return (
    <>
      <Json label="Arguments" value={run.input} />
      {run.error !== undefined ? (
        <Json label="Error" value={run.error} />
      ) : (
        run.end !== undefined && <Json label="Result" value={run.output} />
      )}
    </>
  )
}
