/*
 * Texts that tests write, scan and read again, one paragraph on a line.
 */

export const english = `Rules for the workshop
Everyone who uses the workshop signs the list beside the door before the first machine is switched on. Eye protection is worn at the lathe and at the circular saw, and gloves are never worn near rotating parts. The extraction fan runs for ten minutes after the last cut.
Tools return to the drawer from which they were taken. A broken blade is reported to the caretaker on the same day, because replacements take about two weeks to arrive. Members may reserve the large bench for three hours, and a reservation lapses when nobody appears within twenty minutes.`

export const german = `Hinweise für die Mieter
Die Heizungsanlage wird jährlich im September gewartet. Störungen melden Sie bitte unverzüglich der Hausverwaltung, damit größere Schäden vermieden werden. Die Müllabfuhr kommt dienstags und freitags; die Behälter müssen bis sieben Uhr früh an der Straße stehen.
Fahrräder gehören in den Keller. Das Treppenhaus ist ein Rettungsweg und muss zu jeder Zeit frei bleiben. Haustiere sind nur mit schriftlicher Genehmigung erlaubt. Wer auszieht, übergibt die Wohnung gereinigt und alle Schlüssel vollzählig.`

export const arabic = `تعليمات استخدام المكتبة
تفتح المكتبة أبوابها من الساعة الثامنة صباحا حتى السادسة مساء. يجب على كل زائر أن يحمل بطاقة العضوية عند الدخول، ويمكن استعارة خمسة كتب لمدة ثلاثة أسابيع. يدفع القارئ غرامة صغيرة عن كل يوم تأخير.
يمنع إدخال الطعام إلى قاعات القراءة، ويرجى إغلاق الهواتف قبل الجلوس. الكتب النادرة لا تخرج من المبنى، وتقرأ في غرفة خاصة تحت إشراف الموظفين.`

export const chinese = `图书馆使用规定
图书馆每天早上八点开门，晚上六点关门。读者进入时需要出示会员卡，每次可以借阅五本书，期限为三个星期。超过期限的读者每天需要支付少量罚款。
阅览室内禁止饮食，请在入座之前关闭手机。珍贵的书籍不能带出大楼，只能在工作人员的陪同下在专门的房间里阅读。`

export const russian = `Правила мастерской
Каждый, кто пользуется мастерской, расписывается в журнале у двери, прежде чем включить первый станок. У токарного станка носят защитные очки, а перчатки рядом с вращающимися частями не надевают никогда.
Инструменты возвращают в тот ящик, из которого их взяли. О сломанном лезвии сообщают смотрителю в тот же день.`

/** Writes a text as HTML: its first line as a heading, and the others as paragraphs. */
export const htmlOf = (text: string): string => {
  const [title, ...paragraphs] = text.split("\n")
  return `<h1>${title}</h1>${paragraphs.map((paragraph) => `<p>${paragraph}</p>`).join("")}`
}

const words = new Intl.Segmenter("und", { granularity: "word" })

const wordsIn = (text: string): ReadonlyArray<string> =>
  Array.from(words.segment(text.normalize("NFKC").toLowerCase())).flatMap(({ isWordLike, segment }) =>
    isWordLike === true ? [segment] : [],
  )

/** The share of the words of a text that another one has, each as often. */
export const wordsFound = (expected: string, found: string): number => {
  const left = new Map<string, number>()
  for (const word of wordsIn(found)) left.set(word, (left.get(word) ?? 0) + 1)
  const all = wordsIn(expected)
  const hits = all.filter((word) => {
    const count = left.get(word) ?? 0
    left.set(word, count - 1)
    return count > 0
  })
  return hits.length / all.length
}
