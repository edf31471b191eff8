import { computed, type ReadonlySignal, signal } from "@preact/signals"
import { type Failure, toFailure } from "../Failure.ts"
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
  /** Why the last attempt to save failed, where no field is to blame. */
  readonly failure: ReadonlySignal<Failure | undefined>
  /** What somebody else has stored meanwhile, beside what the person has changed. */
  readonly conflict: ReadonlySignal<Merged | undefined>
  readonly text: (path: string) => string
  readonly flag: (path: string) => boolean
  readonly list: (path: string) => ReadonlyArray<string>
  /** What is wrong with a field, as the server has said. */
  readonly error: (path: string) => string | undefined
  readonly set: (path: string, value: Value) => void
  readonly save: () => Promise<boolean>
  readonly discard: () => void
  /** Goes on from what is stored by now; what the person has changed stays changed. */
  readonly rebase: (stored: Stored) => void
  /** Goes on after a conflict with these fields, or, without them, as before it. */
  readonly resolve: (fields: Fields | undefined) => void
}

export const makeForm = (first: Stored, { load, save: store }: FormStore): Form => {
  const stored = signal(first)
  const fields = signal(first.fields)
  const isSaving = signal(false)
  const failure = signal<Failure | undefined>(undefined)
  const errors = signal<Readonly<Record<string, string>>>({})
  const conflict = signal<Merged | undefined>(undefined)
  /** What the conflict is with. */
  let theirs: Stored | undefined
  const changes = computed(() => differences(stored.value.fields, fields.value))

  const rebase = (next: Stored): void => {
    fields.value = merge(stored.value.fields, fields.value, next.fields).fields
    stored.value = next
  }

  const explain = async (error: unknown): Promise<void> => {
    const problem = toFailure(error)
    if (problem.status === 412) {
      theirs = await load()
      const merged = merge(stored.value.fields, fields.value, theirs.fields)
      conflict.value = merged
      return
    }
    errors.value = Object.fromEntries(problem.errors.map(({ message, path }) => [path, message]))
    if (problem.code === "slug_taken") errors.value = { ...errors.value, slug: problem.message }
    failure.value = problem
  }

  const save = async (): Promise<boolean> => {
    if (changes.value.length === 0 || isSaving.value) return true
    isSaving.value = true
    failure.value = undefined
    errors.value = {}
    const sent = fields.value
    try {
      const next = await store(sent, changes.value, stored.value.etag)
      // What was written while the request was on its way stays written.
      const written = differences(sent, fields.value)
      const kept = Object.fromEntries(written.map((path) => [path, fields.value[path] ?? null]))
      stored.value = next
      fields.value = { ...next.fields, ...kept }
      return true
    } catch (error) {
      try {
        await explain(error)
      } catch (second) {
        failure.value = toFailure(second)
      }
      return false
    } finally {
      isSaving.value = false
    }
  }

  return {
    fields,
    changes,
    isSaving,
    failure,
    conflict,
    text: (path) => {
      const value = fields.value[path]
      return value === undefined || value === null ? "" : String(value)
    },
    flag: (path) => fields.value[path] === true,
    list: (path) => {
      const value = fields.value[path]
      return Array.isArray(value) ? value : []
    },
    error: (path) => errors.value[path],
    set: (path, value) => {
      fields.value = { ...fields.value, [path]: value }
      if (errors.value[path] !== undefined) {
        const { [path]: _, ...rest } = errors.value
        errors.value = rest
      }
    },
    save,
    discard: () => {
      fields.value = stored.value.fields
      failure.value = undefined
      errors.value = {}
    },
    rebase,
    resolve: (resolved) => {
      if (resolved !== undefined && theirs !== undefined) {
        stored.value = theirs
        fields.value = resolved
      }
      conflict.value = undefined
    },
  }
}
