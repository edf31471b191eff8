import { Schema } from "effect"

interface IntegerDocumentation {
  readonly description: string
  readonly default?: number
}

/**
 * A whole number in decimal digits and nothing else: no sign, space, exponent or `0x`. The OpenAPI document shows an
 * integer with its bounds, although a query carries text.
 */
export const integer = (minimum: number, maximum: number, documentation: IntegerDocumentation) =>
  Schema.String.check(
    Schema.isPattern(/^\d+$/, {
      message: "Expected a whole number",
      toJsonSchema: () => ({ type: "integer", minimum, maximum, ...documentation }),
    }),
  ).pipe(Schema.decodeTo(Schema.FiniteFromString.check(Schema.isInt(), Schema.isBetween({ minimum, maximum }))))

/** `page` and `limit` of every paged list. */
export const pageQuery = {
  page: Schema.optionalKey(integer(1, 1_000_000_000, { description: "Number of the page, from 1.", default: 1 })),
  limit: Schema.optionalKey(integer(1, 100, { description: "Items of one page.", default: 20 })),
}

/** The page that a query asks for. */
export const pageOf = ({ page = 1, limit = 20 }: { readonly page?: number; readonly limit?: number }) => ({
  page,
  limit,
})
