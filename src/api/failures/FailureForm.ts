import { Effect, Schema, SchemaTransformation, Struct } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { failures } from "../../domain/Errors.ts"
import type { Declaration, EncodedFailure, FailureClass, Occurrence } from "../../domain/Failure.ts"
import { RequestId } from "../../domain/RequestId.ts"

/** The form of failures in the bodies of responses in one dialect. */
export interface FailureForm<Body> {
  readonly mediaType: string
  /** The schema of the body of a response with this failure. */
  readonly schemaOf: (declaration: Declaration) => Schema.Codec<Body, unknown>
  readonly encode: (declaration: Declaration, occurrence: Occurrence, requestId: string) => Body
  readonly decode: (body: Body) => Occurrence
  /** The dialect's code for the failure. */
  readonly codeOf: (declaration: Declaration) => string
}

/** Maps the class of a failure to the schema between the failure and its representation in a dialect. */
interface ToSchema extends Struct.Lambda {
  <F extends FailureClass>(failure: F): Schema.Codec<F["Type"], unknown>
  readonly "~lambda.out": this["~lambda.in"] extends FailureClass
    ? Schema.Codec<this["~lambda.in"]["Type"], unknown>
    : never
}

/** The schemas of every failure in one dialect, by tag. Endpoints of the dialect declare them as errors. */
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
        // The OpenAPI document shows this as the description of the response.
        Schema.annotate({ description: `\`${codeOf(declaration)}\`: ${declaration.title}.` }),
      )
    }),
  )
