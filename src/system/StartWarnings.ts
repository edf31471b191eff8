import { Context } from "effect"

/** What the start of the server found odd about its settings, one sentence each. They show no values of secrets. */
export class StartWarnings extends Context.Service<StartWarnings, ReadonlyArray<string>>()(
  "parley/system/StartWarnings",
) {}
