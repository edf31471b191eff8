import { mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { root } from "../../../src/http/web/SourceHash.ts"
import { builtPages, sharedCache } from "../../lib/BuiltPages.ts"
import { fakeKey } from "../../lib/FakeAnthropic.ts"
import { type Settings, spawn, type ServerProcess, operatorKey } from "../../lib/Spawn.ts"
import { Api } from "./Api.ts"

/*
 * The real server as a process of its own, which keeps its address and its data when it is killed and started again.
 */

/** A running server. */
export interface RunningServer {
  /** Its origin, such as `http://127.0.0.1:40123`. */
  readonly url: string
  /** The operator's access to the API. */
  readonly api: Api
  readonly dataDirectory: string
  /** What the server has printed since it was started last. */
  readonly stdout: () => string
  /** What the server has logged since it was started last. */
  readonly stderr: () => string
  /** Ends the server at once, as a crash would. */
  readonly kill: () => Promise<void>
  /** Starts the server again, at the same address and with the same data. */
  readonly start: (more?: Settings) => Promise<void>
  /** Ends the server and deletes its data. */
  readonly stop: () => Promise<void>
}

/** Makes a data directory with a database that has the current schema, and with the web pages as they are built. */
const newDataDirectory = async (): Promise<string> => {
  const directory = mkdtempSync(join(tmpdir(), "parley-browser-"))
  const making = Bun.spawn([process.execPath, join(root, "test/lib/FreshDirectory.ts"), join(directory, "database")])
  if ((await making.exited) !== 0) throw new Error("The database cannot be made.")
  await builtPages()
  symlinkSync(sharedCache, join(directory, "cache"))
  return directory
}

/** Ends the process that was `watch`ed last, and deletes a directory, once this process has ended in whatever way. */
const guardOf = (directory: string) => {
  // An interruption from a terminal reaches it too.
  const script = 'trap "" INT TERM; while read -r next; do pid=$next; done; kill -9 "$pid"; rm -rf "$1"'
  const guard = Bun.spawn(["sh", "-c", script, "sh", directory], { stdin: "pipe", stdout: "ignore", stderr: "ignore" })
  guard.unref()
  return {
    watch: (pid: number): void => {
      void guard.stdin.write(`${pid}\n`)
      void guard.stdin.flush()
    },
    /** Watches nothing any more, before another process can get the same number. */
    dismiss: (): void => guard.kill("SIGKILL"),
  }
}

/**
 * Starts a server on a new data directory, with the model of `modelUrl` behind every `claude-…` model. The constants take
 * the place of references of the source, see `TunedServer.ts`.
 */
export const startServer = async (
  modelUrl: string,
  settings: Settings = {},
  constants: Readonly<Record<string, unknown>> = {},
): Promise<RunningServer> => {
  const dataDirectory = await newDataDirectory()
  const guard = guardOf(dataDirectory)
  const begin = (port: string, more: Settings = {}): ServerProcess => {
    const started = spawn(
      {
        PORT: port,
        DATA_DIR: dataDirectory,
        BOOTSTRAP_API_KEY: operatorKey,
        ANTHROPIC_API_KEY: fakeKey,
        ANTHROPIC_BASE_URL: modelUrl,
        // Tests ask as fast as they can.
        RATE_LIMIT: "off",
        ADDRESS_RATE_LIMIT: "off",
        WIDGET_ADDRESS_RATE_LIMIT: "off",
        // Their own sites listen here.
        TOOL_PRIVATE_NETWORKS: "127.0.0.1/32",
        LOG_LEVEL: "warn",
        ...settings,
        ...more,
      },
      [process.execPath, "test/lib/TunedServer.ts", JSON.stringify(constants)],
    )
    guard.watch(started.pid)
    return started
  }
  let server = begin("0")
  const url = await server.listening
  const kill = async () => {
    server.kill("SIGKILL")
    await server.exited
  }
  return {
    url,
    api: new Api(url, operatorKey),
    dataDirectory,
    stdout: () => server.stdout(),
    stderr: () => server.stderr(),
    kill,
    start: async (more) => {
      server = begin(new URL(url).port, more)
      await server.listening
    },
    stop: async () => {
      guard.dismiss()
      await kill()
      rmSync(dataDirectory, { recursive: true, force: true })
    },
  }
}
