/** Milliseconds after which a test has waited in vain, on a machine that is busy with other things. */
const PATIENCE = 120_000
/** The most characters of the last answer that a failure shows. */
const SHOWN = 1_000

/** An answer itself, or some of its fields. */
type Like<A> = A extends object ? { readonly [K in keyof A & string]?: A[K] } : A

const isLike = (answer: unknown, sought: unknown): boolean =>
  typeof sought === "object" && sought !== null
    ? Object.entries(sought).every(([name, value]) => Object(answer)[name] === value)
    : answer === sought

const isCondition = <A>(sought: unknown): sought is (answer: A) => boolean => typeof sought === "function"

/**
 * Repeats a request until its answer is the one that is sought, has these fields, or meets the condition. Fails with the
 * last answer where none does.
 */
export const until = async <A>(ask: () => A | Promise<A>, sought: Like<A> | ((answer: A) => boolean)): Promise<A> => {
  const end = performance.now() + PATIENCE
  while (true) {
    const answer = await ask()
    if (isCondition<A>(sought) ? sought(answer) : isLike(answer, sought)) return answer
    if (performance.now() > end)
      throw new Error(
        `Waited for ${isCondition(sought) ? sought : Bun.inspect(sought)}, and got ${Bun.inspect(answer).slice(0, SHOWN)}`,
      )
    await Bun.sleep(20)
  }
}
