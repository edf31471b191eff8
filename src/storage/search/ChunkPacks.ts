import type { SqlClient, Statement } from "effect/sql"
import { DocumentId } from "../../domain/Ids.ts"
import { isLanguage, type Language } from "../../text/Language.ts"

/*
 * Many chunks in one value: the client decodes one field in place of seven for each chunk, and makes no object of them,
 * so that the bytes can go to another thread as they came.
 */

/** What an index is built from. `lexemes` is a binary `tsvector`; title words are weighted A, headings B. */
export interface PackedChunk {
  /** Sixteen bytes, as is the document's. */
  readonly id: Uint8Array
  readonly documentId: Uint8Array
  readonly revision: number
  readonly language: Language
  readonly lexemes: Uint8Array
  /** Null when it is of another model, or of none that was asked for. */
  readonly sketch: Uint8Array | null
  /** In place of a sketch that was not stored. */
  readonly embedding: Float32Array | null
}

/** Many chunks, in pieces; see `unpack`. They are parts of something larger. */
export type ChunkPack = ReadonlyArray<Uint8Array>

/** A piece of a pack as the client decodes it. */
export interface PackRow {
  readonly pack: Uint8Array
}

/*
 * A piece is some ten kilobytes, of so many rows: the client keeps what it receives in buffers of 64 KiB, and anything
 * that does not fit is copied into a larger one again and again.
 */
const CHUNKS_PER_PIECE = 32
const DOCUMENTS_PER_PIECE = 1_024

/** The fields of a chunk. */
const FIELDS = `uuid_send(id) || uuid_send(document_id) || int4send(revision)
  || int4send(octet_length(language)) || convert_to(language, 'UTF8') || int4send(octet_length(words)) || words`

/**
 * Packs rows with the columns `id`, `document_id`, `revision`, `ordinal`, `language`, `lexemes`, `sketch` and
 * `embedding`, in order.
 */
export const packed = (sql: SqlClient.SqlClient, rows: Statement.Fragment): Statement.Statement<PackRow> => sql`
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

/** The same of rows without ordinals and vectors, in order of their ids. */
export const packedWords = (sql: SqlClient.SqlClient, rows: Statement.Fragment): Statement.Statement<PackRow> => sql`
  select string_agg(${sql.literal(FIELDS)} || '\\xffffffffffffffff'::bytea, ''::bytea order by number) as pack
  from (select *, (row_number() over (order by id))::int as number from (${rows}) as found) as numbered
  cross join lateral (select tsvectorsend(lexemes) as words offset 0) as in_binary
  group by number / ${sql.literal(String(CHUNKS_PER_PIECE))} order by number / ${sql.literal(String(CHUNKS_PER_PIECE))}`

export const packOf = (rows: ReadonlyArray<PackRow>): ChunkPack => rows.map(({ pack }) => pack)

/** All of it in one piece of its own. */
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

/** The chunks of a pack. Their bytes are views on the pack. */
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

/** A `tsvector` of none: a count of 0. */
const NO_LEXEMES = new Uint8Array(4)

const floatsOf = (bigEndian: Uint8Array): Float32Array =>
  new Float32Array(Buffer.from(bigEndian.slice()).swap32().buffer)

/** A document that answers searches. */
export interface ServingDocument {
  readonly id: DocumentId
  readonly revision: number
  readonly chunks: number
  /** Whether all of its embeddings are of the model that was asked for. */
  readonly isEmbedded: boolean
}

const DOCUMENT_BYTES = UUID_BYTES + 12

/** Packs rows with the columns `id`, `revision`, `chunks` and `is_embedded`, in order of their ids. */
export const packedDocuments = (
  sql: SqlClient.SqlClient,
  rows: Statement.Fragment,
): Statement.Statement<PackRow> => sql`
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

/** The UUID whose sixteen bytes begin there. */
export const uuidText = (bytes: Uint8Array, offset: number): string => {
  let text = ""
  for (let index = 0; index < UUID_BYTES; index++) {
    if (HYPHENS_BEFORE.has(index)) text += "-"
    text += HEX[bytes[offset + index] ?? 0]
  }
  return text
}

const HYPHENS_BEFORE = new Set([4, 6, 8, 10])
/** Two digits of each byte: a buffer for each id would take several times as long. */
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))

/** The sixteen bytes of a UUID. */
export const uuidBytes = (uuid: string): Uint8Array => Buffer.from(uuid.replaceAll("-", ""), "hex")
