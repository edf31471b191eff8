import { effect, type Signal, signal } from "@preact/signals"
import { jsonIn } from "../server/Unknown.ts"

/**
 * A value that this browser keeps under a name, `first` until there is one. Storage may be switched off; then it lasts as
 * long as the page.
 *
 * @param read the value in what is stored, which may be of another version; undefined where it is none
 */
export const kept = <A>(name: string, first: A, read: (stored: unknown) => A | undefined): Signal<A> => {
  const key = `parley:console:${name}`
  const stored = (): A | undefined => {
    try {
      return read(jsonIn(localStorage.getItem(key) ?? ""))
    } catch {
      return undefined
    }
  }
  const value = signal(stored() ?? first)
  effect(() => {
    try {
      localStorage.setItem(key, JSON.stringify(value.value))
    } catch {
      // It lasts as long as the page.
    }
  })
  return value
}
