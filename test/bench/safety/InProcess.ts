import { Effect } from "effect"
import type { TestServer } from "../../lib/TestServer.ts"
import type { PartSettings } from "../lib/Parts.ts"

/** Runs the server of the tests in this process, over a new database, for as long as `use` takes. */
export const withServer = async <A>(
  { postgres }: PartSettings,
  use: (server: TestServer) => Promise<A>,
  environment: Readonly<Record<string, string>> = {},
): Promise<A> => {
  // The tests' databases are chosen by the environment when their module is loaded.
  if (postgres === undefined) delete process.env["DATABASE_URL"]
  else process.env["DATABASE_URL"] = postgres
  const { makeServer } = await import("../../lib/TestServer.ts")
  return Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(makeServer({ RATE_LIMIT: "off", ...environment }), (server) => Effect.promise(() => use(server))),
    ),
  )
}
