import type { IconNode } from "lucide"
import { h } from "preact"

/** An icon beside a text that says the same, so that screen readers pass over it. `nodes` are one of Lucide. */
export const Icon = ({ nodes, size = 20 }: { readonly nodes: IconNode; readonly size?: number }) => (
  <svg
    class="icon"
    width={size}
    height={size}
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    stroke-width="2"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    {nodes.map(([tag, attributes]) => h(tag, attributes))}
  </svg>
)
