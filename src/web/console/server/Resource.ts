import { type ReadonlySignal, signal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { type Failure, toFailure } from "./Failure.ts"

/** Something that the server knows, as the console has it at the moment. */
export interface Resource<A> {
  /** The last answer; undefined until the first one. It stays while it is asked for again. */
  readonly data: ReadonlySignal<A | undefined>
  readonly failure: ReadonlySignal<Failure | undefined>
  readonly isLoading: ReadonlySignal<boolean>
  readonly reload: () => Promise<void>
  /** Shows what an answer to a change has told, without asking again. */
  readonly set: (data: A) => void
  readonly isExtending: ReadonlySignal<boolean>
  /** Shows what `load` makes of the data, unless that has changed by then, or an answer is waited for already. */
  readonly extend: (load: (known: A) => Promise<A>) => Promise<void>
}

type Known = Omit<Resource<unknown>, "extend" | "set">

const kinds: Array<Map<string, Known>> = []

/** Remembers what is made of each list of arguments, until another key signs in. */
const remembered = <Args extends ReadonlyArray<string>, R extends Known>(make: (...args: Args) => R) => {
  const known = new Map<string, R>()
  kinds.push(known)
  return (...args: Args): R => {
    const key = JSON.stringify(args)
    const found = known.get(key) ?? make(...args)
    known.set(key, found)
    return found
  }
}

/** Forgets everything that the server told, when another key signs in. */
export const forgetResources = (): void => kinds.forEach((known) => known.clear())

/** Asks again for what was refused because nobody was signed in any more. */
export const reloadRefused = (): void => {
  for (const known of kinds)
    for (const resource of known.values()) if (resource.failure.peek()?.status === 401) void resource.reload()
}

const makeResource = <A>(load: () => Promise<A>): Resource<A> => {
  const data = signal<A | undefined>(undefined)
  const failure = signal<Failure | undefined>(undefined)
  const isLoading = signal(false)
  let latest = 0
  let changes = 0
  const set = (value: A): void => {
    changes++
    data.value = value
    failure.value = undefined
  }
  const reload = async (): Promise<void> => {
    const turn = ++latest
    const known = changes
    isLoading.value = true
    try {
      const loaded = await load()
      if (turn !== latest) return
      // The answer may be older than what was set meanwhile, or newer: only another one tells.
      if (known !== changes) return await reload()
      set(loaded)
    } catch (error) {
      if (turn !== latest) return
      failure.value = toFailure(error)
    }
    isLoading.value = false
  }
  const isExtending = signal(false)
  const extend = async (more: (known: A) => Promise<A>): Promise<void> => {
    const known = data.peek()
    if (isExtending.peek() || known === undefined) return
    isExtending.value = true
    try {
      const extended = await more(known)
      if (data.peek() === known) set(extended)
    } catch (error) {
      if (data.peek() === known) failure.value = toFailure(error)
    }
    isExtending.value = false
  }
  return { data, failure, isLoading, reload, set, isExtending, extend }
}

/**
 * Resources of one kind, one for each list of arguments. A screen that is shown again has at once what it showed before,
 * and asks whether that is still so.
 */
export const resources = <Args extends ReadonlyArray<string>, A>(
  load: (...args: Args) => Promise<A>,
): ((...args: Args) => Resource<A>) => remembered((...args: Args) => makeResource(() => load(...args)))

export interface Shown<A> extends Pick<Resource<A>, "reload"> {
  readonly data: { readonly value: A | undefined }
  readonly failure: { readonly value: Failure | undefined }
}

/** Several resources as one: its data is there once all of them are, and reloading asks again for those that failed. */
export const together = <A extends ReadonlyArray<unknown>>(
  ...all: { readonly [K in keyof A]: Resource<A[K]> }
): Shown<A> => {
  const values = all.map(({ data }) => data.value)
  return {
    data: { value: values.includes(undefined) ? undefined : (values as unknown as A) },
    failure: { value: all.find(({ failure }) => failure.value !== undefined)?.failure.value },
    reload: async () => {
      await Promise.all(all.map(({ failure, reload }) => failure.peek() && reload()))
    },
  }
}

/** A list as far as it has been fetched, with the cursor of what comes next. */
export interface Paged<A> {
  readonly items: ReadonlyArray<A>
  readonly next: string | null | undefined
}

/** The page after one of a list that is paged by number, as a query has it; null after the last. */
export const pageAfter = ({ currentPage, totalPages }: { readonly currentPage: number; readonly totalPages: number }) =>
  currentPage < totalPages ? String(currentPage + 1) : null

export interface List<P> extends Resource<P> {
  /** Puts the next page after what is known. What has moved meanwhile stays where it is, and is not there twice. */
  readonly more: () => Promise<void>
}

/** Lists of one kind that are fetched page by page, each page by the cursor that the one before names. */
export const lists = <Args extends ReadonlyArray<string>, P extends Paged<{ readonly id: string }>>(
  fetchPage: (cursor: string | undefined, ...args: Args) => Promise<P>,
): ((...args: Args) => List<P>) =>
  remembered((...args: Args) => {
    const list = makeResource(() => fetchPage(undefined, ...args))
    const next = async (known: P): Promise<P> => {
      const page = await fetchPage(known.next ?? undefined, ...args)
      const ids = new Set(known.items.map(({ id }) => id))
      return { ...page, items: [...known.items, ...page.items.filter(({ id }) => !ids.has(id))] }
    }
    return { ...list, more: () => list.extend(next) }
  })

type Items<A> = Resource<ReadonlyArray<A>>

/** Puts an item into a list: in the place of what was known of it, or else at the end. Returns whether it was known. */
export const put = <A extends { readonly id: string }>(list: Items<A>, item: A): boolean => {
  const known = list.data.peek() ?? []
  const isKnown = known.some(({ id }) => id === item.id)
  list.set(isKnown ? known.map((each) => (each.id === item.id ? item : each)) : [...known, item])
  return isKnown
}

export const drop = <A extends { readonly id: string }>(list: Items<A>, id: string): void =>
  list.set((list.data.peek() ?? []).filter((each) => each.id !== id))

/**
 * A resource for this component, asked for anew when the component appears; not at all where the key that is signed in
 * may not have it.
 */
export const useResource = <R extends Pick<Resource<unknown>, "reload">>(resource: R, isAllowed = true): R => {
  useEffect(() => {
    if (isAllowed) void resource.reload()
  }, [isAllowed, resource])
  return resource
}
