import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { IsCrossOrigin } from "./parts/Annotations.ts"

/** The first page of the reference of the API, which is derived from the OpenAPI document. */
export const docs = HttpApiEndpoint.get("docs", "/docs")

/** One page of the documentation, by its name, such as `guide`. */
export const docsPage = HttpApiEndpoint.get("docsPage", "/docs/:page", { params: { page: Schema.String } })

/** The path of the page with this name, such as `/docs/guide`. */
export const pagePath = (name: string): `/${string}` => `${docs.path}/${name}`

/** The documentation for browsers: the reference of the API and the pages. */
export class DocsApi extends HttpApiGroup.make("docs").add(docs, docsPage).annotate(IsCrossOrigin, false) {}
