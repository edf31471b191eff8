import openapiTS, { astToString } from "openapi-typescript"
import ts from "typescript"

/*
 * `bun OpenApiTypes.mjs DOCUMENT TYPES`: writes the types of an OpenAPI document, as `openapi-typescript` makes them, to
 * a file. Unlike the package's own command, it makes a `Blob` of each file, as the package's manual says.
 */

const [document = "", types = ""] = process.argv.slice(2)
const nodes = await openapiTS(await Bun.file(document).text(), {
  transform: ({ format }) => (format === "binary" ? ts.factory.createTypeReferenceNode("Blob") : undefined),
})
await Bun.write(types, astToString(nodes))
