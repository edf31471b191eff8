import { Context } from "effect"

/**
 * The address of the client behind the current request, as the server knows it: that of the connection, or the one that
 * a trusted proxy reports. Undefined outside of requests, as on the command line and in jobs.
 */
export const ClientAddress: Context.Reference<string | undefined> = Context.Reference<string | undefined>(
  "parley/domain/ClientAddress",
  { defaultValue: () => undefined },
)
