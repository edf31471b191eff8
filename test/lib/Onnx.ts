/*
 * Writes small models in ONNX, an encoding of protocol buffers, and their tokenizers and layers. They run on the real
 * runtime, and what they compute can be worked out by hand.
 */

const varint = (value: number): ReadonlyArray<number> =>
  value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))]

const int = (field: number, value: number) => Buffer.from([...varint(field * 8), ...varint(value)])
const bytes = (field: number, content: Uint8Array | string) => {
  const body = Buffer.from(content as Uint8Array)
  return Buffer.concat([Buffer.from([...varint(field * 8 + 2), ...varint(body.length)]), body])
}
const message = (field: number, ...parts: ReadonlyArray<Uint8Array>) => bytes(field, Buffer.concat(parts))

const FLOAT = 1
const INT64 = 7

const floats = (values: ReadonlyArray<number>) => Buffer.from(Float32Array.from(values).buffer)

/** The name of the file in which a model has its weights where they are not in itself. */
export const WEIGHTS = "model.onnx_data"

/** A table with a row for each token, in the model or in the file of weights. */
const table = (name: string, rows: ReadonlyArray<ReadonlyArray<number>>, isOutside: boolean) =>
  message(
    5,
    int(1, rows.length),
    int(1, rows[0]?.length ?? 0),
    int(2, FLOAT),
    bytes(8, name),
    ...(isOutside
      ? [message(13, bytes(1, "location"), bytes(2, WEIGHTS)), int(14, 1)]
      : [bytes(9, floats(rows.flat()))]),
  )

const axes = (name: string, axis: number) =>
  message(5, int(1, 1), int(2, INT64), bytes(8, name), bytes(9, Buffer.from(BigInt64Array.of(BigInt(axis)).buffer)))

const node = (
  op: string,
  inputs: ReadonlyArray<string>,
  output: string,
  attributes: Readonly<Record<string, number>> = {},
) =>
  message(
    1,
    ...inputs.map((name) => bytes(1, name)),
    bytes(2, output),
    bytes(4, op),
    ...Object.entries(attributes).map(([name, value]) => message(5, bytes(1, name), int(3, value), int(20, 2))),
  )

const value = (field: number, name: string, type: number, shape: ReadonlyArray<string>) =>
  message(
    field,
    bytes(1, name),
    message(2, message(1, int(1, type), message(2, ...shape.map((size) => message(1, bytes(2, size)))))),
  )

const model = (inputs: ReadonlyArray<string>, output: Uint8Array, ...parts: ReadonlyArray<Uint8Array>): Buffer =>
  Buffer.concat([
    int(1, 8),
    message(8, int(2, 13)),
    message(
      7,
      bytes(2, "graph"),
      ...parts,
      ...inputs.map((name) => value(11, name, INT64, ["batch", "tokens"])),
      output,
    ),
  ])

type Rows = ReadonlyArray<ReadonlyArray<number>>

/** A cross-encoder whose logits are the sums of the tokens' rows. */
export const summing = (rows: Rows, { isOutside = false } = {}): Buffer =>
  model(
    ["input_ids", "attention_mask"],
    value(12, "logits", FLOAT, ["batch", "labels"]),
    table("rows", rows, isOutside),
    axes("tokens", 1),
    node("Gather", ["rows", "input_ids"], "found"),
    node("ReduceSum", ["found", "tokens"], "logits", { keepdims: 0 }),
  )

/** A cross-encoder whose logit is the number of pairs of a token of the question with the same one of the passage. */
export const overlapping = (rows: Rows): Buffer =>
  model(
    ["input_ids", "attention_mask", "token_type_ids"],
    value(12, "logits", FLOAT, ["batch", "labels"]),
    table("rows", rows, false),
    axes("one", 1),
    axes("two", 2),
    node("Gather", ["rows", "input_ids"], "found"),
    node("Cast", ["token_type_ids"], "types", { to: FLOAT }),
    node("Unsqueeze", ["types", "two"], "column"),
    node("Mul", ["found", "column"], "ofPassage"),
    node("ReduceSum", ["ofPassage", "one"], "passage", { keepdims: 0 }),
    node("ReduceSum", ["found", "one"], "both", { keepdims: 0 }),
    node("Sub", ["both", "passage"], "question"),
    node("Mul", ["question", "passage"], "common"),
    node("ReduceSum", ["common", "one"], "logits", { keepdims: 1 }),
  )

/** A model whose output are the rows of the tokens. */
export const ofTokens = (rows: Rows): Buffer =>
  model(
    ["input_ids", "attention_mask"],
    value(12, "last_hidden_state", FLOAT, ["batch", "tokens", "width"]),
    table("rows", rows, false),
    node("Gather", ["rows", "input_ids"], "last_hidden_state"),
  )

