import { Schema } from "effect"
import { DocumentId } from "../../domain/Ids.ts"
import { isLanguage } from "../../text/Language.ts"
import { uuidBytes, uuidText } from "../../storage/search/ChunkPacks.ts"
import { CHUNK_ID_BYTES, type Segment, type SegmentDocument } from "./Segment.ts"

/*
 * A segment as one piece of binary: its arrays as they are in memory, each at a multiple of eight bytes, so that a file
 * that is mapped into memory is a segment. Before them stand
 *
 *   8 bytes   the format and its version
 *   8 bytes   a hash of all that follows
 *   4 bytes   the length of the description, in JSON
 *
 * Numbers are little-endian, as on every machine that Bun runs on. Read by this program only: whatever does not look as
 * expected is made anew.
 */

/** To be changed whenever the same chunks make another segment, or another file of it. */
const FORMAT = "ParleyS1"
const HASH_AT = 8
export const HASHED_FROM = 16
const DESCRIPTION_AT = 20
const ALIGNMENT = 8

/** Hashed in one go: others have their turn between two of these. */
export const HASHED_AT_ONCE = 2 ** 20

/** Whose it is: a file that was moved is not taken for another's. */
export interface SegmentOwner {
  readonly organization: string
  readonly chatbot: string
}

/** In this order; bytes of a number each. */
const ARRAYS = [
  ["documentIds", 1],
  ["documentRevisions", 4],
  ["documentChunks", 4],
  ["documentIsEmbedded", 1],
  ["chunkIds", 1],
  ["documentOf", 4],
  ["lengths", 4],
  ["terms", 8],
  ["offsets", 4],
  ["chunks", 4],
  ["frequencies", 1],
  ["starts", 4],
  ["positions", 2],
  ["sketches", 1],
] as const
type ArrayName = (typeof ARRAYS)[number][0]

const Description = Schema.fromJsonString(
  Schema.Struct({
    organization: Schema.String,
    chatbot: Schema.String,
    languages: Schema.Array(Schema.String),
    sketchBytes: Schema.Int,
    lengths: Schema.Record(Schema.String, Schema.Int),
  }),
)
const describe = Schema.encodeSync(Description)
const readDescription = Schema.decodeUnknownOption(Description)

export const encodeSegment = (segment: Segment, owner: SegmentOwner): Uint8Array<ArrayBuffer> => {
  const { documents } = segment
  const held: Readonly<Record<ArrayName, Uint8Array | Uint16Array | Uint32Array | Float64Array>> = {
    ...segment,
    documentIds: Buffer.concat(documents.map(({ id }) => uuidBytes(id))),
    documentRevisions: Uint32Array.from(documents, ({ revision }) => revision),
    documentChunks: Uint32Array.from(documents, ({ chunks }) => chunks),
    documentIsEmbedded: Uint8Array.from(documents, ({ isEmbedded }) => Number(isEmbedded)),
  }
  const description = Buffer.from(
    describe({
      ...owner,
      languages: Array.from(segment.languages),
      sketchBytes: segment.sketchBytes,
      lengths: Object.fromEntries(ARRAYS.map(([name]) => [name, held[name].length])),
    }),
  )
  const begin = aligned(DESCRIPTION_AT + description.length)
  const bytes = new Uint8Array(ARRAYS.reduce((sum, [name]) => sum + aligned(held[name].byteLength), begin))
  bytes.set(Buffer.from(FORMAT))
  new DataView(bytes.buffer).setUint32(HASHED_FROM, description.length, true)
  bytes.set(description, DESCRIPTION_AT)
  let offset = begin
  for (const [name] of ARRAYS) {
    const { buffer, byteOffset, byteLength } = held[name]
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), offset)
    offset += aligned(byteLength)
  }
  const hash = new SegmentHash()
  for (let from = HASHED_FROM; from < bytes.length; from += HASHED_AT_ONCE) {
    hash.add(bytes.subarray(from, from + HASHED_AT_ONCE))
  }
  new DataView(bytes.buffer).setBigUint64(HASH_AT, hash.value, true)
  return bytes
}

