import { relative } from "node:path"

/*
 * The class of a test file follows from its path. What every change has to pass, within minutes, is everyday. Files named
 * `*.deep.test.ts` and those below `test/browser` are deep: they search for rare faults, kill processes, start many
 * servers, or need other programs.
 */

const BROWSER = "test/browser/"

/** Whether a test file, named from the checkout, drives a browser. */
export const isOfBrowser = (file: string): boolean => file.startsWith(BROWSER)

/** Whether a test file, named from the checkout, is of the deep class. */
export const isDeep = (file: string): boolean => file.endsWith(".deep.test.ts") || isOfBrowser(file)

/** Commits after which each deep file has run once, on average. */
export const ROTATION = 64

/**
 * The share of these files that a commit runs: one of `rotation`. Which ones depends on the commit alone, so that a
 * failure can be repeated.
 *
 * @param commit its hash in hexadecimal digits; undefined outside of a repository
 */
export const shareOf = (
  files: ReadonlyArray<string>,
  commit: string | undefined,
  rotation = ROTATION,
): ReadonlyArray<string> => {
  const turn = Number.parseInt(commit?.slice(0, 8) ?? "0", 16) % rotation
  return files.toSorted().filter((_, index) => index % rotation === turn)
}

/** The hash of the checked-out commit; undefined outside of a repository. */
export const commitOf = (root: string): string | undefined => {
  const { exitCode, stdout } = Bun.spawnSync(["git", "rev-parse", "HEAD"], { cwd: root, stderr: "ignore" })
  return exitCode === 0 ? stdout.toString().trim() : undefined
}

/** The path of a file from the checkout. */
export const within = (root: string, file: string): string => relative(root, file)
