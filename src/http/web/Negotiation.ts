/*
 * Which form of a file a client wants, and whether it has it already.
 */

/** The compressed forms in which files are kept, the smaller one first. */
const encodings = ["br", "gzip"] as const
export type Encoding = (typeof encodings)[number] | "identity"

/** The weight that `Accept-Encoding` gives to a coding; undefined when it does not name it. */
const weights = (header: string): ReadonlyMap<string, number> =>
  new Map(
    header.split(",").map((part) => {
      const [coding = "", ...parameters] = part.toLowerCase().split(";")
      const q = parameters.map((parameter) => /^\s*q=(.*)$/.exec(parameter)?.[1]).find((value) => value !== undefined)
      return [coding.trim(), q === undefined ? 1 : Number(q) || 0]
    }),
  )

/** The smallest form that `Accept-Encoding` accepts. Without the header, or where it refuses all, the plain form. */
export const encodingFor = (header: string | undefined): Encoding => {
  if (header === undefined) return "identity"
  const accepted = weights(header)
  return encodings.find((coding) => (accepted.get(coding) ?? accepted.get("*") ?? 0) > 0) ?? "identity"
}

/** Whether `If-None-Match` names this version. A weak tag counts as well: a proxy that compresses makes tags weak. */
export const isKnown = (header: string | undefined, etag: string): boolean =>
  header !== undefined && header.split(",").some((tag) => ["*", etag, `W/${etag}`].includes(tag.trim()))
