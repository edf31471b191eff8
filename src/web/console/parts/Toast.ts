import { signal } from "@preact/signals"
import { toFailure } from "../server/Failure.ts"

interface Toast {
  readonly id: number
  readonly kind: "done" | "failed"
  readonly text: string
}

const SHOWN_MILLIS = 5_000
let next = 0
export const toasts = signal<ReadonlyArray<Toast>>([])

export const removeToast = (id: number): void => {
  toasts.value = toasts.value.filter((toast) => toast.id !== id)
}

const add = (kind: Toast["kind"], text: string): void => {
  const id = next++
  toasts.value = [...toasts.value.slice(-2), { id, kind, text }]
  // What failed stays until it is put away.
  if (kind === "done") setTimeout(() => removeToast(id), SHOWN_MILLIS)
}

export const toast = (text: string): void => add("done", text)

export const toastFailure = (error: unknown): void => {
  const failure = toFailure(error)
  const { advice, reason } = failure.explanation ?? {}
  if (failure.code !== "aborted") add("failed", [failure.message, reason, advice].filter(Boolean).join("\n"))
}

/** Does something, and says in a corner that it is done, or why it failed. */
export const attempt = async (work: () => unknown, done?: string): Promise<void> => {
  try {
    await work()
    if (done !== undefined) toast(done)
  } catch (error) {
    toastFailure(error)
  }
}
