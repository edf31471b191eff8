/*
 * What goes over the pipes between the server and a process that reads documents: frames of a head, which is JSON, and
 * a body, which is bytes as they are. Both begin with their lengths, so that neither side reads more than it is ready
 * to hold.
 */

/** Two lengths in bytes, each of four bytes, the lowest first. */
const PREFIX_BYTES = 8

export interface Frame {
  /** JSON. */
  readonly head: string
  readonly body: Uint8Array
}

/** Bytes that a frame may have, at most. */
export interface FrameLimits {
  readonly head: number
  readonly body: number
}

/** A frame as the pieces to write, in order; the body is not copied. */
export const framePieces = (head: unknown, body: Uint8Array): readonly [Uint8Array, Uint8Array] => {
  const text = new TextEncoder().encode(JSON.stringify(head))
  const start = new Uint8Array(PREFIX_BYTES + text.length)
  const lengths = new DataView(start.buffer)
  lengths.setUint32(0, text.length, true)
  lengths.setUint32(4, body.length, true)
  start.set(text, PREFIX_BYTES)
  return [start, body]
}

/** Reads one frame after the other. */
export class FrameReader {
  private readonly source: AsyncIterator<Uint8Array>
  private readonly limits: FrameLimits
  private rest: Uint8Array = new Uint8Array()

  constructor(source: AsyncIterable<Uint8Array>, limits: FrameLimits) {
    this.source = source[Symbol.asyncIterator]()
    this.limits = limits
  }

  /** `undefined` when the source has ended. Rejects when it ends within a frame, and for one beyond the limits. */
  async next(): Promise<Frame | undefined> {
    const prefix = await this.take(PREFIX_BYTES)
    if (prefix === undefined) return undefined
    const lengths = new DataView(prefix.buffer, prefix.byteOffset)
    const [head, body] = [lengths.getUint32(0, true), lengths.getUint32(4, true)]
    if (head > this.limits.head || body > this.limits.body) throw new Error("A frame is larger than it may be.")
    const text = await this.take(head)
    const bytes = await this.take(body)
    if (text === undefined || bytes === undefined) throw new Error("The source ended within a frame.")
    return { head: new TextDecoder().decode(text), body: bytes }
  }

  private async take(length: number): Promise<Uint8Array | undefined> {
    const taken = new Uint8Array(length)
    let filled = 0
    while (filled < length) {
      if (this.rest.length === 0) {
        const { done, value } = await this.source.next()
        if (done === true) {
          if (filled > 0) throw new Error("The source ended within a frame.")
          return undefined
        }
        this.rest = value
      }
      const piece = this.rest.subarray(0, length - filled)
      taken.set(piece, filled)
      filled += piece.length
      this.rest = this.rest.subarray(piece.length)
    }
    return taken
  }
}
