import { Schema } from "effect"

/*
 * The list of what a build of the web pages has made.
 */

/** The name of the manifest in the directory of a build. */
export const MANIFEST = "manifest.json"

/** The name of the icon that browsers show for a page, in the sources and in a build. */
export const ICON = "icon.svg"

/** A built file. Its compressed forms lie beside it, with the name of the encoding after its own. */
const WebFile = Schema.Struct({
  type: Schema.String,
  /** Changes with the content. */
  etag: Schema.String,
  /** Bytes of each form. */
  sizes: Schema.Struct({ identity: Schema.Int, br: Schema.Int, gzip: Schema.Int }),
})
export type WebFile = typeof WebFile.Type

/** The files that a document loads. */
const WebPage = Schema.Struct({
  script: Schema.String,
  /** Chunks that the script imports before it runs. */
  preloads: Schema.Array(Schema.String),
  /** Chunks that the script imports when it needs them, such as a language or a screen. */
  later: Schema.Array(Schema.String),
  style: Schema.optionalKey(Schema.String),
})
export type WebPage = typeof WebPage.Type

/** All files of a build by name, and what each document loads of them. */
export const Manifest = Schema.Struct({
  /** The hash of the sources. */
  hash: Schema.String,
  files: Schema.Record(Schema.String, WebFile),
  pages: Schema.Struct({ frame: WebPage, console: WebPage }),
  loader: Schema.String,
})
export type Manifest = typeof Manifest.Type
