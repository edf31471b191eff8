import { Schema } from "effect"

/** A page as it is asked for: `page` from 1, `limit` items of 1 to 100. */
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

/** Where a row stands in a list that is ordered by when the database made its rows, and then by id. */
export interface Place {
  /** When, in microseconds since 1970. */
  readonly at: string
  readonly id: string
}

/** Part of such a list: so many items after a place, or from the start. */
export interface Range {
  readonly limit: number
  readonly after: Place | undefined
}

/** All of a list, for who can do with it. */
export const everything: Range = { limit: 1_000_000_000, after: undefined }

export interface Listed<A> {
  readonly items: ReadonlyArray<A>
  /** After this place there is more; undefined: there is not. */
  readonly next: Place | undefined
}

export const offset = ({ page, limit }: Page): number => (page - 1) * limit
