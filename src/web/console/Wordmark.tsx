import { MessagesSquare } from "lucide"
import { Icon } from "../shared/Icon.tsx"

/** The name of the program with its sign. */
export const Wordmark = () => (
  <span class="wordmark row nowrap">
    <span class="wordmark-sign centred">
      <Icon nodes={MessagesSquare} size={16} />
    </span>
    Parley
  </span>
)
