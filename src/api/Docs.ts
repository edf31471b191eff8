import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { IsCrossOrigin } from "./Annotations.ts"

/** The reference of the API, made from the OpenAPI document. */
export const docs = HttpApiEndpoint.get("docs", "/docs")

/** A page of the documentation. */
export const docsPage = HttpApiEndpoint.get("docsPage", "/docs/:page", { params: { page: Schema.String } })

/** What people read, in a browser. */
export class DocsApi extends HttpApiGroup.make("docs").add(docs, docsPage).annotate(IsCrossOrigin, false) {}