/** The content of a file of weights. */
export const weights = (rows: Rows): Buffer => floats(rows.flat())

/** A file of tensors, as safetensors are written. */
export const safetensors = (tensors: Readonly<Record<string, Rows | ReadonlyArray<number>>>): Buffer => {
  const parts = Object.entries(tensors).map(([name, rows]) => ({ name, rows, values: floats(rows.flat()) }))
  let end = 0
  const header = JSON.stringify({
    __metadata__: { format: "pt" },
    ...Object.fromEntries(
      parts.map(({ name, rows, values }) => {
        const [start, first] = [end, rows[0]]
        end += values.length
        const shape = Array.isArray(first) ? [rows.length, first.length] : [rows.length]
        return [name, { dtype: "F32", shape, data_offsets: [start, end] }]
      }),
    ),
  })
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(header.length))
  return Buffer.concat([length, Buffer.from(header), ...parts.map(({ values }) => values)])
}

const special = (id: string, type: number) => ({ SpecialToken: { id, type_id: type } })
const sequence = (id: string, type: number) => ({ Sequence: { id, type_id: type } })
const added = (content: string, id: number) => ({
  id,
  content,
  single_word: false,
  lstrip: false,
  rstrip: false,
  normalized: false,
  special: true,
})

/** The first tokens of every tokenizer: of the start, of the end, and of what is not known. */
const [START, END, UNKNOWN] = ["[CLS]", "[SEP]", "[UNK]"]
export const SPECIAL_TOKENS = [START, END, UNKNOWN]

const tokenizer = (pair: ReadonlyArray<object>, parts: object): string =>
  JSON.stringify({
    version: "1.0",
    added_tokens: SPECIAL_TOKENS.map(added),
    normalizer: null,
    decoder: null,
    post_processor: {
      type: "TemplateProcessing",
      single: [special(START, 0), sequence("A", 0), special(END, 0)],
      pair,
      special_tokens: Object.fromEntries([START, END].map((id, index) => [id, { id, ids: [index], tokens: [id] }])),
    },
    ...parts,
  })

const vocabularyOf = (words: ReadonlyArray<string>) =>
  Object.fromEntries([...SPECIAL_TOKENS, ...words].map((word, id) => [word, id]))

/** Tokenizers of the kinds that cross-encoders have, each with these words as its tokens after the special ones. */
export const tokenizers = {
  /** As of BERT. */
  WordPiece: (words: ReadonlyArray<string>) =>
    tokenizer([special(START, 0), sequence("A", 0), special(END, 0), sequence("B", 1), special(END, 1)], {
      normalizer: {
        type: "BertNormalizer",
        clean_text: true,
        handle_chinese_chars: true,
        strip_accents: null,
        lowercase: true,
      },
      pre_tokenizer: { type: "BertPreTokenizer" },
      model: {
        type: "WordPiece",
        unk_token: UNKNOWN,
        continuing_subword_prefix: "##",
        max_input_chars_per_word: 100,
        vocab: vocabularyOf(words),
      },
    }),
  /** As of XLM-RoBERTa. */
  Unigram: (words: ReadonlyArray<string>) =>
    tokenizer(
      [special(START, 0), sequence("A", 0), special(END, 0), special(END, 0), sequence("B", 0), special(END, 0)],
      {
        pre_tokenizer: { type: "Metaspace", replacement: "▁", add_prefix_space: true, prepend_scheme: "always" },
        model: {
          type: "Unigram",
          unk_id: 2,
          vocab: [...SPECIAL_TOKENS.map((token) => [token, 0]), ...words.map((word) => [`▁${word}`, -1])],
        },
      },
    ),
  /** As of ModernBERT. The merges make a word of its letters, from the first one on. */
  BPE: (words: ReadonlyArray<string>) => {
    const whole = words.map((word) => `Ġ${word}`)
    const steps = whole.flatMap((word) => Array.from(word, (letter, index) => [word.slice(0, index), letter]).slice(1))
    const pieces = new Set([...whole, ...steps.flatMap(([left = "", right = ""]) => [left, right, left + right])])
    return tokenizer([special(START, 0), sequence("A", 0), special(END, 0), sequence("B", 0), special(END, 0)], {
      pre_tokenizer: { type: "ByteLevel", add_prefix_space: true, trim_offsets: true, use_regex: true },
      model: {
        type: "BPE",
        unk_token: UNKNOWN,
        vocab: vocabularyOf(Array.from(pieces)),
        merges: Array.from(new Set(steps.map(([left, right]) => `${left} ${right}`))),
      },
    })
  },
}
