import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { IsCrossOrigin } from "./parts/Annotations.ts"

/** The server's own address: the first page for a browser, and the other addresses for programs. */
export const home = HttpApiEndpoint.get("home", "/")

const one = { params: { name: Schema.String } }

/** The script that a page includes to embed a chatbot. */
export const loader = HttpApiEndpoint.get("loader", "/widget.js")

/** The widget of a chatbot as the document of a frame, by its publishable key or, for a public one, by its id. */
export const widget = HttpApiEndpoint.get("widget", "/widget/:name", one)

/** The widget as the console tries how it would look. */
export const preview = HttpApiEndpoint.get("preview", "/widget/preview")

/** A public chatbot as a page of its own, by its slug or its id. */
export const chatPage = HttpApiEndpoint.get("chatPage", "/chat/:name", one)

export const console = HttpApiEndpoint.get("console", "/console")

/** A screen of the console, which is the same document. */
export const consoleScreen = HttpApiEndpoint.get("consoleScreen", "/console/*")

/** A built file, under the hash of the build that it belongs to. */
export const asset = HttpApiEndpoint.get("asset", "/assets/:hash/:name", {
  params: { hash: Schema.String, ...one.params },
})

/** The documents and files for browsers: the beginning, the widget and the console. */
export class WebApi extends HttpApiGroup.make("web")
  .add(home, loader, preview, widget, chatPage, console, consoleScreen, asset)
  .annotate(IsCrossOrigin, false) {}
