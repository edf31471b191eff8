import { Schema } from "effect"

/** The page that a request asks for: `page` counts from 1, and `limit` is 1 to 100 items. */
export interface Page {
  readonly page: number
  readonly limit: number
}

export const PageMetadata = Schema.Struct({
  currentPage: Schema.Finite,
  pageSize: Schema.Finite,
  totalCount: Schema.Finite,
  totalPages: Schema.Finite,
})
export type PageMetadata = typeof PageMetadata.Type

export const pageMetadata = ({ page, limit }: Page, totalCount: number): PageMetadata => ({
  currentPage: page,
  pageSize: limit,
  totalCount,
  totalPages: Math.ceil(totalCount / limit),
})

/** The position of a row in a list that is ordered by the time at which the database made the rows, and then by id. */
export interface Place {
  /** The time at which the database made the row, in microseconds since 1970. */
  readonly at: string
  readonly id: string
}

/** A part of a list: at most `limit` items after a position, or from the start. */
export interface Range {
  readonly limit: number
  readonly after: Place | undefined
}

/** The whole list, for callers that do not page through it. */
export const everything: Range = { limit: 1_000_000_000, after: undefined }

/** A part of a list, with where the next part begins. */
export interface Listed<A> {
  readonly items: ReadonlyArray<A>
  /** The position after which the list goes on; undefined at its end. */
  readonly next: Place | undefined
}

export const offset = ({ page, limit }: Page): number => (page - 1) * limit