/** Views on the bytes; undefined when they are no segment of this owner. The hash is not looked at. */
export const decodeSegment = (bytes: Uint8Array, owner: SegmentOwner): Segment | undefined => {
  if (bytes.length < DESCRIPTION_AT || Buffer.from(bytes.subarray(0, HASH_AT)).toString() !== FORMAT) return undefined
  const begin = DESCRIPTION_AT + new DataView(bytes.buffer, bytes.byteOffset).getUint32(HASHED_FROM, true)
  const text = Buffer.from(bytes.subarray(DESCRIPTION_AT, begin)).toString()
  const description = readDescription(text)
  if (description._tag === "None") return undefined
  const { organization, chatbot, languages, sketchBytes, lengths } = description.value
  if (organization !== owner.organization || chatbot !== owner.chatbot) return undefined
  const offsets = new Map<ArrayName, number>()
  let end = aligned(begin)
  for (const [name, size] of ARRAYS) {
    offsets.set(name, end)
    end += aligned(size * (lengths[name] ?? 0))
  }
  if (end !== bytes.length) return undefined
  const arrayOf = <A>(name: ArrayName, type: new (buffer: ArrayBufferLike, offset: number, length: number) => A): A =>
    new type(bytes.buffer, bytes.byteOffset + (offsets.get(name) ?? 0), lengths[name] ?? 0)
  const documentIds = arrayOf("documentIds", Uint8Array)
  const revisions = arrayOf("documentRevisions", Uint32Array)
  const chunkCounts = arrayOf("documentChunks", Uint32Array)
  const areEmbedded = arrayOf("documentIsEmbedded", Uint8Array)
  const held = {
    chunkIds: arrayOf("chunkIds", Uint8Array),
    documentOf: arrayOf("documentOf", Uint32Array),
    lengths: arrayOf("lengths", Uint32Array),
    terms: arrayOf("terms", Float64Array),
    offsets: arrayOf("offsets", Uint32Array),
    chunks: arrayOf("chunks", Uint32Array),
    frequencies: arrayOf("frequencies", Uint8Array),
    starts: arrayOf("starts", Uint32Array),
    positions: arrayOf("positions", Uint16Array),
    sketches: arrayOf("sketches", Uint8Array),
  }
  let documents: ReadonlyArray<SegmentDocument> | undefined
  return {
    ...held,
    // As objects they are seldom asked for, and many.
    get documents() {
      return (documents ??= Array.from(revisions, (revision, number) => ({
        id: DocumentId.make(uuidText(documentIds, CHUNK_ID_BYTES * number), { disableChecks: true }),
        revision,
        chunks: chunkCounts[number] ?? 0,
        isEmbedded: areEmbedded[number] === 1,
      })))
    },
    languages: new Set(languages.filter(isLanguage)),
    size: held.lengths.length,
    sketchBytes,
    bytes: bytes.length,
  }
}

/** Where the ids of the documents stand in a file that begins so; undefined until it is long enough to tell. */
export const documentIdsIn = (head: Uint8Array): { readonly offset: number; readonly bytes: number } | undefined => {
  if (head.length < DESCRIPTION_AT) return undefined
  const end = DESCRIPTION_AT + new DataView(head.buffer, head.byteOffset).getUint32(HASHED_FROM, true)
  const description = readDescription(Buffer.from(head.subarray(DESCRIPTION_AT, end)).toString())
  if (description._tag === "None") return undefined
  return { offset: aligned(end), bytes: description.value.lengths["documentIds"] ?? 0 }
}

/** Of a file's bytes, given one piece of `HASHED_AT_ONCE` after the other, from the description's length on. */
export class SegmentHash {
  value = 0n

  add(piece: Uint8Array): void {
    this.value = Bun.hash.xxHash3(piece, this.value)
  }
}

/** What the hash has to be, by the first bytes of a file. */
export const hashIn = (head: Uint8Array): bigint =>
  head.length < HASHED_FROM ? -1n : new DataView(head.buffer, head.byteOffset).getBigUint64(HASH_AT, true)

const aligned = (length: number): number => Math.ceil(length / ALIGNMENT) * ALIGNMENT
