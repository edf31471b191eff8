import { Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { DocumentId } from "../../domain/Ids.ts"
import { isLanguage, type Language } from "../../language/Language.ts"
import { decodeRows } from "../Rows.ts"

/*
 * A pack holds many chunks in one value of the database: the client decodes one field in place of seven for each chunk
 * and makes no objects, and the bytes can be passed to another thread as they are.
 */

/** A chunk as an index is built from it. */
export interface PackedChunk {
  /** The sixteen bytes of the id. */
  readonly id: Uint8Array
  readonly documentId: Uint8Array
  readonly revision: number
  readonly language: Language
  /** A binary `tsvector`, in which the words of the title have the weight A, and those of the headings B. */
  readonly lexemes: Uint8Array
  /** Null when the chunk was embedded by another model than the requested one, or when no sketch is stored. */
  readonly sketch: Uint8Array | null
  /** The embedding by the requested model, where no sketch is stored; null otherwise. */
  readonly embedding: Float32Array | null
}

/** The pieces of a pack, which are views of larger buffers; `unpack` reads them. */
export type ChunkPack = ReadonlyArray<Uint8Array>

const PackRow = Schema.Struct({ pack: Schema.Uint8Array })
export type PackRow = typeof PackRow.Type
export const decodePacks = decodeRows(PackRow)

/*
 * The rows of one piece, which is some ten kilobytes: the client receives into buffers of 64 KiB, and copies a value
 * that does not fit into larger and larger ones.
 */
const CHUNKS_PER_PIECE = 32
const DOCUMENTS_PER_PIECE = 1_024

/** The fields with which a packed chunk begins. */
const FIELDS = `uuid_send(id) || uuid_send(document_id) || int4send(revision)
  || int4send(octet_length(language)) || convert_to(language, 'UTF8') || int4send(octet_length(words)) || words`

/**
 * Packs rows with the columns `id`, `document_id`, `revision`, `ordinal`, `language`, `lexemes`, `sketch` and
 * `embedding`, in order.
 */
export const packed = (sql: SqlClient.SqlClient, rows: Statement.Fragment) => sql`
  select string_agg(
    ${sql.literal(FIELDS)} || int4send(coalesce(octet_length(sketch), -1)) || coalesce(sketch, '')
      || int4send(coalesce(octet_length(vector), -1)) || coalesce(vector, ''),
    ''::bytea order by number
  ) as pack
  from (
    select *, (row_number() over (order by document_id, ordinal) - 1)::int as number from (${rows}) as found
  ) as numbered cross join lateral (
    select tsvectorsend(lexemes) as words, vector_send(embedding) as vector offset 0
  ) as in_binary
  group by number / ${sql.literal(String(CHUNKS_PER_PIECE))} order by number / ${sql.literal(String(CHUNKS_PER_PIECE))}`

/** Packs rows with the columns `id`, `document_id`, `revision`, `language` and `lexemes`, in order of their ids. */
export const packedWords = (sql: SqlClient.SqlClient, rows: Statement.Fragment) => sql`
  select string_agg(${sql.literal(FIELDS)} || '\\xffffffffffffffff'::bytea, ''::bytea order by number) as pack
  from (select *, (row_number() over (order by id))::int as number from (${rows}) as found) as numbered
  cross join lateral (select tsvectorsend(lexemes) as words offset 0) as in_binary
  group by number / ${sql.literal(String(CHUNKS_PER_PIECE))} order by number / ${sql.literal(String(CHUNKS_PER_PIECE))}`

export const packOf = (rows: ReadonlyArray<PackRow>): ChunkPack => rows.map(({ pack }) => pack)

/** Copies a pack into one piece. */
export const joinPack = (pack: ChunkPack): Uint8Array<ArrayBuffer> => {
  const joined = new Uint8Array(pack.reduce((sum, { length }) => sum + length, 0))
  let offset = 0
  for (const piece of pack) {
    joined.set(piece, offset)
    offset += piece.length
  }
  return joined
}

const UUID_BYTES = 16
const VECTOR_HEADER_BYTES = 4

/** Reads the chunks of a pack. Their bytes are views of the pack. */
export function* unpack(pack: ChunkPack): Generator<PackedChunk> {
  for (const piece of pack) yield* unpackPiece(piece)
}

function* unpackPiece(pack: Uint8Array): Generator<PackedChunk> {
  const view = new DataView(pack.buffer, pack.byteOffset, pack.byteLength)
  let offset = 0
  const bytes = (length: number): Uint8Array => pack.subarray(offset, (offset += length))
  const integer = (): number => view.getInt32((offset += 4) - 4)
  const sized = (): Uint8Array | null => {
    const length = integer()
    return length < 0 ? null : bytes(length)
  }
  let language: Language = "simple"
  let languageBytes: Uint8Array = NOTHING
  while (offset < pack.length) {
    const id = bytes(UUID_BYTES)
    const documentId = bytes(UUID_BYTES)
    const revision = integer()
    const named = sized() ?? NOTHING
    if (!areEqual(named, languageBytes)) {
      const name = Buffer.from(named).toString()
      language = isLanguage(name) ? name : "simple"
      languageBytes = named
    }
    const lexemes = sized() ?? NO_LEXEMES
    const sketch = sized()
    const vector = sized()
    yield {
      id,
      documentId,
      revision,
      language,
      lexemes,
      sketch,
      embedding: vector === null ? null : floatsOf(vector.subarray(VECTOR_HEADER_BYTES)),
    }
  }
}

const NOTHING = new Uint8Array()

export const areEqual = (left: Uint8Array, right: Uint8Array): boolean => {
  if (left.length !== right.length) return false
  for (let index = 0; index < left.length; index++) if (left[index] !== right[index]) return false
  return true
}

/** The binary form of a `tsvector` without lexemes. */
const NO_LEXEMES = new Uint8Array(4)

const floatsOf = (bigEndian: Uint8Array): Float32Array =>
  new Float32Array(Buffer.from(bigEndian.slice()).swap32().buffer)

/** A document that serves searches. */
export interface ServingDocument {
  readonly id: DocumentId
  readonly revision: number
  readonly chunks: number
  /** Whether the requested model made all of its embeddings. */
  readonly isEmbedded: boolean
}

const DOCUMENT_BYTES = UUID_BYTES + 12

/** Packs rows with the columns `id`, `revision`, `chunks` and `is_embedded`, in order of their ids. */
export const packedDocuments = (sql: SqlClient.SqlClient, rows: Statement.Fragment) => sql`
  select string_agg(
    uuid_send(id) || int4send(revision) || int4send(chunks) || int4send(is_embedded::int), ''::bytea order by number
  ) as pack
  from (select *, (row_number() over (order by id))::int as number from (${rows}) as found) as numbered
  group by number / ${sql.literal(String(DOCUMENTS_PER_PIECE))}
  order by number / ${sql.literal(String(DOCUMENTS_PER_PIECE))}`

export const unpackDocuments = (rows: ReadonlyArray<PackRow>): ReadonlyArray<ServingDocument> =>
  rows.flatMap(({ pack }) => {
    const view = new DataView(pack.buffer, pack.byteOffset, pack.byteLength)
    return Array.from({ length: pack.length / DOCUMENT_BYTES }, (_, number) => {
      const offset = number * DOCUMENT_BYTES
      return {
        id: DocumentId.make(uuidText(pack, offset), { disableChecks: true }),
        revision: view.getInt32(offset + UUID_BYTES),
        chunks: view.getInt32(offset + UUID_BYTES + 4),
        isEmbedded: view.getInt32(offset + UUID_BYTES + 8) === 1,
      }
    })
  })

/** The text of the UUID whose sixteen bytes begin at the offset. */
export const uuidText = (bytes: Uint8Array, offset: number): string => {
  let text = ""
  for (let index = 0; index < UUID_BYTES; index++) {
    if (HYPHENS_BEFORE.has(index)) text += "-"
    text += HEX[bytes[offset + index] ?? 0]
  }
  return text
}

const HYPHENS_BEFORE = new Set([4, 6, 8, 10])
/** The two hex digits of each byte: a buffer for each id would take several times as long. */
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))
