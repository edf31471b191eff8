import { computed, type ReadonlySignal, signal } from "@preact/signals"
import { type Failure, type Refusal, toFailure } from "../server/Failure.ts"
import { type Clash, clashesOf, differences, type Fields, merge, pick, type Value } from "./Fields.ts"

/** The fields of a configuration as they are stored, with the version of it. */
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

/** A configuration that a person is changing. */
export interface Form {
  readonly fields: ReadonlySignal<Fields>
  /** The paths of what differs from what is stored. */
  readonly changes: ReadonlySignal<ReadonlyArray<string>>
  readonly isSaving: ReadonlySignal<boolean>
  /** The failure of the last attempt to save. */
  readonly failure: ReadonlySignal<Failure | undefined>
  /** The fields that the server has refused and that nobody has changed since. */
  readonly errors: ReadonlySignal<ReadonlyArray<Refusal>>
  readonly text: (path: string) => string
  /** The properties of a control for a text, a list, a number or a flag at a path. */
  readonly line: (path: string) => Bound<string>
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
  }
}
