import { describe, expect, test } from "bun:test"
import { compoundsWith, partsOf } from "../../../src/knowledge/segments/Compounds.ts"
import { termOf } from "../../../src/knowledge/segments/Lexemes.ts"
import type { Language } from "../../../src/language/Language.ts"

/** The lexemes of the parts of a compound, in a knowledge base that holds these lexemes. */
const parts = (compound: string, language: Language, held: ReadonlyArray<string>): ReadonlyArray<string> => {
  const texts = new Map(held.map((lexeme) => [termOf(lexeme, language), lexeme]))
  return partsOf(compound, language, (term) => texts.has(term)).map((term) => texts.get(term) ?? "")
}

describe("a compound", () => {
  test.each([
    ["german", "treibhauseffekt", ["treibhaus", "effekt"]],
    ["german", "zeugenaussag", ["zeug", "aussag"]],
    ["german", "regierungsbeschluss", ["regier", "beschluss"]],
    ["dutch", "fietsverzeker", ["fiet", "verzeker"]],
    ["dutch", "verzekeringspolis", ["verzeker", "polis"]],
    ["swedish", "cykelförsäkring", ["cykel", "försäkring"]],
    ["danish", "cykelforsikring", ["cykel", "forsikring"]],
    ["norwegian", "arbeidsgiveravgift", ["arbeidsgiver", "avgift"]],
  ] as const)("is taken apart into what passages in %s hold: %s", (language, compound, held) => {
    expect(parts(compound, language, held)).toEqual([...held])
  })

  test("is split where its second part is longest", () => {
    expect(parts("autobahnbrück", "german", ["auto", "bahnbrück", "autobahn", "brück"])).toEqual(["auto", "bahnbrück"])
  })

  test.each([
    ["passages hold one part only", "german", "treibhauseffekt", ["treibhaus", "gewinn"]],
    ["a part is so short that chance makes it", "german", "tischlampe", ["tisc", "hla", "mpe"]],
    ["its language writes compounds apart", "english", "greenhouseeffect", ["greenhouse", "effect"]],
    ["it is too long to be a word", "german", `${"a".repeat(50)}effekt`, ["a".repeat(50), "effekt"]],
  ] as const)("is not taken apart where %s", (_why, language, compound, held) => {
    expect(parts(compound, language, held)).toEqual([])
  })
})

describe("a word that passages hold in compounds only", () => {
  const held = ["kundigungsfrist", "fristverlangerungsfrist", "fristverlanger", "begleiterin", "hyresavtalet"]
  const found = (lexeme: string): ReadonlyArray<string> => {
    const texts = new Map(held.map((compound) => [termOf(compound, "german"), compound]))
    const compounds = Buffer.from(`\n${held.join("\n")}\n`)
    return compoundsWith(lexeme, "german", compounds).map((term) => texts.get(term) ?? "")
  }

  test.each([
    [
      "that end with it, also where one begins with it as well",
      "frist",
      ["kundigungsfrist", "fristverlangerungsfrist"],
    ],
    ["that begin with it where none ends with it", "fristver", ["fristverlangerungsfrist", "fristverlanger"]],
    ["that end with it but for an ending", "avtal", ["hyresavtalet"]],
    ["and not for a word that only contains its letters", "leiter", []],
    ["and not for a part so short that chance makes it", "ung", []],
  ] as const)("stands for those %s", (_which, lexeme, compounds) => {
    expect(found(lexeme)).toEqual([...compounds])
  })
})
