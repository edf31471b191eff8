import { signal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"

export interface Shortcut {
  /** The key as `KeyboardEvent.key` has it, such as `j`, `?` or `Escape`. */
  readonly key: string
  readonly label: string
  readonly run: () => void
}

const groups = signal<ReadonlyArray<{ readonly current: ReadonlyArray<Shortcut> }>>([])

export const shortcuts = (): ReadonlyArray<Shortcut> => groups.value.flatMap(({ current }) => current)

/** The controls that take letters for themselves, and everything in a dialog. */
const OWN_KEYS = "input:not([type=checkbox]), textarea, select, [contenteditable], dialog, [popover]"

/** Offers shortcuts while the component is shown. They are without effect where letters are typed. */
export const useShortcuts = (own: ReadonlyArray<Shortcut>): void => {
  const group = useRef(own)
  group.current = own
  useEffect(() => {
    groups.value = [group, ...groups.peek()]
    return () => {
      groups.value = groups.peek().filter((each) => each !== group)
    }
  }, [group])
}

/** Listens to an event of the window while the component is shown. */
export const useWindowEvent = <K extends keyof WindowEventMap>(
  type: K,
  listener: (event: WindowEventMap[K]) => void,
): void => {
  const latest = useRef(listener)
  latest.current = listener
  useEffect(() => {
    const ends = new AbortController()
    const onEvent = (event: WindowEventMap[K]): void => latest.current(event)
    addEventListener(type, onEvent, ends)
    return () => ends.abort()
  }, [type])
}

/** Does something at a letter with Control, or with Command on a Mac, but without Shift, wherever the focus is. */
export const useControlKey = (letter: string, run: () => void): void =>
  useWindowEvent("keydown", (event) => {
    if (event.key.toLowerCase() !== letter || event.shiftKey || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    run()
  })

/** Follows the keyboard from now on. Called once. */
export const startShortcuts = (): void =>
  addEventListener("keydown", (event: KeyboardEvent) => {
    const isTyping = event.target instanceof Element && event.target.closest(OWN_KEYS) !== null
    // The focus may be lost behind a dialog, whose keys these are.
    if (document.querySelector("dialog:modal") !== null) return
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping || event.defaultPrevented) return
    const found = shortcuts().find(({ key }) => key === event.key)
    if (found === undefined) return
    event.preventDefault()
    found.run()
  })
