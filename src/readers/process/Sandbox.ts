import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

/*
 * What the operating system offers to confine a process that reads documents, beyond its own limits: a hostile file that
 * takes over its reader should find nothing to steal and nowhere to send it.
 */

/** A way to start a process with fewer rights than the server has. */
export interface Sandbox {
  /** The programs that confine the process, which the operator knows. */
  readonly name: string
  /**
   * Whether the process can reach no address, not even one of this machine, sees no other process, and so neither their
   * environment nor their memory, and sees the files of the programs only, and can change none.
   */
  readonly isStrict: boolean
  /** Whether the process belongs to a user that owns nothing, since the server runs as root. */
  readonly changesUser: boolean
  /** The command that runs a command in the sandbox, which sees these directories of programs, too. */
  readonly wrap: (command: ReadonlyArray<string>, directories?: ReadonlyArray<string>) => ReadonlyArray<string>
}

/** No sandbox: the process has the rights of the server. */
export const noSandbox: Sandbox = {
  name: "nothing",
  isStrict: false,
  changesUser: false,
  wrap: (command) => command,
}

/** Facts about the system that are known before anything was tried. */
export interface SandboxSystem {
  readonly platform: string
  readonly isRoot: boolean
  /** The path of a program, or null when it is not installed. */
  readonly which: (program: string) => string | null
}

/** The sandboxes that the installed programs may be able to make, the strictest first. */
export const sandboxesOn = ({ isRoot, platform, which }: SandboxSystem): ReadonlyArray<Sandbox> => {
  if (platform !== "linux") return []
  const [bwrap, setpriv, unshare, prlimit] = [which("bwrap"), which("setpriv"), which("unshare"), which("prlimit")]
  const limits = prlimit === null ? [] : [prlimit, ...LIMITS, "--"]
  // A user that owns nothing may not be able to read the programs themselves, as below a private home directory.
  const users = isRoot ? [true, false] : [false]
  const own = isRoot ? [] : ["--user", "--map-root-user"]

  const withBwrap = (path: string): Sandbox => ({
    name: "bwrap",
    isStrict: true,
    changesUser: false,
    wrap: (command, directories) => [
      ...UNSTOPPABLE,
      path,
      ...BWRAP,
      ...viewOf(command, directories).flatMap((visible) => ["--ro-bind-try", visible, visible]),
      "--",
      ...limits,
      ...command,
    ],
  })
  const withSetpriv = (path: string, changesUser: boolean, hasPrivileges = isRoot): Sandbox => ({
    ...noSandbox,
    name: "setpriv",
    changesUser,
    wrap: (command) =>
      [...UNSTOPPABLE, path, ...NO_NEW_PRIVILEGES, ...(hasPrivileges ? NO_CAPABILITIES : [])].concat(
        changesUser ? NOBODY : [],
        "--",
        limits,
        command,
      ),
  })
  const withUnshare = (path: string, setprivPath: string, changesUser: boolean): Sandbox => ({
    name: "unshare and setpriv",
    isStrict: true,
    changesUser,
    wrap: (command, directories) =>
      [...UNSTOPPABLE, setprivPath, "--pdeathsig", "KILL", path, ...UNSHARE, ...own, "--"].concat(
        ["/bin/sh", "-c", ENTER_VIEW, "sh", ...viewOf(command, directories), "--"],
        withSetpriv(setprivPath, changesUser, true).wrap(command),
      ),
  })
  return [
    ...(bwrap === null ? [] : [withBwrap(bwrap)]),
    ...(unshare === null || setpriv === null ? [] : users.map((user) => withUnshare(unshare, setpriv, user))),
    ...(setpriv === null ? [] : users.map((user) => withSetpriv(setpriv, user))),
  ]
}

/** Describes what a sandbox takes from a process, in words. */
export const describe = ({ changesUser, isStrict, name }: Sandbox): string => {
  if (name === noSandbox.name) return "confined by nothing"
  const hidden = isStrict ? ["no network", "no other processes", "no files but the program's"] : []
  const measures = [...hidden, ...(changesUser ? ["a user of their own"] : []), "no new privileges"]
  return `confined by ${name}: ${measures.join(", ")}`
}

/**
 * Keeps the wrapping programs alive when a terminal or a service manager sends a stop signal to every process of the
 * server: signals that are ignored stay so in every program that is started from here.
 */
const UNSTOPPABLE = ["/bin/sh", "-c", `trap '' HUP INT TERM; exec "$@"`, "sh"]

/** A process that reads documents writes no files. */
const LIMITS = ["--fsize=0", "--core=0"]

const NO_NEW_PRIVILEGES = ["--no-new-privs", "--inh-caps=-all"]
/** A process without capabilities may not limit those that programs get, and needs not: there is no way to new ones. */
const NO_CAPABILITIES = ["--bounding-set=-all"]
/** The ids of the user and the group `nobody` on all distributions. */
const NOBODY = ["--reuid=65534", "--regid=65534", "--clear-groups"]

/** Namespaces of its own, which end with the wrapping program. */
const UNSHARE = ["--net", "--ipc", "--uts", "--pid", "--fork", "--kill-child", "--mount"]

/**
 * Runs a command that follows `--` in a root directory that has only the paths before it, all read-only. The directory
 * is made where the system shows its devices, of which the command needs none.
 */
const ENTER_VIEW = `set -e
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
root=/sys
mount -t tmpfs -o mode=755 tmpfs $root
mkdir $root/proc $root/dev
mount -t proc proc $root/proc
while [ "$1" != -- ]; do
  if [ -d "$1" ]; then mkdir -p "$root$1"
  elif [ -e "$1" ]; then mkdir -p "$root\${1%/*}"; : >"$root$1"
  fi
  if [ -e "$1" ]; then
    mount --rbind "$1" "$root$1"
    mount -o remount,bind,ro "$root$1"
  fi
  shift
done
shift
for device in null zero random urandom; do
  : >$root/dev/$device
  mount --bind /dev/$device $root/dev/$device
done
mount -o remount,bind,ro $root
exec chroot $root "$@"`

const BWRAP =
  "--unshare-all --die-with-parent --new-session --cap-drop ALL --clearenv --proc /proc --dev /dev --tmpfs /tmp".split(
    " ",
  )

/** Paths at which systems keep programs and their libraries. */
const SYSTEM_PATHS = ["/usr", "/bin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache", "/nix/store", "/gnu/store"]

/** The source and the packages of this program. Its directory may also hold data, and settings with secrets. */
const PROGRAM_PATHS = ["../../", "../../../node_modules", "../../../package.json"].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)).replace(/\/$/, ""),
)

/** The paths that a sandboxed command sees, each at its own place and read-only. */
const viewOf = (
  [program = ""]: ReadonlyArray<string>,
  directories: ReadonlyArray<string> = [],
): ReadonlyArray<string> => {
  const isOfSystem = (path: string) => SYSTEM_PATHS.some((one) => path.startsWith(`${one}/`))
  const own = [program, ...PROGRAM_PATHS, ...directories].filter((path) => !isOfSystem(path) && existsSync(path))
  return [...SYSTEM_PATHS, ...own]
}
