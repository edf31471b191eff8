import { Predicate, Schema, SchemaTransformation } from "effect"

/*
 * Lists and records whose length is checked before their elements are decoded: decoding a million elements, only to
 * refuse them because ten are allowed, would hold up all other requests. Their JSON Schema is that of any other list or
 * record.
 */

/**
 * A value that is decoded as an `A` later. `Schema.Unknown` would traverse the whole value, to see that it is JSON.
 */
const unseen = <A>() =>
  Schema.declare((_value): _value is A => true, {
    representation: { id: "parley/unseen", payload: null },
    toCodecJson: () => undefined,
  })

const encoded = (schema: Schema.Top) => Schema.toEncoded(schema).ast

/** A list of `minimum` to `maximum` elements. */
export const boundedList = <S extends Schema.Top>(
  element: S,
  { minimum = 0, maximum }: { readonly minimum?: number; readonly maximum: number },
  annotations: Schema.Annotations.Bottom<ReadonlyArray<S["Encoded"]>, readonly []> = {},
) => {
  const message = minimum === 0 ? `Expected at most ${maximum} elements` : `Expected ${minimum} to ${maximum} elements`
  const length = Schema.makeFilter<unknown>(
    (value) => !Array.isArray(value) || (value.length >= minimum && value.length <= maximum) || message,
    {
      representation: { id: "parley/boundedList", payload: { minimum, maximum }, schemas: [encoded(element)] },
      toJsonSchema: ({ schemas: [items = {}] }) => ({
        type: "array",
        items,
        ...(minimum > 0 && { minItems: minimum }),
        maxItems: maximum,
      }),
    },
  )
  return unseen<ReadonlyArray<S["Encoded"]>>()
    .check(length)
    .annotate(annotations)
    .pipe(
      Schema.decodeTo(
        Schema.Array(element).check(Schema.isBetweenLength(minimum, maximum, { message })),
        SchemaTransformation.passthrough(),
      ),
    )
}

/** A record of at most `maximum` fields, of any names. */
export const boundedRecord = <S extends Schema.Top>(
  value: S,
  maximum: number,
  annotations: Schema.Annotations.Bottom<Schema.Record.Encoded<Schema.String, S>, readonly []> = {},
) => {
  const message = `Expected at most ${maximum} fields`
  const fieldCount = Schema.makeFilter<unknown>(
    (record) => !Predicate.isObject(record) || Object.keys(record).length <= maximum || message,
    {
      representation: { id: "parley/boundedRecord", payload: { maximum }, schemas: [encoded(value)] },
      toJsonSchema: ({ schemas: [additionalProperties = {}] }) => ({
        type: "object",
        additionalProperties,
        maxProperties: maximum,
      }),
    },
  )
  return unseen<Schema.Record.Encoded<Schema.String, S>>()
    .check(fieldCount)
    .annotate(annotations)
    .pipe(
      Schema.decodeTo(
        Schema.Record(Schema.String, value).check(Schema.isMaxProperties(maximum, { message })),
        SchemaTransformation.passthrough(),
      ),
    )
}
