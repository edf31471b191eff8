import { computed, type ReadonlySignal, signal } from "@preact/signals"
import { textsIn } from "../data/Texts.ts"
import { type Failure, type Refusal, toFailure } from "../server/Failure.ts"
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

/** What is changed as a whole, and is JSON in a form. */
const wholes: ReadonlySet<string> = new Set(["settings.handover"])

const isValue = (value: unknown): value is Value =>
  value === null ||
  typeof value === "string" ||
  typeof value === "number" ||
  typeof value === "boolean" ||
  (Array.isArray(value) && value.every((item) => typeof item === "string"))

export const fieldsOf = (configuration: unknown, within = ""): Fields => {
  if (!isFields(configuration)) return {}
  return Object.entries(configuration).reduce<Record<string, Value>>((fields, [name, value]) => {
    if (wholes.has(within + name)) fields[within + name] = value === null ? null : JSON.stringify(value)
    else if (isFields(value)) Object.assign(fields, fieldsOf(value, `${within}${name}.`))
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
    else if (wholes.has(path)) group[last] = JSON.parse(String(set), withoutBlanks)
    else group[last] = Array.isArray(set) && listsOfLists.has(path) ? set.map(textsIn) : set
  }
  return patch
}

/** Leaves empty lines out of lists. */
const withoutBlanks = (_: string, value: unknown): unknown =>
  Array.isArray(value) ? value.filter((item) => typeof item !== "string" || item.trim() !== "") : value

/** A field that the person and somebody else have changed to different values. */
export interface Clash {
  readonly path: string
  readonly mine: Value
  readonly theirs: Value
}

const pick = (fields: Fields, paths: ReadonlyArray<string>): Fields =>
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

export interface Stored {
  readonly fields: Fields
  readonly etag: string | undefined
}

interface FormStore {
  readonly load: () => Promise<Stored>
  /** Stores the fields at these paths, unless the configuration has another version by now. */
  readonly save: (fields: Fields, paths: ReadonlyArray<string>, etag: string | undefined) => Promise<Stored>
  /** Asks which fields shall have the other side's value; undefined to go on editing. */
  readonly choose: (clashes: ReadonlyArray<Clash>) => Promise<ReadonlyArray<string> | undefined>
}

export interface Form {
  readonly fields: ReadonlySignal<Fields>
  readonly changes: ReadonlySignal<ReadonlyArray<string>>
  readonly isSaving: ReadonlySignal<boolean>
  readonly failure: ReadonlySignal<Failure | undefined>
  readonly errors: ReadonlySignal<ReadonlyArray<Refusal>>
  readonly text: (path: string) => string
  /** The properties of a control for a text, a list, a number or a flag at a path. */
  readonly line: (path: string) => Bound<string>
  /** The properties of a control for a text that is not set while it is empty. */
  readonly optional: (path: string) => Bound<string>
  readonly lines: (path: string) => Bound<string>
  readonly number: (path: string) => Bound<string>
  /** The properties of a control for one of a few texts, of which one stands for an empty field. */
  readonly option: (path: string, usual: string) => Bound<string>
  readonly flag: (path: string) => Bound<boolean>
  readonly set: (path: string, value: Value) => void
  readonly save: () => Promise<boolean>
  readonly discard: () => void
  /** Goes on from what is stored by now; what the person has changed stays changed. */
  readonly rebase: (stored: Stored) => void
  /** Goes on from what somebody else has stored, unless the person has changed the same fields. */
  readonly follow: (stored: Stored) => void
}

interface Bound<A> {
  readonly name: string
  readonly value: A
  readonly onValue: (value: A) => void
}

export const makeForm = (first: Stored, store: FormStore): Form => {
  const stored = signal(first)
  const fields = signal(first.fields)
  const isSaving = signal(false)
  const failure = signal<Failure | undefined>(undefined)
  const errors = signal<ReadonlyArray<Refusal>>([])
  const changes = computed(() => differences(stored.value.fields, fields.value))

  const rebase = (next: Stored): void => {
    fields.value = merge(stored.value.fields, fields.value, next.fields)
    stored.value = next
  }

  const follow = (next: Stored): void => {
    if (clashesOf(stored.peek().fields, fields.peek(), next.fields).length === 0) rebase(next)
  }

  const attempt = async (): Promise<true> => {
    const sent = fields.value
    const next = await store.save(sent, changes.value, stored.value.etag)
    stored.value = next
    // What was written while the request was on its way stays written.
    fields.value = merge(sent, fields.value, next.fields)
    return true
  }

  /** Stores the changes onto what somebody else has stored meanwhile. */
  const attemptAgain = async (): Promise<boolean> => {
    const theirs = await store.load()
    const clashes = clashesOf(stored.value.fields, fields.value, theirs.fields)
    const taken = clashes.length === 0 ? [] : await store.choose(clashes)
    if (taken === undefined) return false
    rebase(theirs)
    fields.value = { ...fields.value, ...pick(theirs.fields, taken) }
    return attempt()
  }

  const save = async (): Promise<boolean> => {
    if (changes.value.length === 0 || isSaving.value) return true
    isSaving.value = true
    failure.value = undefined
    errors.value = []
    try {
      return await attempt().catch((error: unknown) => {
        if (toFailure(error).status === 412) return attemptAgain()
        throw error
      })
    } catch (error) {
      const problem = toFailure(error)
      failure.value = problem
      errors.value = problem.code === "slug_taken" ? [{ path: "slug", message: problem.message }] : problem.errors
      return false
    } finally {
      isSaving.value = false
    }
  }

  const set = (path: string, value: Value): void => {
    fields.value = { ...fields.value, [path]: value }
    errors.value = errors.value.filter((each) => each.path !== path && !each.path.startsWith(`${path}.`))
  }
  const text = (path: string): string => String(fields.value[path] ?? "")

  return {
    fields,
    changes,
    isSaving,
    failure,
    errors,
    text,
    line: (name) => ({ name, value: text(name), onValue: (value) => set(name, value) }),
    optional: (name) => ({ name, value: text(name), onValue: (value) => set(name, value || null) }),
    lines: (name) => {
      const value = fields.value[name]
      return {
        name,
        value: Array.isArray(value) ? value.join("\n") : "",
        onValue: (text) => set(name, text.split("\n")),
      }
    },
    number: (name) => ({
      name,
      value: text(name),
      onValue: (value) => set(name, value === "" ? null : Number(value)),
    }),
    option: (name, usual) => ({ name, value: text(name) || usual, onValue: (value) => set(name, value) }),
    flag: (name) => ({ name, value: fields.value[name] === true, onValue: (value) => set(name, value) }),
    set,
    save,
    discard: () => {
      fields.value = stored.value.fields
      failure.value = undefined
      errors.value = []
    },
    rebase,
    follow,
  }
}
