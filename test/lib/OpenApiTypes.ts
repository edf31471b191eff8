import { plugin } from "bun"
import ts from "typescript-5"

/*
 * `bun OpenApiTypes.ts DOCUMENT TYPES`: writes the types of an OpenAPI document, as `openapi-typescript` makes them, to a
 * file. A process of its own, since that package works with the API of TypeScript 5, which is not there in ours.
 */

plugin({
  name: "typescript 5",
  setup: (build) => {
    build.module("typescript", () => ({ exports: { default: ts }, loader: "object" }))
  },
})
const { astToString, default: typesOf } = await import("openapi-typescript")

const [document = "", types = ""] = process.argv.slice(2)
const nodes = await typesOf(await Bun.file(document).text(), {
  // As its manual says for files.
  transform: ({ format }) => (format === "binary" ? ts.factory.createTypeReferenceNode("Blob") : undefined),
})
await Bun.write(types, astToString(nodes))
