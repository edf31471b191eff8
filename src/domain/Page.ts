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

export const offset = ({ page, limit }: Page): number => (page - 1) * limit
