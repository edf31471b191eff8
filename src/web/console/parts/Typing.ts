import { useEffect } from "preact/hooks"

/** The rest after the last key before a text counts as typed. */
const TYPING_MILLIS = 300

/** Does something with a text whenever nobody has typed in it for a moment. */
export const useTyped = (text: string, act: (text: string) => void): void =>
  useEffect(() => {
    const timer = setTimeout(() => act(text), TYPING_MILLIS)
    return () => clearTimeout(timer)
  }, [text])
