/** Repeats a request until its answer meets the condition. A test that waits in vain runs into its timeout. */
export const until = async <A>(ask: () => A | Promise<A>, isSo: (answer: A) => boolean): Promise<A> => {
  while (true) {
    const answer = await ask()
    if (isSo(answer)) return answer
    await Bun.sleep(20)
  }
}
