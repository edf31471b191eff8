import { Schema } from "effect"

/*
 * The list of what a build of the web pages has made.
 */

/** The name of the manifest in the directory of a build. */
export const MANIFEST = "manifest.json"

/** The name of the icon that browsers show for a page, in the sources and in a build. */
export const ICON = "icon.svg"

/** The name of the script that a page includes, in a build. */
export const LOADER = "widget.js"

/** All files of a build by name. Each page has a script and a style sheet of its own name. */
export const Manifest = Schema.Struct({
  hash: Schema.String,
  /** The media type of each file. Its compressed forms lie beside it, with the name of the encoding after its own. */
  files: Schema.Record(Schema.String, Schema.String),
})
export type Manifest = typeof Manifest.Type
