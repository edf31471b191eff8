/** Milliseconds after which a test has waited in vain, on a machine that is busy with other things. */
const PATIENCE = 120_000
/** The most characters of the last answer that a failure shows. */
const SHOWN = 1_000

/** Repeats a request until its answer meets the condition, and fails with the last one where none does. */
export const until = async <A>(ask: () => A | Promise<A>, isSo: (answer: A) => boolean): Promise<A> => {
  const end = performance.now() + PATIENCE
  while (true) {
    const answer = await ask()
    if (isSo(answer)) return answer
    if (performance.now() > end) throw new Error(`Waited for ${isSo}, and got ${Bun.inspect(answer).slice(0, SHOWN)}`)
    await Bun.sleep(20)
  }
}
