import { expect } from "bun:test"
import type { VisitorClient } from "./Visitors.ts"

/** An event of a spoken turn as its client receives it. */
export interface VoiceFrame {
  readonly type: string
  readonly data?: unknown
  readonly messageId?: string
  readonly messageMetadata?: { readonly session_id: string }
  readonly delta?: string
  readonly errorText?: string
}

/** The streams that are not read to their end. Bun hangs up a request of whose response nobody holds anything. */
const unfinished = new Set<VoiceStream>()

/** A spoken turn as its client receives it. */
export class VoiceStream {
  readonly frames: Array<VoiceFrame> = []
  readonly response: Response
  private readonly decoder = new TextDecoder()
  private rest = ""
  private reader:
    | { readonly read: () => Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }> }
    | undefined

  constructor(response: Response) {
    this.response = response
    unfinished.add(this)
  }

  /** Reads until the condition holds, or the stream ends. Returns whether it has ended. */
  async read(isEnough: (stream: VoiceStream) => boolean = () => false): Promise<boolean> {
    // The reader is kept: a loop over the body that ends early would leave.
    this.reader ??= this.response.body?.getReader()
    while (!isEnough(this)) {
      const { done, value } = (await this.reader?.read()) ?? { done: true, value: undefined }
      if (done) {
        unfinished.delete(this)
        return true
      }
      const frames = (this.rest + this.decoder.decode(value, { stream: true })).split("\n\n")
      this.rest = frames.pop() ?? ""
      for (const frame of frames) {
        if (frame.startsWith(":") || frame === "data: [DONE]") continue
        expect(frame).toStartWith("data: ")
        this.frames.push(JSON.parse(frame.slice("data: ".length)))
      }
    }
    return false
  }

  data(name: string): ReadonlyArray<Record<string, unknown>> {
    return this.frames.filter(({ type }) => type === `data-${name}`).map(({ data }) => Object(data))
  }

  get transcript(): unknown {
    return this.data("transcript")[0]?.["text"]
  }

  get text(): string {
    return this.frames.map(({ delta = "" }) => delta).join("")
  }

  get clauses(): ReadonlyArray<string> {
    return this.data("clause").map(({ text }) => String(text))
  }

  get audio(): Buffer {
    return Buffer.concat(this.data("audio").map(({ audio }) => Buffer.from(String(audio), "base64")))
  }

  get audioMs(): number {
    return this.audio.length / 48
  }

  get ids(): { readonly reply: string; readonly conversation: string } {
    const start = this.frames.find(({ type }) => type === "start")
    return { reply: start?.messageId ?? "", conversation: start?.messageMetadata?.session_id ?? "" }
  }
}

type Fields = Readonly<Record<string, string | number | Buffer | undefined>>

export const formOf = (fields: Fields): FormData => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    if (Buffer.isBuffer(value)) form.append(name, new File([value], "speech.wav"))
    else if (value !== undefined) form.append(name, String(value))
  }
  return form
}

/** Sends a turn, whose answer is read as it comes. */
export const turnAt = async (url: string, token: string, fields: Fields, signal?: AbortSignal): Promise<VoiceStream> =>
  new VoiceStream(
    await fetch(url, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      body: formOf(fields),
      ...(signal && { signal }),
    }),
  )

/** Speaks as a visitor. */
export const speak = (visitor: VisitorClient, fields: Fields, signal?: AbortSignal): Promise<VoiceStream> =>
  turnAt(
    `${visitor.client.url}/api/widget/voice/turns`,
    visitor.session.token,
    { id: crypto.randomUUID(), ...fields },
    signal,
  )
