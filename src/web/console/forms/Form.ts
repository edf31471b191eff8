import { computed, type ReadonlySignal, signal } from "@preact/signals"
import { type Failure, toFailure } from "../server/Failure.ts"
import { differences, type Fields, merge, type Merged, type Value } from "./Fields.ts"

/** The fields of a configuration as they are stored, with the version of it. */
export interface Stored {
  readonly fields: Fields
  readonly etag: string | undefined
}

interface FormStore {
  readonly load: () => Promise<Stored>
  /** Stores the fields at these paths, unless the configuration has another version by now. */
  readonly save: (fields: Fields, paths: ReadonlyArray<string>, etag: string | undefined) => Promise<Stored>
}

/** A configuration that a person is changing. */
export interface Form {
  readonly fields: ReadonlySignal<Fields>
  /** The paths of what differs from what is stored. */
  readonly changes: ReadonlySignal<ReadonlyArray<string>>
  readonly isSaving: ReadonlySignal<boolean>
  /** The failure of the last attempt to save, where no field is to blame. */
  readonly failure: ReadonlySignal<Failure | undefined>
  /** Fields that somebody else has stored meanwhile and that the person has changed as well. */
  readonly conflict: ReadonlySignal<Merged | undefined>
  /** The message of the server about a field that is wrong. */
  readonly error: (path: string) => string | undefined
  readonly text: (path: string) => string
  /** The properties of a control for a text, a list, a number or a flag at a path. */
  readonly line: (path: string) => Bound<string>
  readonly lines: (path: string) => Bound<string>
  readonly number: (path: string) => Bound<string>
  readonly flag: (path: string) => Bound<boolean>
  readonly set: (path: string, value: Value) => void
  readonly save: () => Promise<boolean>
  readonly discard: () => void
  /** Goes on from what is stored by now; what the person has changed stays changed. */
  readonly rebase: (stored: Stored) => void
  /** Goes on after a conflict with the values of one side, or, without one, as before it. */
  readonly resolve: (side: "mine" | "theirs" | undefined) => void
}

interface Bound<A> {
  readonly value: A
  readonly onValue: (value: A) => void
  readonly error: string | undefined
}

const record = <A>(paths: ReadonlyArray<string>, valueAt: (path: string) => A): Readonly<Record<string, A>> =>
  Object.fromEntries(paths.map((path) => [path, valueAt(path)]))

export const makeForm = (first: Stored, { load, save: store }: FormStore): Form => {
  const stored = signal(first)
  const fields = signal(first.fields)
  const isSaving = signal(false)
  const failure = signal<Failure | undefined>(undefined)
  const errors = signal<Readonly<Record<string, string>>>({})
  const conflict = signal<Merged | undefined>(undefined)
  /** The other side of the conflict. */
  let theirs = first
  const changes = computed(() => differences(stored.value.fields, fields.value))

  const rebase = (next: Stored): void => {
    fields.value = merge(stored.value.fields, fields.value, next.fields).fields
    stored.value = next
  }

  /** Stores the changes, onto what somebody else has stored meanwhile where both have changed different fields. */
  const attempt = async (isRepeated: boolean): Promise<boolean> => {
    const sent = fields.value
    try {
      const next = await store(sent, changes.value, stored.value.etag)
      // What was written while the request was on its way stays written.
      const written = record(differences(sent, fields.value), (path) => fields.value[path] ?? null)
      stored.value = next
      fields.value = { ...next.fields, ...written }
      return true
    } catch (error) {
      const problem = toFailure(error)
      if (problem.status !== 412 || isRepeated) throw problem
      theirs = await load()
      const merged = merge(stored.value.fields, fields.value, theirs.fields)
      if (merged.clashes.length > 0) conflict.value = merged
      else rebase(theirs)
      return merged.clashes.length === 0 && attempt(true)
    }
  }

  const save = async (): Promise<boolean> => {
    if (changes.value.length === 0 || isSaving.value) return true
    isSaving.value = true
    failure.value = undefined
    errors.value = {}
    try {
      return await attempt(false)
    } catch (error) {
      const problem = toFailure(error)
      errors.value = Object.fromEntries(problem.errors.map(({ message, path }) => [path, message]))
      if (problem.code === "slug_taken") errors.value = { ...errors.value, slug: problem.message }
      failure.value = problem
      return false
    } finally {
      isSaving.value = false
    }
  }

  const set = (path: string, value: Value): void => {
    fields.value = { ...fields.value, [path]: value }
    if (errors.value[path] === undefined) return
    const { [path]: _, ...rest } = errors.value
    errors.value = rest
  }
  const text = (path: string): string => String(fields.value[path] ?? "")
  const error = (path: string): string | undefined => errors.value[path]

  return {
    fields,
    changes,
    isSaving,
    failure,
    conflict,
    error,
    text,
    line: (path) => ({ value: text(path), onValue: (value) => set(path, value), error: error(path) }),
    lines: (path) => {
      const value = fields.value[path]
      // Of an item, the path says which one it is.
      const wrong = Object.entries(errors.value).find(([place]) => place.startsWith(path))
      return {
        value: Array.isArray(value) ? value.join("\n") : "",
        onValue: (text) => set(path, text.split("\n")),
        error: wrong?.[1],
      }
    },
    number: (path) => ({
      value: text(path),
      onValue: (value) => set(path, value === "" ? null : Number(value)),
      error: error(path),
    }),
    flag: (path) => ({
      value: fields.value[path] === true,
      onValue: (value) => set(path, value),
      error: error(path),
    }),
    set,
    save,
    discard: () => {
      fields.value = stored.value.fields
      failure.value = undefined
      errors.value = {}
    },
    rebase,
    resolve: (side) => {
      const merged = conflict.value
      conflict.value = undefined
      if (side === undefined || merged === undefined) return
      stored.value = theirs
      fields.value =
        side === "mine"
          ? merged.fields
          : {
              ...merged.fields,
              ...record(
                merged.clashes.map(({ path }) => path),
                (path) => theirs.fields[path] ?? null,
              ),
            }
    },
  }
}
