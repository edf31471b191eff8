import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Schema } from "effect"

/*
 * Containers of the image that `.ci/image.sh` has built, made by the programs of Linux: there is no daemon that could run
 * them, and buildah cannot either where resource limits may not be raised.
 */

const environment = (name: string): string => {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is missing: \`.ci/image.sh\` runs these tests.`)
  return value
}

/** The root directory of the image, unpacked. */
export const imageRoot = environment("PARLEY_IMAGE_ROOT")

const Inspected = Schema.Struct({
  Docker: Schema.Struct({
    config: Schema.Struct({
      User: Schema.String,
      Env: Schema.Array(Schema.String),
      WorkingDir: Schema.String,
      Entrypoint: Schema.Array(Schema.String),
      StopSignal: Schema.String,
      Volumes: Schema.Record(Schema.String, Schema.Unknown),
      Healthcheck: Schema.Struct({ Test: Schema.Array(Schema.String) }),
    }),
  }),
})

/** What the image says about its containers, as `docker inspect` shows it. */
export const config = Schema.decodeUnknownSync(Inspected)(
  JSON.parse(readFileSync(environment("PARLEY_IMAGE_CONFIG"), "utf8")),
).Docker.config

/**
 * Makes a container with a read-only root: namespaces of its own but for the network, and no way to more privileges. Its
 * command becomes process 1. By default a part of /proc is read-only, as Docker makes it, so that Linux refuses to show
 * another /proc in it.
 */
const ENTER = `
  root=$1 volume=$2 user=$3 directory=$4 paths=$5; shift 5
  mount --bind "$root" "$root"
  mount --bind "$volume" "$root/data"
  mount -t proc proc "$root/proc"
  mount --rbind /dev "$root/dev"
  mount --rbind /sys "$root/sys"
  if [[ $paths == masked ]]; then
    mount --bind "$root/proc/sys" "$root/proc/sys"
    mount -o remount,bind,ro "$root/proc/sys"
  fi
  mount -t tmpfs tmpfs "$root/tmp"
  mount -o remount,bind,ro "$root"
  cd "$root"
  pivot_root . .
  umount -l .
  cd "$directory"
  exec setpriv --reuid="\${user%:*}" --regid="\${user#*:}" --clear-groups --no-new-privs "$@"`

export interface Container {
  /** Everything that it has written so far to its standard output and error. */
  readonly output: () => string
  /** Sends the signal by which the image wants to be stopped, and returns the exit code. */
  readonly stop: () => Promise<number>
  readonly exited: Promise<number>
  /** The process ids, as this machine counts them, of everything in the container but process 1. */
  readonly others: () => ReadonlyArray<{ readonly id: number; readonly isZombie: boolean }>
}

/** A new volume, with what the image has where it will be mounted. */
export const newVolume = (): { readonly path: string; readonly [Symbol.dispose]: () => void } => {
  const path = mkdtempSync(join(tmpdir(), "parley-volume-"))
  const copied = Bun.spawnSync(["cp", "-aT", join(imageRoot, "data"), path])
  if (!copied.success) throw new Error(copied.stderr.toString())
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

const childrenOf = (pid: number): ReadonlyArray<number> =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number)

const isZombie = (pid: number): boolean => /^\d+ \(.*\) Z /s.test(readFileSync(`/proc/${pid}/stat`, "utf8"))

/** How a container deviates from what the image and Docker's defaults make it. */
interface Options {
  /** The command in place of the image's entry point. */
  readonly command?: ReadonlyArray<string>
  /** The arguments of the entry point. */
  readonly args?: ReadonlyArray<string>
  /** `unmasked` shows all of /proc, as `--security-opt systempaths=unconfined` does. */
  readonly paths?: "masked" | "unmasked"
}

/** Starts a container with these environment variables, as `docker run` does. */
export const run = (
  volume: string,
  env: Readonly<Record<string, string>>,
  { args = [], command = config.Entrypoint, paths = "masked" }: Options = {},
): Container => {
  const child = Bun.spawn(
    [
      "unshare",
      "--mount",
      "--pid",
      "--ipc",
      "--uts",
      "--fork",
      "--kill-child",
      "bash",
      "-ec",
      ENTER,
      "container",
    ].concat([imageRoot, volume, config.User, config.WorkingDir, paths, ...command, ...args]),
    {
      env: { ...Object.fromEntries(config.Env.map((one) => one.split(/=(.*)/s).slice(0, 2))), ...env },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    },
  )
  let output = ""
  const read = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder()
    for await (const bytes of stream) output += decoder.decode(bytes, { stream: true })
  }
  const ended = Promise.all([child.exited, read(child.stdout), read(child.stderr)])
  const exited = ended.then(([code]) => code)
  const below = (pid: number): ReadonlyArray<number> => childrenOf(pid).flatMap((one) => [one, ...below(one)])
  return {
    output: () => output,
    exited,
    stop: async () => {
      const [first] = childrenOf(child.pid)
      if (first === undefined) throw new Error(`The container has ended: ${output}`)
      process.kill(first, config.StopSignal)
      return await exited
    },
    others: () =>
      below(child.pid)
        .slice(1)
        .map((id) => ({ id, isZombie: isZombie(id) })),
  }
}
