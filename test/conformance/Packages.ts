import { join } from "node:path"

/** The root directory of this checkout. */
export const root = join(import.meta.dir, "..", "..")

/** The directory of the packages that `bun run conformance` installs, and of the settings of their commands. */
export const packages = join(root, ".ci", "conformance")

/** Runs a package's command with Bun rather than with the Node.js of the machine. */
export const run = async (directory: string, ...command: ReadonlyArray<string>) => {
  const child = Bun.spawn([process.execPath, "--bun", ...command], {
    cwd: directory,
    env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: undefined, DO_NOT_TRACK: "1" },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  })
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { code, said: stdout + stderr }
}

/** The file of a package's command, such as `redocly`. */
export const commandOf = (name: string): string => join(packages, "node_modules", ".bin", name)
