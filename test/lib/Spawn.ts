import { join } from "node:path"

/** The environment variables of a server. */
export type Settings = Readonly<Record<string, string>>

/** A key of the operator's organization with all scopes. */
export const operatorKey = "the-operator-key-of-all-the-tests-0001"

const root = join(import.meta.dir, "..", "..")

/** A server that runs as a process of its own. */
export interface ServerProcess {
  readonly pid: number
  readonly exited: Promise<number>
  /** The standard output so far. */
  readonly stdout: () => string
  /** The standard error so far. */
  readonly stderr: () => string
  readonly kill: (signal: NodeJS.Signals) => void
  /** The address of the server, once it listens. Rejects when the process ends before. */
  readonly listening: Promise<string>
}

/**
 * Starts a server by any command line. `exited` waits for every process that has the command's output open, and so for
 * a server that outlives the command; `kill` signals the command alone.
 */
export const spawn = (settings: Settings, command: ReadonlyArray<string>, cwd = root): ServerProcess => {
  const { PATH = "", HOME = "", TMPDIR = "/tmp", BUN_JSC_useOMGJIT } = process.env
  const child = Bun.spawn([...command], {
    cwd,
    env: { PATH, HOME, TMPDIR, BUN_JSC_useOMGJIT, LOG_FORMAT: "json", ...settings },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  })
  let stdout = ""
  let stderr = ""
  const { promise: listening, resolve, reject } = Promise.withResolvers<string>()
  // Nobody may await this promise when the start is meant to fail.
  listening.catch(() => {})
  const drained = Promise.all([
    collect(child.stdout, (text) => {
      stdout += text
      const url = /^Listening on (\S+)$/m.exec(stdout)?.[1]
      if (url !== undefined) resolve(url)
    }),
    collect(child.stderr, (text) => {
      stderr += text
    }),
  ])
  const exited = Promise.all([child.exited, drained]).then(([code]) => {
    reject(new Error(`The server ended with ${code} before it listened:\n${stdout}${stderr}`))
    return code
  })
  return {
    pid: child.pid,
    exited,
    listening,
    stdout: () => stdout,
    stderr: () => stderr,
    kill: (signal) => child.kill(signal),
  }
}

const collect = async (stream: ReadableStream<Uint8Array>, receive: (text: string) => void): Promise<void> => {
  const decoder = new TextDecoder()
  for await (const bytes of stream) receive(decoder.decode(bytes, { stream: true }))
}
