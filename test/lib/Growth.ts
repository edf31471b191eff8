/*
 * Texts that may take a parser quadratic time, and the processor time that one takes in this thread, which other
 * programs on the machine do not affect.
 */

/** Texts that are repeated to make a long one. */
export const units: ReadonlyArray<string> = [
  ..."a A é ß 1 _ - = + * ~ # > < ! ? . , ; : ' \" ` ( ) [ ] { } | & @ / \\ % ^ $ \u00ad \u200b \ufeff".split(" "),
  ..." |\t|\n|\r|\u2028|\u00a0|\u3000| \n|\n |\n\n|\t\n \n|a |a\n|a. |A. |a.\n|Mr. |. |! |? |\n# |\n# a\n|\n## ".split(
    "|",
  ),
  ..."漢|漢。|か|カ|한|ก|ภาษาไทย|ខ្មែរ|မြန်မာ|ລາວ|ا|ﷺ|ﬁ|Σ|İ|🇩🇪|👨‍👩‍👧|😀|\ud83d\udc69\u200d".split("|"),
  ..."\u0301|\u0315\u0316|\u0f71\u0f72\u0f73|a\u0301|\u0316\u0300|\u1100\u1161\u11a8|\uff9e\u0334|\u034f|\u1161".split(
    "|",
  ),
  ...'![|[a](|[a](b)|![a](b|[[|]( |](a|[a]|<a|</|</a>|<!--|-->|<![CDATA[|<?|<b>|<div>|<a href="|&amp|&#x|&lt;'.split(
    "|",
  ),
  "**",
  "**a",
  "__",
  "*a",
  "_a",
  "`a",
  "```\n",
  "\n```",
  "~~~a\n",
  "\n---",
  "---\n",
  "\n===",
  "- a\n",
  "* \n",
  "1. ",
  "> ",
  "\n>",
  "|\n",
  "| a ",
  "| a | b |\n",
  "|---|\n",
  "\n| - ",
  "a|",
  'a,"',
  '"a",',
  '""',
  '"\n',
  "a;b\n",
  "a\tb\n",
  '{"a":',
  '{"a":1}\n',
  "[1,",
  "[[],",
  '"\\',
  "\\_",
  "a\\_",
  "a@",
  "a@a.",
  "a.a@",
  "a-",
  "a@a-",
  "a.",
  "@a.a",
  "http://a.",
  "https://a/",
  "www.a ",
  "://",
  "{a}",
  "{a",
  "%e0",
  "readFile",
  "AAa",
  "aB",
  "a_",
  "1.",
  "1,",
  ".1",
  "<tr><td>a",
  "<table>",
  "<li>a",
  "<p>a</p>",
  "<a href='http://a'>b</a>",
  "<br>",
  "<b ",
  "style=';",
  "style='; '",
  "title: a\n",
  "a: b\n",
]

/** The processor time that some work takes in this thread, in milliseconds. */
export const cost = async (work: () => unknown): Promise<number> => {
  const before = process.threadCpuUsage()
  await work()
  const { system, user } = process.threadCpuUsage(before)
  return (system + user) / 1_000
}
