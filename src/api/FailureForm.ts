import { Effect, Schema, SchemaTransformation, Struct } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { failures } from "../domain/Errors.ts"
import type { Declaration, EncodedFailure, FailureClass, Occurrence } from "../domain/Failure.ts"
import { RequestId } from "./RequestId.ts"

/** How failures are told in a dialect. */
export interface FailureForm<Body> {
  readonly mediaType: string
  /** The schema of the body of a response that tells this failure. */
  readonly schemaOf: (declaration: Declaration) => Schema.Codec<Body, unknown>
  readonly encode: (declaration: Declaration, occurrence: Occurrence, requestId: string) => Body
  readonly decode: (body: Body) => Occurrence
  /** The code that the dialect has for the failure. */
  readonly codeOf: (declaration: Declaration) => string
}

/** From the class of a failure to the schema of how it is told. */
interface ToSchema extends Struct.Lambda {
  <F extends FailureClass>(failure: F): Schema.Codec<F["Type"], unknown>
  readonly "~lambda.out": this["~lambda.in"] extends FailureClass
    ? Schema.Codec<this["~lambda.in"]["Type"], unknown>
    : never
}

/** How a dialect tells every failure, as schemas by the tags of the failures. Endpoints of the dialect declare these. */
export const schemasIn = <Body>({ codeOf, decode, encode, mediaType, schemaOf }: FailureForm<Body>) =>
  Struct.map(
    failures,
    Struct.lambda<ToSchema>((failure: FailureClass) => {
      const { declaration, identifier } = failure
      return schemaOf(declaration).pipe(
        Schema.decodeTo(
          failure,
          SchemaTransformation.transformEffect({
            decode: (body) => Effect.succeed<EncodedFailure>({ ...decode(body), _tag: identifier }),
            encode: (occurrence) => RequestId.useSync((requestId) => encode(declaration, occurrence, requestId)),
          }),
        ),
        HttpApiSchema.asJson({ contentType: mediaType }),
        HttpApiSchema.status(declaration.status),
        // What the OpenAPI document says of an answer with this failure.
        Schema.annotate({ description: `\`${codeOf(declaration)}\`: ${declaration.title}.` }),
      )
    }),
  )
