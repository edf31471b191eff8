import { existsSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"

/*
 * Finds an installed Chromium, or a browser that is built on it; none is downloaded. `test/verify.ts` asks here too, so
 * this file imports nothing of the browser suite.
 */

/** Names of programs on the search path, the likeliest first. */
const PROGRAMS = [
  "chromium",
  "chromium-browser",
  "google-chrome-stable",
  "google-chrome",
  "microsoft-edge",
  "brave-browser",
]

/** Where browsers are that no search path leads to. */
const PLACES = [
  "/snap/bin/chromium",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
  "/Applications/Brave Browser.app/Contents/MacOS/Brave Browser",
]

/** The path of the browser to test in, or why there is none. */
export type FoundBrowser = { readonly path: string } | { readonly why: string }

/** Looks for a browser: at `PARLEY_BROWSER` when it is set, else on the search path and in the usual places. */
export const findBrowser = (env: Readonly<Record<string, string | undefined>>): FoundBrowser => {
  const named = env["PARLEY_BROWSER"]
  if (named !== undefined && named !== "") {
    return existsSync(named) ? { path: named } : { why: `there is no file ${named}, which PARLEY_BROWSER names` }
  }
  const directories = (env["PATH"] ?? "").split(delimiter).filter((directory) => directory !== "")
  const onPath = PROGRAMS.flatMap((program) => directories.map((directory) => join(directory, program)))
  const path = [...onPath, ...PLACES].find((candidate) => existsSync(candidate))
  return path === undefined
    ? { why: "no Chromium is installed (on Debian: chromium; PARLEY_BROWSER names another one)" }
    : { path }
}

/** The directory that pictures of all screens are written to; undefined where nobody has asked for them. */
export const askedScreenshots = (env: Readonly<Record<string, string | undefined>>): string | undefined =>
  env["PARLEY_SCREENSHOTS"] || undefined

/** The directory that pictures of screens on which a test has failed are written to. */
export const screenshotDirectory = (env: Readonly<Record<string, string | undefined>>): string =>
  askedScreenshots(env) ?? (env["PARLEY_FAILURE_SCREENSHOTS"] || join(tmpdir(), "parley-screenshots"))
