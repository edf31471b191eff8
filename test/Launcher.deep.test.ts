import { chmodSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Glob } from "bun"
import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { Effect } from "effect"
import { engines } from "../package.json" with { type: "json" }
import { engineSettings } from "../src/launch.ts"
import { type Ancestor, launchersFrom } from "../src/Launcher.ts"
import { type ServerProcess, type Settings, settingsFor, spawn } from "./lib/ServerProcess.ts"
import { freshDirectory } from "./lib/TestDatabase.ts"
import { scopedRun, sharedRun } from "./lib/Scoped.ts"
import { testTimeout } from "./lib/TestServer.ts"
import { temporaryDirectory } from "./lib/TemporaryDirectory.ts"

// A server that does not notice that its launcher has ended runs into it.
setDefaultTimeout(2 * testTimeout)

const run = scopedRun()

/** A script like npx: it runs `bun` in a shell, and a signal ends the script and the shell but does not reach `bun`. */
const NPX = `#!/bin/sh
trap 'kill $!; exit 143' TERM
sh -c "bun $*; exit \\$?" &
wait
`

/** A directory with `npx` and `bun` in it, for the front of PATH. */
const launchers = Effect.gen(function* () {
  const directory = yield* temporaryDirectory("launchers")
  yield* Effect.sync(() => {
    writeFileSync(join(directory, "npx"), NPX)
    chmodSync(join(directory, "npx"), 0o755)
    symlinkSync(process.execPath, join(directory, "bun"))
  })
  return directory
})

/** The id of the process that uses the embedded database. */
const serverOf = (settings: Settings): number =>
  Number(readFileSync(join(settings["DATA_DIR"] ?? "", "database", "pid"), "utf8"))

const launched = (
  command: ReadonlyArray<string>,
  runIn = run,
): Promise<{ server: ServerProcess; settings: Settings }> =>
  runIn(
    Effect.gen(function* () {
      const settings = yield* Effect.flatMap(freshDirectory, settingsFor)
      const directory = yield* launchers
      const [program = "", ...rest] = command
      const server = yield* Effect.acquireRelease(
        Effect.sync(() =>
          spawn({ ...settings, PATH: `${directory}:${process.env["PATH"]}` }, [join(directory, program), ...rest]),
        ),
        (launcher) =>
          Effect.promise(async () => {
            launcher.kill("SIGKILL")
            killIfThere(serverOf(settings))
            await launcher.exited
          }),
      )
      yield* Effect.promise(() => server.listening)
      return { server, settings }
    }),
  )

const killIfThere = (pid: number): void => {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // It has ended with its launcher.
  }
}

describe("a server drains and ends when", () => {
  test.each([
    ["npx and its shell get SIGTERM", ["npx", "run", "start"], "SIGTERM"],
    ["npx is killed", ["npx", "run", "parley", "serve"], "SIGKILL"],
    ["`bun run` is killed", ["bun", "run", "start"], "SIGKILL"],
  ] as const)("%s", async (_, command, signal) => {
    const { server } = await launched(command)
    server.kill(signal)
    await server.exited
    expect(server.stdout()).toContain("what launched it has ended")
    expect(server.stdout()).toContain("Requests are drained")
    expect(server.stdout()).toContain("The server has ended")
  })
})

/** Whether the server is the process that the package's script was started as, with the settings of Bun. */
const isItself = async ({ server, settings }: Awaited<ReturnType<typeof launched>>) => {
  const [, parent] = /\) \S (\d+) /.exec(readFileSync(`/proc/${serverOf(settings)}/stat`, "utf8")) ?? []
  expect(Number(parent)).toBe(server.pid)
  const environment = readFileSync(`/proc/${serverOf(settings)}/environ`, "utf8").split("\0")
  for (const [name, value] of Object.entries(engineSettings)) expect(environment).toContain(`${name}=${value}`)
}

describe("the server of `bun run start`", () => {
  let start: Awaited<ReturnType<typeof launched>>
  const shared = sharedRun()
  beforeAll(async () => {
    start = await launched(["bun", "run", "start"], shared)
  })

  test("is what src/launch.ts starts itself", () => isItself(start))

  test("does not end by SIGHUP without a terminal, as under nohup, but when `bun run` passes SIGTERM on", async () => {
    const url = await start.server.listening
    start.server.kill("SIGHUP")
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
    start.server.kill("SIGTERM")
    await start.server.exited
    // The signal that comes first is the reason, and the end of `bun run` by SIGHUP would be another one.
    expect(start.server.stdout()).toContain('"reason":"SIGTERM"')
    expect(start.server.stdout()).toContain("The server has ended")
  })
})

