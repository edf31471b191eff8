import { Context } from "effect"

/**
 * Actor without an API key: the operator on the command line, the server itself, as its jobs do, or somebody who has no
 * valid key.
 */
export type KeylessActor = "anonymous" | "command_line" | "server"

/** Actor in the current fiber, as the audit log records it, unless there is a `Caller`. */
export const Actor: Context.Reference<KeylessActor> = Context.Reference<KeylessActor>("parley/domain/audit/Actor", {
  defaultValue: () => "server",
})
