import { effect, signal } from "@preact/signals"

/** The choice of colours: as the system prefers, or as the person chose in this browser. */
export type Theme = "system" | "light" | "dark"

const STORED = "parley:console:theme"
const isTheme = (text: string | null): text is Theme => text === "light" || text === "dark"

/** Storage may be switched off; then the choice lasts as long as the page. */
const storedTheme = (): Theme => {
  try {
    const text = localStorage.getItem(STORED)
    return isTheme(text) ? text : "system"
  } catch {
    return "system"
  }
}

export const theme = signal<Theme>("system")

export const startTheme = (): void => {
  theme.value = storedTheme()
  effect(() => {
    document.documentElement.dataset["theme"] = theme.value
    try {
      if (theme.value === "system") localStorage.removeItem(STORED)
      else localStorage.setItem(STORED, theme.value)
    } catch {
      // It lasts as long as the page.
    }
  })
}
