import { isFields } from "../server/Unknown.ts"

/*
 * The fields of a configuration by their paths, such as `settings.prompt`, so that what a person has changed, what somebody
 * else has changed meanwhile, and what both have changed can be told apart.
 */

export type Value = string | number | boolean | null | ReadonlyArray<string>

/** Values by path. A path that is absent is a field that has not been set, like one that is null. */
export type Fields = Readonly<Record<string, Value>>

/** The lists of lists of texts. In a form, each is a list of lines, in which commas separate the texts. */
const listsOfLists: ReadonlySet<string> = new Set(["settings.synonyms"])

const isValue = (value: unknown): value is Value =>
  value === null ||
  typeof value === "string" ||
  typeof value === "number" ||
  typeof value === "boolean" ||
  (Array.isArray(value) && value.every((item) => typeof item === "string"))

/** The fields of a configuration as the API shows it. */
export const fieldsOf = (configuration: unknown, within = ""): Fields => {
  if (!isFields(configuration)) return {}
  return Object.entries(configuration).reduce<Record<string, Value>>((fields, [name, value]) => {
    if (isFields(value)) Object.assign(fields, fieldsOf(value, `${within}${name}.`))
    else if (Array.isArray(value) && listsOfLists.has(within + name)) {
      fields[within + name] = value.map((list) => (Array.isArray(list) ? list.join(", ") : ""))
    } else if (isValue(value)) fields[within + name] = value
    return fields
  }, {})
}

const isUnset = (value: Value | undefined): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0)

const isSame = (one: Value | undefined, other: Value | undefined): boolean =>
  (isUnset(one) && isUnset(other)) || JSON.stringify(one) === JSON.stringify(other)

/** The paths of the fields that differ. */
export const differences = (one: Fields, other: Fields): ReadonlyArray<string> =>
  Array.from(new Set([...Object.keys(one), ...Object.keys(other)])).filter((path) => !isSame(one[path], other[path]))

interface Patch {
  [name: string]: Value | ReadonlyArray<ReadonlyArray<string>> | Patch
}

/** A change of these fields only, as the API takes it: `{ settings: { prompt: "…" } }`. Null unsets a field. */
export const patchOf = (fields: Fields, paths: ReadonlyArray<string>): Patch => {
  const patch: Patch = {}
  for (const path of paths) {
    const names = path.split(".")
    const last = names.pop() ?? path
    let group = patch
    for (const name of names) {
      const inner = group[name]
      group = isFields(inner) ? (inner as Patch) : (group[name] = {})
    }
    const value = fields[path]
    const set = Array.isArray(value) ? value.filter((item) => item.trim() !== "") : value
    if (set === undefined || isUnset(set)) group[last] = null
    else group[last] = Array.isArray(set) && listsOfLists.has(path) ? set.map(textsOf) : set
  }
  return patch
}

/** The texts of a line, with commas in between. */
const textsOf = (line: string): ReadonlyArray<string> =>
  line
    .split(/[,，、]/u)
    .map((text) => text.trim())
    .filter(Boolean)

/** A field that the person and somebody else have changed to different values. */
export interface Clash {
  readonly path: string
  readonly mine: Value
  readonly theirs: Value
}

/** The fields at these paths. */
export const pick = (fields: Fields, paths: ReadonlyArray<string>): Fields =>
  Object.fromEntries(paths.map((path) => [path, fields[path] ?? null]))

/** Joins the fields that somebody else has stored since the person began with those that the person has changed. */
export const merge = (base: Fields, mine: Fields, theirs: Fields): Fields => ({
  ...theirs,
  ...pick(mine, differences(base, mine)),
})

/** The fields that the person and somebody else have changed since, each to another value. */
export const clashesOf = (base: Fields, mine: Fields, theirs: Fields): ReadonlyArray<Clash> =>
  differences(base, mine)
    .filter((path) => !isSame(base[path], theirs[path]) && !isSame(mine[path], theirs[path]))
    .map((path) => ({ path, mine: mine[path] ?? null, theirs: theirs[path] ?? null }))
