import type { PGlite } from "@electric-sql/pglite"

/**
 * Runs a batch of wire messages and returns the whole answer of the engine, in a buffer of its own.
 *
 * The answer is read as a stream, because PGlite's other method for raw messages also parses each answer and keeps its
 * rows for as long as the engine lives.
 */
export const answerTo = async (engine: PGlite, batch: Uint8Array): Promise<Uint8Array<ArrayBuffer>> => {
  const pieces: Array<Uint8Array> = []
  await engine.execProtocolRawStream(batch, {
    syncToFs: false,
    // Copied, because a piece is a view of the engine's memory.
    onRawData: (piece) => void pieces.push(piece.slice()),
  })
  return new Uint8Array(Buffer.concat(pieces))
}
