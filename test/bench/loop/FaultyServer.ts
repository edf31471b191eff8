import { Context } from "effect"
import { TestRunBounds } from "../../../src/jobs/TestRuns.ts"
import { LexicalIndex } from "../../../src/knowledge/search/LexicalIndex.ts"
import { main } from "../../../src/main.ts"
import { hash } from "../../../src/text/Hashing.ts"

/*
 * The program as a new version whose search has a fault: it overlooks a part of the passages. `1` overlooks none, `5` one
 * in five.
 */

const share = Number(process.argv.splice(2, 1)[0])
const { search } = LexicalIndex.prototype
LexicalIndex.prototype.search = function (query, limit) {
  return search.call(this, query, limit).filter(({ chunkId }) => share === 1 || hash(String(chunkId)) % share !== 0)
}
const bounds = TestRunBounds.defaultValue()
main(Context.make(TestRunBounds, { ...bounds, version: `${bounds.version}+${share === 1 ? "same" : "fault"}` }))
