import { Context } from "effect"

/** Oddities that the start of the server found in its settings, one sentence each. They show no values of secrets. */
export class StartWarnings extends Context.Service<StartWarnings, ReadonlyArray<string>>()(
  "parley/system/StartWarnings",
) {}
