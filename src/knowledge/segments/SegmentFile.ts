import { Option, Schema } from "effect"
import { DocumentId } from "../../domain/Ids.ts"
import { isLanguage, type Language } from "../../text/Language.ts"
import { uuidBytes, uuidText } from "../../storage/search/ChunkPacks.ts"
import { CHUNK_ID_BYTES, type Segment, type SegmentDocument } from "./Segment.ts"

/*
 * The binary format of a segment: its arrays as they are in memory, each at a multiple of eight bytes, so that a file
 * can be mapped into memory and used as a segment at once. Before the arrays stand
 *
 *   8 bytes   the format and its version
 *   8 bytes   a hash of everything after it
 *   4 bytes   the length of the description
 *             the description, in JSON
 *
 * Numbers are little-endian, as on every machine that Bun supports. Only this program reads the files: one that is not
 * as expected is discarded and built again.
 */

/** The format and its version. It changes whenever the same chunks result in a different segment or file. */
const FORMAT = "ParleyS2"
const HASH_AT = 8
export const HASHED_FROM = 16
const DESCRIPTION_AT = 20
const ALIGNMENT = 8

/** The number of bytes that are hashed at once. Between two such pieces, other fibers can run. */
export const HASHED_AT_ONCE = 2 ** 20

/** The owner of a segment. It is part of the file, so that a file in the wrong directory is recognized. */
export interface SegmentOwner {
  readonly organization: string
  readonly chatbot: string
}

/** The arrays of a file in their order, with the bytes of one element. */
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
    languages: Schema.Record(Schema.String, Schema.Int),
    sketchBytes: Schema.Int,
    lengths: Schema.Record(Schema.String, Schema.Int),
  }),
)
const describe = Schema.encodeSync(Description)
const readDescription = Schema.decodeUnknownOption(Description)

/** Encodes a segment as the content of a file. */
export const encodeSegment = (segment: Segment, owner: SegmentOwner): Uint8Array<ArrayBuffer> => {
  const { documents } = segment
  const arrays: Readonly<Record<ArrayName, Uint8Array | Uint16Array | Uint32Array | Float64Array>> = {
    ...segment,
    documentIds: Buffer.concat(documents.map(({ id }) => uuidBytes(id))),
    documentRevisions: Uint32Array.from(documents, ({ revision }) => revision),
    documentChunks: Uint32Array.from(documents, ({ chunks }) => chunks),
    documentIsEmbedded: Uint8Array.from(documents, ({ isEmbedded }) => Number(isEmbedded)),
  }
  const description = Buffer.from(
    describe({
      ...owner,
      languages: Object.fromEntries(segment.languages),
      sketchBytes: segment.sketchBytes,
      lengths: Object.fromEntries(ARRAYS.map(([name]) => [name, arrays[name].length])),
    }),
  )
  const begin = aligned(DESCRIPTION_AT + description.length)
  const bytes = new Uint8Array(ARRAYS.reduce((sum, [name]) => sum + aligned(arrays[name].byteLength), begin))
  bytes.set(Buffer.from(FORMAT))
  new DataView(bytes.buffer).setUint32(HASHED_FROM, description.length, true)
  bytes.set(description, DESCRIPTION_AT)
  let offset = begin
  for (const [name] of ARRAYS) {
    const { buffer, byteOffset, byteLength } = arrays[name]
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

/**
 * Decodes a segment as views on the bytes of its file. Returns undefined when the bytes are not a segment of this
 * owner. The hash is not checked; see `SegmentHash`.
 */
export const decodeSegment = (bytes: Uint8Array, owner: SegmentOwner): Segment | undefined => {
  if (bytes.length < DESCRIPTION_AT || Buffer.from(bytes.subarray(0, HASH_AT)).toString() !== FORMAT) return undefined
  const begin = DESCRIPTION_AT + new DataView(bytes.buffer, bytes.byteOffset).getUint32(HASHED_FROM, true)
  const description = readDescription(Buffer.from(bytes.subarray(DESCRIPTION_AT, begin)).toString())
  if (Option.isNone(description)) return undefined
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
  const arrays = {
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
    ...arrays,
    // They are many and seldom needed as objects.
    get documents() {
      return (documents ??= Array.from(revisions, (revision, number) => ({
        id: DocumentId.make(uuidText(documentIds, CHUNK_ID_BYTES * number), { disableChecks: true }),
        revision,
        chunks: chunkCounts[number] ?? 0,
        isEmbedded: areEmbedded[number] === 1,
      })))
    },
    languages: new Map(Object.entries(languages).filter((entry): entry is [Language, number] => isLanguage(entry[0]))),
    size: arrays.lengths.length,
    sketchBytes,
    bytes: bytes.length,
  }
}

/** Where the ids of the documents stand in a file, read from its beginning; undefined where that is too short. */
export const documentIdsIn = (head: Uint8Array): { readonly offset: number; readonly bytes: number } | undefined => {
  if (head.length < DESCRIPTION_AT) return undefined
  const end = DESCRIPTION_AT + new DataView(head.buffer, head.byteOffset).getUint32(HASHED_FROM, true)
  const description = readDescription(Buffer.from(head.subarray(DESCRIPTION_AT, end)).toString())
  if (Option.isNone(description)) return undefined
  return { offset: aligned(end), bytes: description.value.lengths["documentIds"] ?? 0 }
}

/** Computes the hash of a file from its bytes after `HASHED_FROM`, added in pieces of `HASHED_AT_ONCE`. */
export class SegmentHash {
  value = 0n

  add(piece: Uint8Array): void {
    this.value = Bun.hash.xxHash3(piece, this.value)
  }
}

/** Reads the stored hash from the beginning of a file, or -1 where that is too short. */
export const hashIn = (head: Uint8Array): bigint =>
  head.length < HASHED_FROM ? -1n : new DataView(head.buffer, head.byteOffset).getBigUint64(HASH_AT, true)

const aligned = (length: number): number => Math.ceil(length / ALIGNMENT) * ALIGNMENT
