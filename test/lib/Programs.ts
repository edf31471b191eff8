import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { findBrowser } from "../browser/lib/Chromium.ts"

/*
 * Programs beside Bun that some tests need, and what is said where they are missing.
 */

/** A font that has Chinese characters, as Debian installs it, or beside a tesseract that was unpacked. */
export const wideFont: string | undefined = [
  "/",
  ...(Bun.which("tesseract") === null ? [] : [dirname(Bun.which("tesseract") ?? "")]),
]
  .map((root) => join(root, "usr/share/fonts-droid-fallback/truetype/DroidSansFallback.ttf"))
  .find(existsSync)

/** The path of espeak-ng, or null. */
export const espeak: string | null = process.env["PARLEY_ESPEAK"] || Bun.which("espeak-ng")

export const pocketsphinx: string | null = Bun.which("pocketsphinx_continuous")

const browser = findBrowser(process.env)

/** Why there is no browser to test in; undefined where there is one. */
export const missingForBrowser: string | undefined = "why" in browser ? browser.why : undefined

/** What is missing here to speak and to listen; undefined where nothing is. */
export const missingForSpeech: string | undefined =
  espeak === null
    ? "espeak-ng is not installed (on Debian: espeak-ng)"
    : pocketsphinx === null
      ? "pocketsphinx is not installed (on Debian: pocketsphinx, pocketsphinx-en-us)"
      : undefined
