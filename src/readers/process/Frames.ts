/*
 * The protocol between the server and a process that reads documents. Each message is a frame: a head in JSON, and a
 * body of raw bytes. The lengths of both stand before them, so that neither side reads more than it is ready to keep in
 * memory.
 */

/** The length of a frame's prefix: the lengths of head and body in bytes, as little-endian 32-bit integers. */
const PREFIX_BYTES = 8

/** The most passages, blocks or links in a frame, which mostly take some hundred kilobytes. */
export const ITEMS_PER_FRAME = 128

export interface Frame {
  /** A value in JSON. */
  readonly head: string
  readonly body: Uint8Array<ArrayBuffer>
}

/** The largest frame that a reader accepts, in bytes. */
interface FrameLimits {
  readonly head: number
  readonly body: number
}

/** Encodes a frame as two pieces to be written in order. The second is the body itself, not a copy. */
export const framePieces = (head: unknown, body: Uint8Array): readonly [Uint8Array, Uint8Array] => [
  frameStart(head, body.length),
  body,
]

/** Encodes what stands before the body of a frame. The body, of this many bytes, has to follow. */
export const frameStart = (head: unknown, bodyBytes: number): Uint8Array => {
  const text = new TextEncoder().encode(JSON.stringify(head))
  const start = new Uint8Array(PREFIX_BYTES + text.length)
  const lengths = new DataView(start.buffer)
  lengths.setUint32(0, text.length, true)
  lengths.setUint32(4, bodyBytes, true)
  start.set(text, PREFIX_BYTES)
  return start
}

/** Reads frames from a stream of bytes, one after the other. */
export class FrameReader {
  private readonly source: AsyncIterator<Uint8Array>
  private readonly limits: FrameLimits
  private rest: Uint8Array = new Uint8Array()

  constructor(source: AsyncIterable<Uint8Array>, limits: FrameLimits) {
    this.source = source[Symbol.asyncIterator]()
    this.limits = limits
  }

  /**
   * Reads the next frame, or `undefined` at the end of the source. Rejects when the source ends within a frame, and
   * when the frame exceeds the limits.
   */
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

  private async take(length: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
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
