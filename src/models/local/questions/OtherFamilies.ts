import type { QuestionWords } from "./QuestionWords.ts"

export const otherFamilies: Readonly<Record<string, QuestionWords>> = {
  pl: {
    name: "simple",
    and: "i, a, lub, czy, niż, od, versus, vs",
    definition:
      "co to jest, co to są, czym jest, czym są, kto to jest, kim jest, kim był, kim była, co oznacza, co znaczy, zdefiniuj, definicja, wyjaśnij",
    list: "jakie są, jakie, które, wymień, lista, jakich",
    "how-to": "jak mogę, jak można, jak zrobić, jak mam, jak możemy, co mam zrobić, co należy zrobić, kroki",
    "yes-no": "czy, czy można, czy mogę, czy jest, czy są, czy istnieje",
    number:
      "ile, ilu, ile czasu, jak długo, jak daleko, jak wysoki, jak wysoka, jak duży, jak duża, jak stary, jak często, jak szybko, w jakim wieku, jaki procent, liczba",
    date: "kiedy, od kiedy, do kiedy, o której godzinie, w którym roku, w jakim roku, jaka data, którego dnia, w którym wieku",
    person: "kto, kogo, komu, czyj, czyja, czyje, przez kogo, z kim",
    place: "gdzie, skąd, dokąd, w jakim mieście, w jakim kraju, w którym mieście, w którym kraju",
    why: "dlaczego, czemu, po co, z jakiego powodu",
    comparison: "różnica między, różnice między, różni się, porównaj, w porównaniu z, versus, vs",
    other: "jak, co, jaki, jaka, który, która, jakim, jaką, czego, czym",
    nouns: {
      number:
        "cena, koszt, liczba, ilość, wysokość, długość, rozmiar, waga, wiek, powierzchnia, populacja, procent, temperatura, prędkość, limit, odległość",
      date: "rok, roku, data, dzień, miesiąc, stulecie",
      place: "miasto, mieście, kraj, kraju, miejsce, państwo, adres, stolica",
    },
    filler:
      "w, z, i, o, a, u, proszę, dziękuję, powiedz mi, czy możesz mi powiedzieć, czy może mi pan powiedzieć, chciałbym wiedzieć, chciałabym wiedzieć, około, mniej więcej, dokładnie, ja, ty, my, mój, moja, mi, cześć, się",
  },
  ru: {
    name: "russian",
    and: "и, или, чем, от, versus, vs",
    definition:
      "что такое, что это, кто такой, кто такая, кто такие, что значит, что означает, определение, объясни, объясните, что представляет собой",
    list: "какие, какие существуют, перечисли, перечислите, назови, назовите, список, каких, какими",
    "how-to": "как мне, как можно, как сделать, как я могу, как мы можем, что мне делать, что нужно сделать, шаги",
    particle: "ли",
    "yes-no": "можно ли, есть ли, является ли, ли, могу ли я, нужно ли, должен ли, существует ли, может ли, правда ли",
    number:
      "сколько, скольких, как долго, как далеко, как часто, как быстро, сколько лет, сколько времени, сколько стоит, какой процент, какова численность, количество, сколькими",
    date: "когда, с какого времени, до какого времени, в котором часу, в каком году, какой год, какого числа, в каком веке, какая дата, с каких пор",
    person: "кто, кого, кому, кем, чей, чья, чьё, чьи, с кем, о ком",
    place: "где, откуда, куда, в каком городе, в какой стране, в каком месте",
    why: "почему, зачем, отчего, по какой причине, из за чего",
    comparison:
      "разница между, различие между, различия между, отличается, отличаются, сравни, сравните, по сравнению с, чем отличается",
    other:
      "как, что, какой, какая, какое, каков, какова, каково, чем, чего, чему, каким, какую, какого, каком, какому, который, в чем, в чём, о чем",
    nouns: {
      number:
        "цена, стоимость, число, количество, высота, длина, размер, вес, возраст, площадь, население, процент, температура, скорость, предел, расстояние, численность",
      date: "год, году, дата, день, месяц, век, веке, десятилетие, время, срок",
      place: "город, городе, страна, стране, место, месте, государство, адрес, столица",
    },
    filler:
      "и, а, о, у, в, с, к, пожалуйста, спасибо, скажи, скажите, подскажи, подскажите, расскажи, расскажите, не могли бы вы сказать, хочу знать, хотел бы знать, примерно, приблизительно, около, точно, я, ты, вы, мы, мне, мой, моя, ваш, привет, здравствуйте",
  },
  uk: {
    name: "simple",
    and: "і, й, та, або, чи, ніж, від, versus, vs",
    definition: "що таке, що це, хто такий, хто така, хто такі, що означає, визначення, поясни, поясніть",
    list: "які, які існують, перелічи, перелічіть, назви, назвіть, список, яких",
    "how-to": "як мені, як можна, як зробити, як я можу, що мені робити, що потрібно зробити, кроки",
    "yes-no": "чи, чи можна, чи є, чи може, чи можу я, чи потрібно",
    number:
      "скільки, як довго, як далеко, як часто, як швидко, скільки років, скільки коштує, який відсоток, кількість",
    date: "коли, відколи, о котрій годині, в якому році, у якому році, який рік, якого числа, в якому столітті",
    person: "хто, кого, кому, ким, чий, чия, чиє, чиї",
    place: "де, звідки, куди, в якому місті, у якому місті, в якій країні, у якій країні",
    why: "чому, навіщо, з якої причини, через що",
    comparison: "різниця між, відмінність між, відрізняється, відрізняються, порівняй, порівняйте, порівняно з",
    other: "як, що, який, яка, яке, чим, чого, якою, якого, якому, котрий",
    nouns: {
      number:
        "ціна, вартість, число, кількість, висота, довжина, розмір, вага, вік, площа, населення, відсоток, температура, швидкість, межа, відстань",
      date: "рік, році, дата, день, місяць, століття, час",
      place: "місто, місті, країна, країні, місце, держава, адреса, столиця",
    },
    filler:
      "і, а, о, у, в, з, будь ласка, дякую, скажи, скажіть, підкажи, підкажіть, розкажи, розкажіть, хочу знати, приблизно, близько, точно, я, ти, ви, ми, мені, мій, моя, ваш, привіт",
  },
  tr: {
    name: "turkish",
    and: "ve, veya, ile, yoksa, vs",
    definition: "nedir, ne demek, ne demektir, kimdir, ne anlama gelir, tanımla, tanımı, açıkla, nelerdir",
    list: "hangileri, hangileridir, nelerdir, neler, listele, say, sırala",
    "how-to":
      "nasıl yapılır, nasıl yapabilirim, nasıl yaparım, nasıl yapmalıyım, ne yapmalıyım, nasıl edebilirim, adımlar",
    particle: "mi, mı, mu, mü, midir, mıdır, mudur, müdür, var mı, mümkün mü, miyim, mıyım, miyiz",
    number:
      "kaç, kaçı, kaçtır, ne kadar, ne kadardır, kaç tane, ne kadar süre, ne sıklıkla, kaç yaşında, yüzde kaç, kaçıncı, ne kadarı",
    date: "ne zaman, ne zamandan beri, hangi yıl, hangi yılda, hangi tarihte, hangi gün, saat kaçta, hangi yüzyılda, kaç yılında",
    person: "kim, kime, kimi, kimin, kimden, kimler, kiminle, kimlerin",
    place: "nerede, nereye, nereden, neresi, neresidir, hangi şehirde, hangi ülkede, nerededir",
    why: "neden, niçin, niye, hangi sebeple, ne sebeple",
    comparison: "arasındaki fark, arasındaki farklar, farkı, karşılaştır, kıyasla",
    other: "nasıl, ne, hangi, hangisi, neyi, neye, neyin, hangisidir, nasıldır",
    nouns: {
      number:
        "fiyatı, ücreti, sayısı, miktarı, yüksekliği, uzunluğu, büyüklüğü, ağırlığı, yaşı, alanı, nüfusu, yüzdesi, sıcaklığı, hızı",
      date: "yıl, yılda, tarih, tarihi, gün, ay, yüzyıl",
      place: "şehir, ülke, yer, eyalet, bölge, adresi, başkenti",
    },
    filler:
      "lütfen, teşekkürler, söyler misin, söyler misiniz, bana, bilmek istiyorum, yaklaşık, aşağı yukarı, tam olarak, ben, sen, siz, biz, benim, merhaba",
  },
  ar: {
    name: "arabic",
    and: "و, أو, أم, عن",
    definition: "ما هو, ما هي, ما معنى, من هو, من هي, ماذا يعني, ماذا تعني, عرف, تعريف, اشرح, ما المقصود",
    list: "ما هم, عدد, اذكر, قائمة, أي من, ما أنواع, ما هي أنواع",
    "how-to": "كيف يمكنني, كيف يمكن, كيف أستطيع, كيف أقوم, كيف نقوم, ماذا أفعل, خطوات",
    "yes-no": "هل, هل يمكن, هل يمكنني, هل يوجد, هل توجد, هل هناك, أيمكن",
    number:
      "كم, كم عدد, كم عمر, كم مرة, كم من, بكم, كم يبلغ, كم بلغ, كم تبلغ, كم كان, ما عدد, ما نسبة, ما هي نسبة, ما مدى, كم المدة",
    date: "متى, منذ متى, حتى متى, في أي عام, في أي سنة, أي عام, في أي تاريخ, في أي يوم, في أي وقت, في أي قرن",
    person: "من, لمن, من الذي, من التي, ممن, مع من",
    place: "أين, من أين, إلى أين, في أي مدينة, في أي بلد, في أي دولة",
    why: "لماذا, لم, ما سبب, ما هو سبب, لأي سبب, ما السبب",
    comparison: "الفرق بين, الفروق بين, قارن, مقارنة",
    other: "ما, ماذا, كيف, أي, بماذا, بم, عماذا, ما الذي, ما التي, أية",
    nouns: {
      number: "سعر, تكلفة, عدد, كمية, ارتفاع, طول, حجم, وزن, عمر, مساحة, سكان, نسبة, درجة, سرعة, مسافة",
      date: "عام, سنة, تاريخ, يوم, شهر, قرن",
      place: "مدينة, بلد, دولة, مكان, ولاية, منطقة, عنوان, عاصمة",
    },
    filler:
      "من فضلك, لو سمحت, شكرا, أخبرني, قل لي, هل يمكنك أن تخبرني, أريد أن أعرف, تقريبا, حوالي, بالضبط, أنا, أنت, نحن, مرحبا",
  },
  hi: {
    name: "hindi",
    and: "और, या, तथा, एवं",
    definition: "क्या है, क्या हैं, क्या था, क्या होता है, कौन है, कौन था, का अर्थ, का मतलब, परिभाषा, समझाइए",
    list: "कौन से, कौन कौन, सूची, क्या क्या, नाम बताइए",
    "how-to": "कैसे करें, कैसे करूं, मैं कैसे, हम कैसे, क्या करना चाहिए, कैसे कर सकते हैं, कैसे बनाएं",
    particle: "क्या",
    number: "कितना, कितने, कितनी, कितने समय, कितनी देर, कितने प्रतिशत, कितनी बार, कितनी दूर",
    date: "कब, कब से, कब तक, किस वर्ष, किस साल, किस तारीख, किस दिन, किस शताब्दी, कितने बजे",
    person: "कौन, किसने, किसे, किसको, किसका, किसकी, किसके, किससे, किनके, किन्होंने",
    place: "कहाँ, कहां, कहाँ से, किस शहर, किस देश, किस स्थान, किस जगह",
    why: "क्यों, किस कारण, किसलिए",
    comparison: "के बीच अंतर, में अंतर, तुलना, के बीच का अंतर",
    other: "कैसे, कैसा, कैसी, किस, किन, कौन सा, कौन सी",
    nouns: {
      number: "मूल्य, कीमत, संख्या, ऊंचाई, लंबाई, जनसंख्या, प्रतिशत, आयु",
      date: "वर्ष, साल, तारीख, दिन, महीना",
      place: "शहर, देश, स्थान, राज्य",
    },
    filler: "कृपया, धन्यवाद, मुझे बताइए, बताइए, बताओ, लगभग, करीब, मैं, हम, आप, नमस्ते",
  },
  zh: {
    name: "english",
    and: "和, 与, 與, 跟, 或, 还是, 比",
    definition: "什么是, 是什么, 是谁, 什么叫, 是什么意思, 的定义, 解释, 什麼是, 是什麼",
    list: "哪些, 有哪些, 列出, 列举, 列舉, 分别是什么",
    "how-to": "怎么办, 怎么做, 如何做, 我该怎么, 我怎么, 怎样才能, 如何, 怎么, 怎樣, 怎麼, 步骤",
    particle: "吗, 嗎, 是否, 能不能, 可不可以, 是不是, 有没有, 会不会, 能否, 可否",
    number: "多少, 几个, 几年, 几次, 几, 幾, 多久, 多长, 多長, 多大, 多高, 多远, 多遠, 多重, 多快, 百分之几, 占多少",
    date: "什么时候, 什麼時候, 何时, 何時, 哪一年, 哪年, 几月, 几号, 哪一天, 哪天, 几点, 什么时间, 哪个世纪, 何年",
    person: "谁, 誰, 哪位, 何人, 什么人",
    place: "哪里, 哪裡, 在哪, 哪儿, 何处, 何處, 哪个城市, 哪个国家, 什么地方, 哪座城市",
    why: "为什么, 為什麼, 为何, 為何, 什么原因, 为啥",
    comparison: "的区别, 的區別, 有什么不同, 有何不同, 的差异, 比较, 相比",
    other: "什么, 什麼, 哪个, 哪個, 哪种, 哪種, 哪, 何, 怎样, 什么样",
    filler:
      "有, 是, 在, 来, 被, 所, 吗, 请问, 請問, 请, 請, 谢谢, 謝謝, 告诉我, 你能告诉我, 我想知道, 大约, 大約, 大概, 左右, 我, 你, 您, 我们, 你好, 的, 了, 呢",
  },
  ja: {
    name: "english",
    and: "と, や, か, または, より",
    definition: "とは何ですか, とは何, とは, って何, は何ですか, の意味, の定義, 説明して",
    list: "どれですか, どのような種類, 列挙, 一覧, 挙げて, すべて教えて",
    "how-to": "どうすれば, どうやって, 方法は, やり方, 手順, どのようにすれば, どうしたら",
    particle: "ますか, できますか, ありますか, でしょうか, ですか, ませんか",
    number:
      "いくつ, いくら, 何人, 何個, 何回, 何年間, 何日, どのくらい, どれくらい, 何パーセント, 何歳, 何度, 何キロ, 何メートル",
    date: "いつ, 何年, 何月, 何日に, 何時, 何世紀, いつから, いつまで",
    person: "誰, だれ, どなた, 何者",
    place: "どこ, どちら, どの国, どの都市, どこに, どこで",
    why: "なぜ, どうして, 何故, 理由は",
    comparison: "の違い, 比較, と比べて",
    other: "何ですか, 何, どの, どんな, どのような, どのように, どう",
    filler:
      "の, は, が, を, に, で, も, へ, か, な, から, まで, すか, す, いい, した, する, ある, 教えてください, 教えて, 知りたい, お願いします, ください, およそ, 約, だいたい, 私, あなた, こんにちは, すみません",
  },
  ko: {
    name: "english",
    and: "와, 과, 하고, 또는, 아니면, 보다",
    definition: "무엇인가요, 무엇입니까, 이란 무엇, 란 무엇, 뭐예요, 뭔가요, 무슨 뜻, 의 의미, 의 정의, 설명해",
    list: "어떤 것들, 나열, 목록, 종류는, 무엇무엇",
    "how-to": "어떻게 해야, 어떻게 하나요, 어떻게 합니까, 방법은, 하려면, 어떻게 하면",
    particle: "있나요, 있습니까, 할 수 있나요, 인가요, 가능한가요, 되나요, 됩니까, 합니까",
    number: "몇, 얼마, 얼마나, 몇 명, 몇 개, 몇 번, 몇 퍼센트",
    date: "언제, 몇 년에, 몇 년도, 어느 해, 몇 월, 며칠, 몇 시, 몇 세기",
    person: "누구, 누가",
    place: "어디, 어느 나라, 어느 도시",
    why: "왜, 무슨 이유, 이유는",
    comparison: "차이점, 차이는, 차이가, 비교",
    other: "무엇, 어떤, 어느, 어떻게, 무슨, 뭐",
    filler:
      "은, 는, 이, 가, 을, 를, 알려 주세요, 알려주세요, 말해 주세요, 알고 싶어요, 주세요, 대략, 약, 정도, 저는, 나는, 안녕하세요",
  },
}
