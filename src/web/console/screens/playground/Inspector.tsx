import { Bot, Search, Wrench } from "lucide"
import { formatCount, formatMillis, plural } from "../../../shared/Format.ts"
import { Icon } from "../../../shared/Icon.tsx"
import { Json } from "../../parts/Copy.tsx"
import { Explained } from "../../parts/Explained.tsx"
import { Badge, FactList } from "../../parts/Layout.tsx"
import { fieldsIn, isFields, jsonIn, numberIn, textIn } from "../../server/Unknown.ts"
import type { Exchange } from "./Exchange.ts"
import { briefly, Passages, passagesIn, SEARCH_TOOL } from "./Passages.tsx"
import {
  isGoingOn,
  type ModelCall,
  modelCallsOf,
  type Row,
  type StepFacts,
  tokensOf,
  type ToolRun,
  type Trace,
} from "./Trace.ts"

/** The text of contents, which are a text or a list of parts; what is no text is shown as JSON. */
const contentOf = (content: unknown): string => {
  if (typeof content === "string") return content
  if (isFields(content) && typeof content["text"] === "string") return content["text"]
  return Array.isArray(content) ? content.map(contentOf).join("\n\n") : JSON.stringify(content, undefined, 2)
}

const turnOf = (message: unknown) => {
  const { content, role, tool_calls: calls } = isFields(message) ? message : { content: message }
  const said = [content, calls].filter((part) => part !== undefined && part !== null).map(contentOf)
  return { role: textIn(role) ?? "message", text: said.join("\n\n") }
}

/** The parts of the body of a request to a model's API, of Anthropic's form or OpenAI's; the whole when it is neither. */
export const promptParts = (body: string) => {
  const { messages, system, tools, ...settings } = fieldsIn(jsonIn(body))
  if (!Array.isArray(messages)) return [{ role: "request", text: body }]
  return [
    { role: "settings", text: contentOf(settings) },
    ...(system === undefined ? [] : [{ role: "system", text: contentOf(system) }]),
    ...(tools === undefined ? [] : [{ role: "tools", text: JSON.stringify(tools, undefined, 2) }]),
    ...messages.map(turnOf),
  ]
}

const finishWords: Readonly<Record<string, string>> = {
  stop: "Complete",
  length: "Cut off at the length limit",
  "content-filter": "Blocked by a content filter",
  "tool-calls": "Called tools",
  error: "Failed",
}

/** The steps of a reply with their times, and with the texts that were sent and found. */
export const Inspector = ({ exchange }: { readonly exchange: Exchange }) => {
  const trace = exchange.trace.value
  const now = exchange.elapsed.value
  const span = Math.max(1, isGoingOn(trace) ? now : trace.latest)
  const tokens = tokensOf(trace)
  // A spoken turn has times of its own, and what its steps used is not told.
  const isWritten = trace.transcript === undefined
  const timing = (name: string) => {
    const millis = numberIn(trace.timings[name]) ?? 0
    return millis > 0 && formatMillis(millis)
  }
  const facts = {
    Heard: timing("listened_ms"),
    Transcription: timing("transcription_ms"),
    "First text": timing("first_text_ms"),
    "First audio": timing("first_audio_ms"),
    Spoken: timing("spoken_ms"),
    Time: formatMillis(span),
    "Time to first text": isWritten && trace.firstText !== undefined && formatMillis(trace.firstText),
    "Model calls": formatCount(modelCallsOf(trace).length),
    "Input tokens": isWritten && formatCount(tokens.input),
    "Cached tokens": tokens.cached > 0 && formatCount(tokens.cached),
    "Output tokens": isWritten && formatCount(tokens.output),
  }
  return (
    <article class="section stack" aria-label="Steps of the reply">
      <FactList facts={facts} />
      {trace.rows.length === 0 ? (
        <p class="soft">{withoutSteps(trace)}</p>
      ) : (
        <ol class="waterfall rows">
          {trace.rows.map((row) => (
            <li key={row.key} class={row.kind}>
              <WaterfallRow row={row} span={span} now={now} />
            </li>
          ))}
        </ol>
      )}
      <Explained of={trace.explanation} />
    </article>
  )
}

