import type { Response } from "effect/ai"
import type { AgentEvent } from "./AgentEvent.ts"
import { clean, type Generation, readCall, readGeneration, readTokens } from "./Generation.ts"
import { LongText } from "./LongText.ts"
import { TokenCount } from "../models/TokenCount.ts"

interface OpenText {
  /** Its name in events; those of the provider may return in the next step. */
  readonly id: string
  readonly metadata: Response.TextStartPartEncoded["metadata"]
  readonly said: LongText
  /** First half of a character whose second half may come with the next piece. */
  half: string
}

interface OpenReasoning {
  readonly said: LongText
  metadata: Response.ReasoningStartPartEncoded["metadata"]
}

/** Puts an answer together that comes in pieces, and tells what each piece means to somebody who watches. */
export class Pieces {
  private readonly parts: Array<Response.PartEncoded> = []
  private readonly texts = new Map<string, OpenText>()
  private readonly reasonings = new Map<string, OpenReasoning>()
  private readonly started = new Set<string>()
  private readonly newTextId: () => string
  private readonly count = new TokenCount()
  private metadata: Response.ResponseMetadataPartEncoded | undefined
  /** Whether anything came at all. */
  begun = false

  constructor(newTextId: () => string) {
    this.newTextId = newTextId
  }

  /** The answer as far as it has come. */
  get generation(): Generation {
    const open = Array.from(this.texts.values(), ({ said, metadata }) => textPart(said.text, metadata))
    return readGeneration(this.parts.concat(this.metadata ?? [], open), this.count)
  }

  read(pieces: ReadonlyArray<Response.StreamPartEncoded>): Array<AgentEvent> {
    const events: Array<AgentEvent> = this.begun ? [] : [{ type: "step-start" }]
    this.begun = true
    for (const piece of pieces) this.take(piece, events)
    return events
  }

  private take(piece: Response.StreamPartEncoded, events: Array<AgentEvent>): void {
    switch (piece.type) {
      case "text-start": {
        const id = this.newTextId()
        this.texts.set(piece.id, { id, metadata: piece.metadata, said: new LongText(), half: "" })
        events.push({ type: "text-start", id })
        return
      }
      case "text-delta": {
        this.count.came(piece.delta.length)
        const open = this.texts.get(piece.id)
        if (open !== undefined) pushDelta(open, piece.delta, events)
        return
      }
      case "text-end": {
        const open = this.texts.get(piece.id)
        if (open === undefined) return
        this.texts.delete(piece.id)
        if (open.half !== "") pushText(open, open.half, events)
        const metadata = { ...open.metadata, ...piece.metadata }
        this.parts.push(textPart(open.said.text, metadata))
        events.push({ type: "text-end", id: open.id })
        return
      }
      case "reasoning-start":
        this.reasonings.set(piece.id, { said: new LongText(), metadata: piece.metadata })
        return
      case "reasoning-delta": {
        this.count.came(piece.delta.length)
        const open = this.reasonings.get(piece.id)
        if (open !== undefined) open.said.add(piece.delta)
        return
      }
      case "reasoning-end": {
        const open = this.reasonings.get(piece.id)
        if (open === undefined) return
        this.reasonings.delete(piece.id)
        const metadata = { ...open.metadata, ...piece.metadata }
        this.parts.push({ type: "reasoning", text: open.said.text, metadata })
        return
      }
      case "tool-params-start":
        this.startCall(piece.id, piece.name, events)
        return
      case "tool-params-delta":
        this.count.came(piece.delta.length)
        return
      case "tool-params-end":
      case "error":
        return
      case "tool-call": {
        const call = readCall(piece)
        this.startCall(call.toolCallId, call.toolName, events)
        this.parts.push(piece)
        events.push({ type: "tool-call", call })
        return
      }
      case "response-metadata": {
        this.metadata ??= piece
        const tokens = piece.metadata?.parley?.tokens
        if (tokens !== undefined) this.count.tell(tokens)
        return
      }
      case "finish":
        this.count.tell(readTokens(piece.usage))
        this.parts.push(piece)
        return
      default:
        this.parts.push(piece)
    }
  }

  private startCall(id: string, toolName: string, events: Array<AgentEvent>): void {
    const toolCallId = clean(id)
    if (this.started.has(toolCallId)) return
    this.started.add(toolCallId)
    events.push({ type: "tool-start", toolCallId, toolName: clean(toolName) })
  }
}

const textPart = (text: string, metadata: OpenText["metadata"]): Response.TextPartEncoded => ({
  type: "text",
  text,
  metadata,
})

/** What may have to be cleaned, or may be half of something. */
const odd = /[\0\ud800-\udfff]/

const pushDelta = (open: OpenText, delta: string, events: Array<AgentEvent>): void => {
  if (open.half === "" && !odd.test(delta)) return pushClean(open, delta, events)
  // What stands between the halves and is left out must not keep them apart.
  const text = open.half + delta.replaceAll("\u0000", "")
  const last = text.charCodeAt(text.length - 1)
  const whole = last >= 0xd800 && last <= 0xdbff ? text.length - 1 : text.length
  open.half = text.slice(whole)
  pushText(open, text.slice(0, whole), events)
}

const pushText = (open: OpenText, text: string, events: Array<AgentEvent>): void => pushClean(open, clean(text), events)

const pushClean = (open: OpenText, delta: string, events: Array<AgentEvent>): void => {
  if (delta === "") return
  open.said.add(delta)
  const last = events.at(-1)
  if (last?.type !== "text-delta" || last.id !== open.id) events.push({ type: "text-delta", id: open.id, delta })
  // What came together is told together.
  else events[events.length - 1] = { ...last, delta: last.delta + delta }
}
