import messages from "icon:messages-square"
import { Icon } from "../shared/Icon.tsx"

/** The name of the program with its sign. */
export const Wordmark = () => (
  <span class="wordmark">
    <span class="wordmark-sign">
      <Icon nodes={messages} size={16} />
    </span>
    Parley
  </span>
)