const withoutSteps = (trace: Trace): string => {
  if (isGoingOn(trace)) return "Waiting for the model…"
  if (trace.state === "finished") return "Answered without a model."
  return trace.explanation === undefined ? "No model was called." : "The model did not answer."
}

const partsOf = (row: Row, end: number) => {
  if (row.kind === "model")
    return {
      icon: Bot,
      name: `Model call ${row.number}`,
      note: row.facts && `${formatCount(row.facts.completionTokens)} output tokens`,
      content: <ModelDetails call={row} end={end} />,
    }
  const isSearch = row.name === SEARCH_TOOL
  const passages = passagesIn(row.name, row.output)
  return {
    icon: isSearch ? Search : Wrench,
    name: isSearch ? "Search" : row.name,
    note: row.error === undefined ? passages && plural(passages.length, "passage") : "failed",
    content: <ToolDetails run={row} passages={passages} />,
  }
}

const WaterfallRow = ({ now, row, span }: { readonly row: Row; readonly span: number; readonly now: number }) => {
  const end = row.end ?? now
  const { content, icon, name, note } = partsOf(row, end)
  const length = Math.max(0, end - row.start)
  const style = {
    "--start": String(row.start / span),
    "--length": String(length / span),
    "--waiting": String(row.kind === "model" && length > 0 ? (Math.min(row.begun, end) - row.start) / length : 0),
  }
  return (
    <details>
      <summary>
        <span class="row nowrap">
          <Icon nodes={icon} size={14} />
          <span class="ellipsis">{name}</span>
        </span>
        <span class="waterfall-track" aria-hidden="true">
          <span class={`waterfall-bar${note === "failed" ? " failed" : ""}`} style={style} />
        </span>
        <span class="waterfall-time number">{formatMillis(length)}</span>
        {note !== undefined && <span class="waterfall-note soft small">{note}</span>}
      </summary>
      <div class="stack tight">{content}</div>
    </details>
  )
}

const ModelDetails = ({ call, end }: { readonly call: ModelCall; readonly end: number }) => {
  const { begun, facts, start, text } = call
  return (
    <>
      <p class="soft small">
        Responded after {formatMillis(begun - start)}, finished {formatMillis(end - begun)} later.
      </p>
      {facts !== undefined && <Facts facts={facts} />}
      {text !== "" && <Json label="Output" value={text} />}
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
        {formatCount(facts.promptTokens + facts.cacheReadTokens + facts.cacheWriteTokens)} input tokens
        {facts.cacheReadTokens > 0 && `, ${formatCount(facts.cacheReadTokens)} read from the cache`}
        {facts.cacheWriteTokens > 0 && `, ${formatCount(facts.cacheWriteTokens)} written to the cache`} ·{" "}
        {formatCount(facts.completionTokens)} output tokens
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

const Sent = ({ body }: { readonly body: string }) => (
  <details>
    <summary>Request ({formatCount(body.length)} characters)</summary>
    <div>
      {promptParts(body).map(({ role, text }, index) => (
        <details key={index}>
          <summary>
            {roleWords[role] ?? role}: <span class="soft">{text.slice(0, 80)}</span>
          </summary>
          <div>
            <Json label={roleWords[role] ?? role} value={text} />
          </div>
        </details>
      ))}
    </div>
  </details>
)

interface ToolProps {
  readonly run: ToolRun
  readonly passages: ReturnType<typeof passagesIn>
}

const ToolDetails = ({ passages, run }: ToolProps) => {
  const { end, error, input, output } = run
  if (passages !== undefined)
    return (
      <>
        <p class="soft small">Searched for “{briefly(input)}”.</p>
        {passages.length === 0 ? <p>No results.</p> : <Passages passages={passages} />}
      </>
    )
  return (
    <>
      <Json label="Input" value={input} />
      {end !== undefined && <Json label={error === undefined ? "Result" : "Error"} value={error ?? output} />}
    </>
  )
}