describe("SIGHUP", () => {
  test("from a closed terminal drains and ends a server", async () => {
    const settings = await run(Effect.flatMap(freshDirectory, settingsFor))
    const { promise: listening, resolve } = Promise.withResolvers<void>()
    let shown = ""
    const server = Bun.spawn([process.execPath, "src/main.ts"], {
      cwd: join(import.meta.dir, ".."),
      env: { PATH: process.env["PATH"] ?? "", LOG_FORMAT: "json", ...settings },
      terminal: {
        cols: 200,
        rows: 50,
        data: (_, bytes) => {
          shown += new TextDecoder().decode(bytes)
          if (shown.includes("Listening on")) resolve()
        },
      },
    })
    try {
      await listening
      server.kill("SIGHUP")
      expect(await server.exited).toBe(0)
    } finally {
      server.kill("SIGKILL")
      await server.exited
    }
    expect(shown).toContain("its terminal was closed")
  })
})

describe("a script that src/launch.ts starts", () => {
  /** Launches a script that reports its process. Returns the child, the report and the exit code. */
  const launch = async (environment: Settings, ...options: ReadonlyArray<string>) => {
    const directory = await run(temporaryDirectory("launched"))
    const script = join(directory, "script.ts")
    writeFileSync(
      script,
      `const { argv, env, execArgv, pid } = process
      console.log(JSON.stringify({ pid, arguments: argv.slice(2), execArgv, env, input: await Bun.stdin.text() }))
      process.exit(7)`,
    )
    const child = Bun.spawn([process.execPath, ...options, "src/launch.ts", script, "one", "and two"], {
      cwd: join(import.meta.dir, ".."),
      env: { PATH: process.env["PATH"], ...environment },
      stdin: new Blob(["from outside"]),
      stdout: "pipe",
    })
    return { child, seen: JSON.parse(await new Response(child.stdout).text()), code: await child.exited }
  }

  test("replaces the launcher's process, with its arguments, options of Bun, standard input and exit code", async () => {
    const { child, code, seen } = await launch({}, "--no-env-file")
    expect(seen).toMatchObject({ pid: child.pid, arguments: ["one", "and two"], execArgv: ["--no-env-file"] })
    expect(seen.input).toBe("from outside")
    expect(code).toBe(7)
  })

  test("has the settings of Bun in its environment, unless they are set already", async () => {
    expect((await launch({})).seen.env).toMatchObject(engineSettings)
    const own = { BUN_CONFIG_MAX_HTTP_REQUESTS: "", BUN_JSC_forceCodeBlockLiveness: "0" }
    expect((await launch(own)).seen.env).toMatchObject({ ...engineSettings, BUN_JSC_forceCodeBlockLiveness: "0" })
  })

  test("is the server itself in `bun run dev`", async () => isItself(await launched(["bun", "run", "dev"])))
})

test("commands in the documentation and in CI name a version of Bun that package.json allows", () => {
  const root = join(import.meta.dir, "..")
  const files = ["README.md", ".ci/run", ...new Glob("docs/*.md").scanSync(root)]
  const versions = files.flatMap((file) =>
    Array.from(readFileSync(join(root, file), "utf8").matchAll(/\bbun@(\d[\d.]*\d)/g), ([, version = ""]) => version),
  )
  expect(versions.length).toBeGreaterThan(3)
  expect(versions.filter((version) => !Bun.semver.satisfies(version, engines.bun))).toEqual([])
})

describe("a server", () => {
  /** The launchers among the commands of a server's ancestors, which are given from its parent up. */
  const launchersAmong = (...commands: ReadonlyArray<string>): ReadonlyArray<string> => {
    const found = new Map(
      commands.map((command, index): [number, Ancestor] => [index + 2, { parent: index + 3, command }]),
    )
    return launchersFrom(2, (pid) => found.get(pid)).map((pid) => commands[pid - 2] ?? "")
  }

  test.each([
    [["bun run start", "sh -c 'bun' run start", "npm exec bun@1.4.5 run start", "-bash"], 3],
    [["/opt/bun.exe run parley", "bun run start", "/bin/sh -c bun run start", "node /usr/bin/npx bun run start"], 4],
    [["bun --cwd /srv/parley --silent run start"], 1],
    [["bun start"], 1],
    [["bun run quickstart --once"], 1],
  ])("watches the launchers among its ancestors %j", (commands, count) => {
    expect(launchersAmong(...commands)).toEqual(commands.slice(0, count))
  })

  test.each([
    [["-bash"]],
    [["/bin/sh /etc/init.d/parley", "npm exec something"]],
    [["bash -c bun src/main.ts &", "systemd"]],
    [["bun supervisor.ts", "bash"]],
    [["bun run dev", "bash"]],
  ])("does not watch shells and supervisors: %j", (commands) => {
    expect(launchersAmong(...commands)).toEqual([])
  })

  test("watches only `bun run` when the shell around it may end first", () => {
    expect(launchersAmong("bun run start", "sh -c bun run start & disown", "bash")).toEqual(["bun run start"])
  })
})
