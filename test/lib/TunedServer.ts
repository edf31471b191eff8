import { Context } from "effect"
import { main } from "../../src/main.ts"

/*
 * The program with other constants than its own, such as a shorter lease, so that a test need not wait for them. They
 * are the JSON of the first argument: the keys of references in the source, with values as JSON writes them.
 */

const [constants = "{}"] = process.argv.splice(2, 1)
main(Context.makeUnsafe(new Map(Object.entries(JSON.parse(constants)))))
