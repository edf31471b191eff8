import { expect, test } from "bun:test"
import { Schema, type SchemaAST } from "effect"
import { Api } from "../../src/api/Api.ts"

/** The schemas of all that clients send, each with the method and path of its endpoint. */
const taken: ReadonlyArray<readonly [string, Schema.Top]> = Object.values(Api.groups).flatMap((group) =>
  Object.values(group.endpoints).flatMap((endpoint) => {
    const name = `${endpoint.method} ${endpoint.path}`
    const payloads = Array.from(endpoint.payload.values(), ({ schemas }) => schemas).flat()
    return [endpoint.params, endpoint.query, endpoint.headers, ...payloads].flatMap((schema) =>
      Schema.isSchema(schema) ? [[name, schema] as const] : [],
    )
  }),
)

/** The checks of a schema and of all schemas within it. */
const checksOf = (ast: SchemaAST.AST, seen = new Set<SchemaAST.AST>()): ReadonlyArray<SchemaAST.Check<unknown>> => {
  if (seen.has(ast)) return []
  seen.add(ast)
  const inner =
    ast._tag === "Objects"
      ? [...ast.propertySignatures, ...ast.indexSignatures].map(({ type }) => type)
      : ast._tag === "Arrays"
        ? [...ast.elements, ...ast.rest]
        : ast._tag === "Union"
          ? ast.types
          : ast._tag === "Suspend"
            ? [ast.thunk()]
            : []
  return [
    ...(ast.checks ?? []),
    ...[...inner, ...(ast.encoding ?? []).map(({ to }) => to)].flatMap((one) => checksOf(one, seen)),
  ]
}

test("error messages describe the expected form of a text in words, never as a regular expression", () => {
  expect(taken.length).toBeGreaterThan(50)
  for (const [endpoint, schema] of taken) {
    const found = checksOf(schema.ast).map(({ annotations }) => annotations?.["message"] ?? annotations?.["expected"])
    expect({ endpoint, found: found.filter((said) => String(said).includes("RegExp")) }).toEqual({
      endpoint,
      found: [],
    })
  }
  // The walk finds the messages of checks at all.
  const platform = taken.flatMap(([, { ast }]) => checksOf(ast)).map(({ annotations }) => annotations?.["message"])
  expect(platform).toContain("Expected 1 to 32 lower-case letters, digits, _ and -, such as web")
})
