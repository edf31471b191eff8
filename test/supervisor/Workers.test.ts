import { availableParallelism } from "node:os"
import { describe, expect, test } from "bun:test"
import { ConfigProvider, Effect, Layer } from "effect"
import { Config } from "../../src/Config.ts"
import { serverCount } from "../../src/supervisor/Supervisor.ts"
import { SEAT } from "../../src/system/Seat.ts"

const countWith = (environment: Readonly<Record<string, string>>) =>
  Effect.runSync(
    Effect.provide(
      Effect.result(serverCount),
      Layer.provide(Config.layer, ConfigProvider.layer(ConfigProvider.fromUnknown(environment))),
    ),
  )

const DATABASE_URL = "postgres://127.0.0.1:1/parley"
const cores = Math.min(availableParallelism(), 4)

describe("the workers of a server", () => {
  test.each([
    [{}, 1],
    [{ DATABASE_URL }, cores],
    [{ DATABASE_URL, WORKERS: "auto" }, cores],
    [{ DATABASE_URL, WORKERS: "7" }, 7],
    [{ WORKERS: "1" }, 1],
  ])("with the settings %j are as many as the database and the cores allow", (environment, expected) => {
    expect(countWith(environment)).toMatchObject({ _tag: "Success", success: expected })
  })

  test("are refused on the embedded database where several are asked for", () => {
    expect(countWith({ WORKERS: "2" })).toMatchObject({ _tag: "Failure", failure: { what: expect.any(String) } })
  })

  test("share connections, memory of indexes and calls equally, and each has enough to work", async () => {
    const script = `
      import { Effect } from "effect"
      import { Config } from "${import.meta.dir}/../../src/Config.ts"
      const { database, extract, knowledgeIndexes, models } = await Effect.runPromise(Effect.provide(Config, Config.layer))
      process.send([database.maxConnections, knowledgeIndexes.bytes, extract.concurrency, models.anthropic.limits.concurrency])`
    const partsOf = async (seat: string | undefined, settings: Readonly<Record<string, string>>) => {
      const told = Promise.withResolvers<unknown>()
      const { HOME = "", PATH = "" } = process.env
      const child = Bun.spawn([process.execPath, "-e", script], {
        env: { HOME, PATH, ...settings, ...(seat !== undefined && { [SEAT]: seat }) },
        stdio: ["ignore", "inherit", "inherit"],
        ipc: told.resolve,
      })
      await child.exited
      return told.promise
    }
    const settings = {
      DATABASE_CONNECTIONS: "20",
      INDEX_MEMORY: "8KiB",
      INGEST_CONCURRENCY: "2",
      PROVIDER_CONCURRENCY: "9",
    }
    expect(await partsOf(undefined, settings)).toEqual([20, 8_192, 2, 9])
    expect(await partsOf("2/4:/tmp", settings)).toEqual([5, 2_048, 1, 2])
    expect(await partsOf("2/16:/tmp", settings)).toEqual([2, 512, 1, 1])
  })
})
