import type { StoredState } from "../../shared/Bridge.ts"

/**
 * Makes the storage of the visitor's state: `localStorage`, or memory where the browser blocks that.
 *
 * @param name the only entry of `localStorage` that is touched, and not before the first write
 */
export const makeStore = (name: string) => {
  let memory: StoredState | undefined
  let isBlocked = false
  return {
    read: (): StoredState | undefined => {
      if (isBlocked) return memory
      try {
        const state = JSON.parse(localStorage.getItem(name) ?? "null")
        return typeof state?.secret === "string" ? state : undefined
      } catch {
        return undefined
      }
    },
    write: (state: StoredState | undefined): void => {
      memory = state
      try {
        if (state === undefined) localStorage.removeItem(name)
        else localStorage.setItem(name, JSON.stringify(state))
        isBlocked = false
      } catch {
        isBlocked = true
      }
    },
  }
}
