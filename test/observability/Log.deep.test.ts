import { describe, expect, test } from "bun:test"

const logModule = new URL("../../src/observability/Log.ts", import.meta.url).href
const configModule = new URL("../../src/Config.ts", import.meta.url).href
const requestIdModule = new URL("../../src/domain/RequestId.ts", import.meta.url).href

/** Runs a script in a process of its own, and returns its standard output, to which the log goes. */
const linesOf = async (program: string, settings: Record<string, string>): Promise<ReadonlyArray<string>> => {
  const source = `
    import { Cause, Effect, Layer, Redacted } from "effect"
    import * as Log from ${JSON.stringify(logModule)}
    import { Config } from ${JSON.stringify(configModule)}
    import { RequestId } from ${JSON.stringify(requestIdModule)}
    const program = Effect.gen(function* () { ${program} })
    await Effect.runPromise(Effect.provide(program, Layer.unwrap(Effect.map(Config, ({ log }) => Log.layer(log))).pipe(Layer.provide(Config.layer))))
  `
  const child = Bun.spawn([process.execPath, "-e", source], {
    cwd: new URL("../..", import.meta.url).pathname,
    env: { PATH: process.env["PATH"] ?? "", ...settings },
    stdout: "pipe",
    stderr: "pipe",
  })
  const [output, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  expect([code, errors]).toEqual([0, ""])
  return output.split("\n").slice(0, -1)
}

const entry = `yield* Effect.logInfo("Something happened", { count: 2 }).pipe(
  Effect.annotateLogs({ place: "here", secret: Redacted.make("hunter2") }),
  Effect.provideService(RequestId, "request-1"),
)`

describe("a log line", () => {
  test("is one JSON object with message, time, level and request id", async () => {
    const [line = "", ...others] = await linesOf(entry, { LOG_FORMAT: "json" })
    expect(others).toEqual([])
    const { time, ...fields } = JSON.parse(line)
    expect(new Date(time).toISOString()).toBe(time)
    expect(fields).toEqual({
      level: "info",
      message: "Something happened",
      count: 2,
      place: "here",
      secret: "<redacted>",
      request_id: "request-1",
    })
  })

  test("is JSON without a terminal, or pretty on demand, and shows no secret in either form", async () => {
    const [line = ""] = await linesOf(entry, {})
    expect(line).toStartWith("{")
    const [pretty = ""] = await linesOf(entry, { LOG_FORMAT: "pretty" })
    expect(Bun.stripANSI(pretty)).toMatch(/^\d\d:\d\d:\d\d\.\d{3} info +Something happened .*count=2/)
    expect(line + pretty).not.toContain("hunter2")
  })

  test("shows a failure with its cause, still in one line", async () => {
    const lines = await linesOf(`yield* Effect.logError("It broke", Cause.die(new Error("the\\nreason")))`, {
      LOG_FORMAT: "json",
    })
    expect(lines).toHaveLength(1)
    const { level, cause } = JSON.parse(lines[0] ?? "")
    expect(level).toBe("error")
    expect(cause).toContain("reason")
  })

  test("can neither command the terminal that shows it nor pretend to be two", async () => {
    const hostile = "\\u001B[2J\\u009B2J\\u007F\\u202Ename\\r\\n12:00:00.000 info forged"
    const program = `yield* Effect.logInfo("Read ${hostile}", { "a${hostile}": "${hostile}" }, Cause.die(new Error("${hostile}")))`
    const [line = "", ...others] = await linesOf(program, { LOG_FORMAT: "json" })
    expect(others).toEqual([])
    expect(line).not.toMatch(/[\p{Cc}\u202E]/u)
    expect(JSON.parse(line).message).toStartWith("Read \u001B[2J\u009B2J\u007F\u202Ename\r\n12:00")
    const pretty = await linesOf(program, { LOG_FORMAT: "pretty" })
    const withoutColours = ["0", "2"].reduce((text, code) => text.replaceAll(`\u001B[${code}m`, ""), pretty.join(""))
    expect(withoutColours).not.toMatch(/[\p{Cc}\u202E]/u)
    expect(pretty[0]).toContain(String.raw`Read \u001b[2J\u009b2J\u007f\u202ename\r\n12:00`)
    expect(pretty.slice(1).filter((line) => !line.startsWith("  "))).toEqual([])
  })

  test("describes a failure by its message and that of its cause, without the names of classes", async () => {
    const [line = "", other = ""] = await linesOf(
      `class Gone extends Error { detail = "The file is gone." }
      yield* Effect.logWarning("It waits:", new Gone("", {}))
      yield* Effect.logWarning("It waits:", new TypeError("No answer", { cause: new RangeError("refused") }))`,
      { LOG_FORMAT: "json" },
    )
    expect(JSON.parse(line).message).toBe("It waits: The file is gone.")
    expect(JSON.parse(other).message).toBe("It waits: No answer: refused")
  })

  test("keeps its message if a field has the name `message`", async () => {
    const [line = ""] = await linesOf(`yield* Effect.logInfo("Said", { message: "field", time: "never" })`, {
      LOG_FORMAT: "json",
    })
    expect(JSON.parse(line)).toMatchObject({ message: "Said", time: expect.stringMatching(/^\d{4}-/) })
  })

  test("is left out if its level is below the configured one", async () => {
    const program = `yield* Effect.logDebug("a"); yield* Effect.logInfo("b"); yield* Effect.logWarning("c"); yield* Effect.logError("d")`
    const saidAt = async (level: string) =>
      (await linesOf(program, { LOG_FORMAT: "json", LOG_LEVEL: level })).map((line) => JSON.parse(line).message)
    expect(await saidAt("debug")).toEqual(["a", "b", "c", "d"])
    expect(await saidAt("warn")).toEqual(["c", "d"])
    expect(await saidAt("none")).toEqual([])
  })

  test("is written in order, however many there are", async () => {
    const lines = await linesOf(`for (let i = 0; i < 2000; i++) yield* Effect.logInfo("n", { i })`, {
      LOG_FORMAT: "json",
    })
    expect(lines.map((line) => JSON.parse(line).i)).toEqual(Array.from({ length: 2_000 }, (_, index) => index))
  })

  test("may have lost its reader without ending the process", async () => {
    const program = `
      import { Effect, Layer } from "effect"
      import * as Log from ${JSON.stringify(logModule)}
      import { Config } from ${JSON.stringify(configModule)}
      const program = Effect.gen(function* () {
        for (let i = 0; i < 20; i++) yield* Effect.delay(Effect.logInfo("unread"), 30)
        console.error("went on")
      })
      await Effect.runPromise(Effect.provide(program, Layer.unwrap(Effect.map(Config, ({ log }) => Log.layer(log))).pipe(Layer.provide(Config.layer))))`
    const shell = `"$0" -e "$1" | true`
    const child = Bun.spawn(["sh", "-c", shell, process.execPath, program], {
      cwd: new URL("../..", import.meta.url).pathname,
      stderr: "pipe",
    })
    expect(await new Response(child.stderr).text()).toBe("went on\n")
  })

  test("is written even if the process exits at once", async () => {
    const lines = await linesOf(`yield* Effect.logInfo("last"); process.exit(0)`, { LOG_FORMAT: "json" })
    expect(lines.map((line) => JSON.parse(line).message)).toEqual(["last"])
  })
})
