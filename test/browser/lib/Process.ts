import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
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

/** A port that nothing listens on. */
export const freePort = async (): Promise<number> => {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve))
  const address = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  return address !== null && typeof address === "object" ? address.port : 0
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

/** Starts a server on a new data directory, with the model of `modelUrl` behind every `claude-…` model. */
export const startServer = async (modelUrl: string, settings: Settings = {}): Promise<RunningServer> => {
  const dataDirectory = mkdtempSync(join(tmpdir(), "parley-browser-"))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const guard = guardOf(dataDirectory)
  const begin = (more: Settings = {}): ServerProcess => {
    const started = spawn(
      {
        PORT: String(port),
        DATA_DIR: dataDirectory,
        BOOTSTRAP_API_KEY: operatorKey,
        ANTHROPIC_API_KEY: fakeKey,
        ANTHROPIC_BASE_URL: modelUrl,
        RATE_LIMIT: "off",
        LOG_LEVEL: "warn",
        ...settings,
        ...more,
      },
      [process.execPath, "src/main.ts"],
    )
    guard.watch(started.pid)
    return started
  }
  let server = begin()
  await server.listening
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
      server = begin(more)
      await server.listening
    },
    stop: async () => {
      guard.dismiss()
      await kill()
      rmSync(dataDirectory, { recursive: true, force: true })
    },
  }
}
