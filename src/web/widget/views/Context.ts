import { createContext } from "preact"
import { useContext } from "preact/hooks"
import type { Widget } from "../model/Widget.ts"

export const WidgetContext = createContext<Widget | undefined>(undefined)

export const useWidget = (): Widget => {
  const widget = useContext(WidgetContext)
  if (widget === undefined) throw new Error("The component stands outside of a widget.")
  return widget
}

export const useTexts = () => useWidget().language.value.texts

/** As a `ref`, gives the focus to what has just been shown. */
export const focusOn = (element: HTMLElement | null): void => element?.focus()
