/** Remembers a value for each word. */
export class WordTable<A> {
  /** The sum of the lengths of all words in UTF-16 code units, to which the memory is proportional. */
  characters = 0
  private readonly values = new Map<string, A>()

  /**
   * The value of each word of a text between single spaces, in order. `learn` makes the value of a word that is new.
   */
  read(spaced: string, learn: (word: string) => A): Array<A> {
    return spaced.split(" ").map((word) => this.values.get(word) ?? this.add(word, learn))
  }

  private add(word: string, learn: (word: string) => A): A {
    // A copy, because a part of a text keeps all of the text in memory.
    const own = Buffer.from(word, "utf16le").toString("utf16le")
    const value = learn(own)
    this.values.set(own, value)
    this.characters += own.length
    return value
  }
}
