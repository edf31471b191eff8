import { dereference, validate, type Schema as JsonSchema } from "@cfworker/json-schema"
import { Context, Schema } from "effect"
import { RequiredScope } from "../../../src/api/Middleware.ts"
import { AlsoRequires } from "../../../src/api/parts/Annotations.ts"
import { routes } from "../../../src/http/edge/Routes.ts"
import type { Scope } from "../../../src/domain/keys/ApiKey.ts"

/*
 * The operations of `/openapi.json` as a server serves it, for tests that make their requests from it. An endpoint that
 * is declared is among them without any change of a test.
 */

/** Whether a value can be a schema: any object. */
export const isSchema = (value: unknown): value is JsonSchema => typeof value === "object" && value !== null
/** A JSON Schema in the document. */
const JsonSchemaNode = Schema.declare(isSchema)
const Content = Schema.Record(Schema.String, Schema.Struct({ schema: JsonSchemaNode }))

const Document = Schema.Struct({
  paths: Schema.Record(
    Schema.String,
    Schema.Record(
      Schema.String,
      Schema.Struct({
        parameters: Schema.Array(
          Schema.Struct({
            name: Schema.String,
            in: Schema.Literals(["path", "query", "header"]),
            required: Schema.Boolean,
            schema: JsonSchemaNode,
          }),
        ),
        requestBody: Schema.optionalKey(Schema.Struct({ content: Content })),
        responses: Schema.Record(Schema.String, Schema.Struct({ content: Schema.optionalKey(Content) })),
      }),
    ),
  ),
})

/** A parameter of an operation, or its whole body. */
export interface Parameter {
  readonly name: string
  readonly in: "path" | "query" | "header"
  readonly required: boolean
  readonly schema: JsonSchema
}

/** An operation of the API. */
export interface Operation {
  /** The method and the path, such as `GET /v1/models/{model}`. */
  readonly name: string
  readonly method: string
  readonly path: string
  readonly parameters: ReadonlyArray<Parameter>
  readonly body: { readonly mediaType: string; readonly schema: JsonSchema } | undefined
  /** The schemas of answers by status and media type. */
  readonly responses: ReadonlyMap<number, ReadonlyMap<string, JsonSchema>>
  readonly needsKey: boolean
  readonly needsVisitor: boolean
  readonly scope: Scope | undefined
  /** The scopes that it needs beside this one. */
  readonly alsoRequires: ReadonlyArray<Scope>
}

/** A schema of an OpenAPI document, with its references resolved by `ApiDocument.resolve`. */
export type { JsonSchema }

/** The operations of a server, and the schemas that they refer to. */
export interface ApiDocument {
  readonly operations: ReadonlyArray<Operation>
  /** The schema that a schema refers to, or the schema itself. */
  readonly resolve: (schema: JsonSchema) => JsonSchema
  /** Why a value does not fit a schema of the document; undefined when it does. */
  readonly issueOf: (schema: JsonSchema, value: unknown) => string | undefined
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** Reads a document as `/openapi.json` answers it. */
export const readApiDocument = (body: unknown): ApiDocument => {
  const { paths } = Schema.decodeUnknownSync(Document)(body)
  const lookup = dereference(isSchema(body) ? body : {})
  const declared = new Map(
    routes.map((route) => [`${route.method} ${route.path.replaceAll(/:(\w+)/g, "{$1}")}`, route]),
  )
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([lowered, { parameters, requestBody, responses }]): Operation => {
      const method = lowered.toUpperCase()
      const name = `${method} ${path}`
      const route = declared.get(name)
      if (route === undefined) throw new Error(`${name} is no route of the server`)
      const [media] = Object.entries(requestBody?.content ?? {})
      return {
        name,
        method,
        path,
        parameters,
        body: media === undefined ? undefined : { mediaType: media[0], schema: media[1].schema },
        responses: new Map(
          Object.entries(responses).map(([status, { content = {} }]) => [
            Number(status),
            new Map(Object.entries(content).map(([mediaType, { schema }]) => [mediaType, schema])),
          ]),
        ),
        needsKey: route.needsKey,
        needsVisitor: route.needsVisitor,
        scope: Context.getOrUndefined(route.annotations, RequiredScope),
        alsoRequires: Context.get(route.annotations, AlsoRequires),
      }
    }),
  )
  const resolve = (schema: JsonSchema): JsonSchema => {
    if (schema.$ref === undefined) return schema
    let found: unknown = body
    for (const segment of schema.$ref.split("/").slice(1)) {
      found = isObject(found) ? found[segment.replaceAll("~1", "/").replaceAll("~0", "~")] : undefined
    }
    if (!isSchema(found)) throw new Error(`${schema.$ref} is not in the document`)
    return resolve(found)
  }
  const issueOf = (schema: JsonSchema, value: unknown): string | undefined => {
    const { errors, valid } = validate(value, schema, "2020-12", lookup, true)
    return valid ? undefined : errors.map(({ error, instanceLocation }) => `${instanceLocation}: ${error}`).join(" ")
  }
  return { operations, resolve, issueOf }
}
