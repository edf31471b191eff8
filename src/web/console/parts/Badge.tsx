import type { ComponentChildren } from "preact"

/** A state in a word or two. */
export const Badge = ({
  children,
  kind = "plain",
}: {
  readonly kind?: "plain" | "good" | "warn" | "bad" | "busy"
  readonly children: ComponentChildren
}) => <span class={`badge ${kind}`}>{children}</span>
