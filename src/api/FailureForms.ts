import type { Schema, Struct } from "effect"
import type { FailureClass } from "../domain/Failure.ts"

/** Makes of a failure's class the schema of what clients of one dialect see of it. */
export interface FailureForms extends Struct.Lambda {
  <F extends FailureClass>(failure: F): Schema.Codec<F["Type"], unknown>
  readonly "~lambda.out": this["~lambda.in"] extends FailureClass
    ? Schema.Codec<this["~lambda.in"]["Type"], unknown>
    : never
}
