import { Schema } from "effect"

/** A UUID v7: within a document, id order is reading order. */
export const ChunkId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("ChunkId"))
export type ChunkId = typeof ChunkId.Type
