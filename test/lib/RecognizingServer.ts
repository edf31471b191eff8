import { Duration, Effect } from "effect"
import { Extract } from "../../src/readers/Extract.ts"
import { defaults } from "./Defaults.ts"
import { blank } from "./files/Scans.ts"

/*
 * A stand-in for the server: it reads an image by a command that prints the id of its process into the file that is named
 * in the first argument, and goes on for ever.
 */

const ocr = `echo $$ > ${process.argv[2]}; while :; do :; done`
const source = { format: "png", name: "a.png", content: new Blob([blank(10)]) } as const
await Effect.runPromise(
  Extract.use((extract) => extract.split(source)).pipe(
    Effect.provide(Extract.layer({ ...defaults.extract, ocr, deadline: Duration.minutes(5) })),
  ),
)
