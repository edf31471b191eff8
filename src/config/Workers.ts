import { DATABASE_URL, WORKERS } from "../system/Variables.ts"
import { workers as count } from "./Kinds.ts"
import type { Group } from "./Setting.ts"

const workers = {
  /** Infinite for one worker for each core. */
  count: count.or(
    WORKERS,
    "1",
    `Server processes that share the port, so that all cores are used: \`auto\` for one for each core. Several need \`${DATABASE_URL}\`, and each has the connections, the memory for indexes and the shares of one server. See [scaling](scaling.md).`,
  ),
}

export const severalWorkers = {
  title: "Several workers",
  introduction: "How many processes serve on one machine.",
  sections: { workers },
} satisfies Group
