/*
 * Values whose form nobody vouches for, such as JSON of other servers.
 */

export type Fields = Readonly<Record<string, unknown>>

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const fieldsIn = (value: unknown): Fields => (isFields(value) ? value : {})

export const textIn = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

export const numberIn = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined)

/** The keys of a record whose type names all of them. */
export const keysOf = <K extends string>(record: Readonly<Partial<Record<K, unknown>>>): ReadonlyArray<K> =>
  Object.keys(record).filter((key): key is K => key in record)

/** The value that a text is as JSON; undefined where it is none. */
export const jsonIn = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
