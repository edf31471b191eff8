import type { Locale } from "../Locale.ts"
import type { WidgetTexts } from "../WidgetTexts.ts"

export const locale: Locale = {
  stemmer: "turkish",
  spelling:
    /[ğış]|(?:lar|ler|ları|leri|larının|lerinin|dır|dir|tır|tir|dan|den|nın|nin|ın|mak|mek|yor|lık|lik|ında|inde|ası|esi|sında|sinde|dı|di|miştir|mıştır|miyim|mıyım|medi|madı|ebilir|abilir)$|[öü].*[öü]/,
  functionWords: {
    joins: "ve, veya, ya da, ama, ya, peki, peki ya, ayrıca",
    questions:
      "ne, nedir, kim, kimin, kimi, kime, kimdir, ne zaman, nerede, nereye, nereden, neden, niçin, niye, nasıl, hangi, hangisi, kaç, ne kadar, ne kadar sürer, ne kadar süre, ne sıklıkla, mi, mı, mu, mü, mıdır, midir",
    attributes:
      "fiyat, fiyatı, fiyatlar, ücret, ücreti, maliyet, adres, adresi, telefon, telefonu, telefon numarası, numara, numarası, e posta, e posta adresi, web sitesi, çalışma saatleri, yer, yeri, tarih, tarihi, saat, saati, süre, süresi, sınır, boyut, ağırlık, yükseklik, yaş, ad, adı, neden, renk",
    pronouns:
      "o, onun, onu, ona, onda, ondan, onlar, onların, onları, onlara, bu, bunun, bunu, buna, bunda, bundan, bunlar, bunların, şu, orada, oraya, orası, o zaman",
    verbs:
      "var, vardır, yok, olan, olarak, olur, oldu, edilir, yapılır, gerekir, gerekiyor, lazım, kaça, açıkla, söyle, miyim, mıyım, müyüm",
    others:
      "için, ile, gibi, kadar, göre, sonra, önce, arasında, üzerinde, altında, içinde, hakkında, dolayı, karşı, olmadan, bir, da, de, ben, sen, biz, siz, bana, benim, sizin, çok, daha, en, değil, her, tüm, lütfen, ise, ki, eğer, sadece",
  },
  smallTalk: {
    greeting:
      "merhaba, merhabalar, selam, selamlar, slm, mrb, günaydın, iyi günler, iyi akşamlar, tünaydın, iyi öğlenler, hey",
    thanks:
      "teşekkürler, teşekkür ederim, çok teşekkürler, çok teşekkür ederim, teşekkür, tşk, tşkler, sağol, sağ ol, sağolun, sağ olun, çok sağol",
    goodbye:
      "hoşça kal, hoşçakal, hoşça kalın, hoşçakalın, güle güle, görüşürüz, görüşmek üzere, sonra görüşürüz, yarın görüşürüz, iyi geceler, kendine iyi bak, bay bay",
    about:
      "kimsin, sen kimsin, siz kimsiniz, nesin, insan mısın, sen insan mısın, robot musun, sen robot musun, bot musun, kiminle konuşuyorum, adın ne, adınız ne",
    documents:
      "ne yapabilirsin, neler yapabilirsin, ne yapabilirsiniz, ne biliyorsun, neler biliyorsun, yardım, yardım et, bana yardım et, bana yardım edebilir misin, yardım edebilir misin, ne sorabilirim, hangi belgelerin var",
    courtesy:
      "lütfen, herkese, dostum, efendim, yardımın için, yardımınız için, yanıt için, bilgi için, tamam, harika, süper, mükemmel",
    refusal:
      "hayır, yok, istemiyorum, vermek istemiyorum, söylemek istemiyorum, şimdi değil, daha sonra, sonra, geç, atla, olmaz",
  },
  human:
    "insanla konuşmak, bir insanla görüşmek, biriyle konuşmak, biriyle görüşmek, temsilciyle konuşmak, temsilciyle görüşmek, müşteri temsilcisine bağlan, müşteri temsilcisiyle görüşmek, gerçek bir kişiyle, insan, temsilci",
  asking: {
    asks: "kaçtır, ne kadardır, kaç tane, kaç yaşında, yüzde kaç, sayısı, hangi yıl, hangi yılda, hangi tarihte, hangi gün, saat kaçta, kaç yılında, hangi yüzyılda, nerededir, hangi şehirde, hangi ülkede, nasıl yapabilirim, nasıl yaparım, ne yapmalıyım, nasıl edebilirim, hangileri, neler, nelerdir, hangileridir, daha fazla, daha az, en az, en fazla",
    not: "değil, yok, hiç, olmadan, hariç, kapalı, hayır",
    silent: "lütfen, bir, ben, biz, mi, mı, mu, mü",
    how: "nasıl",
  },
  replies: {
    hello: "Merhaba!",
    ask: "Bana bir soru sorun, yanıtı belgelerde arayayım.",
    welcome: "Rica ederim!",
    goodbye: "Hoşça kalın!",
    about:
      "Ben {} adlı bir sohbet botuyum. İnsan değil, bir programım ve soruları bildiğim belgelerden cümlelerle yanıtlıyorum.",
    documents: "Şu belgeleri biliyorum:",
    more: "… ve {} tane daha",
    noDocuments: "Henüz okunabilir bir belgem yok, bu yüzden soruları yanıtlayamıyorum.",
    nothingFound: "Belgelerde bununla ilgili bir şey bulamadım.",
    closest: "Soruya en yakın bölümler şunlar:",
    searchFailed: "Şu anda belgelerde arama yapamadım. Lütfen biraz sonra tekrar deneyin.",
    filesUnseen: "Görselleri ve dosyaları okuyamıyorum. Lütfen sorunuzu yazın.",
    didYouMean: "Bunu mu demek istediniz: {}?",
    human: "Ekibimizden bir kişi size burada yanıt verecek.",
  },
  emailRequest: "Yanıtlamadan önce, e-posta adresiniz nedir?",
  noChat: "Bu sohbet kullanılamıyor.",
  notNow: "Bu sayfa şu anda kullanılamıyor. Lütfen daha sonra tekrar deneyin.",
}

export const widget: WidgetTexts = {
  greeting: "Merhaba! Size nasıl yardımcı olabilirim?",
  placeholder: "Bir mesaj yazın…",
  disclosure: "Otomatik bir asistanla konuşuyorsunuz.",
  send: "Gönder",
  attach: "Dosya ekle",
  fileRefused: "10 MB'a kadar görseller ve komut dosyası içermeyen PDF'ler gönderilebilir.",
  stop: "Durdur",
  charactersOver: "{n} karakter fazla",
  newConversation: "Yeni sohbet",
  conversations: "Sohbetler",
  close: "Kapat",
  conversation: "Sohbet",
  you: "Siz",
  thinking: "Düşünüyor…",
  stillThinking: "Bu biraz daha sürecek…",
  searchingFor: "“{query}” aranıyor…",
  reading: "Belgeleri okuyor…",
  stopped: "Durduruldu",
  interrupted: "Yanıt yarıda kesildi.",
  reconnecting: "Bağlantı koptu. Yeniden deneniyor…",
  newMessages: "Yeni mesajlar",
  earlier: "Daha fazla göster",
  loading: "Yükleniyor…",
  copy: "Kopyala",
  copied: "Kopyalandı",
  table: "Tablo",
  askAgain: "Yeniden sor",
  helpful: "Yararlı",
  notHelpful: "Yararlı değil",
  comment: "Neyi daha iyi yapabiliriz? (isteğe bağlı)",
  submit: "Gönder",
  thanks: "Geri bildiriminiz için teşekkürler.",
  sources: "Kaynaklar",
  page: "Sayfa {n}",
  unsupported: "Belgelerde bulunamadı: {n}",
  emailQuestion: "Size hangi e-posta adresinden ulaşabiliriz?",
  email: "E-posta adresi",
  emailInvalid: "Lütfen ad@example.com gibi bir e-posta adresi girin.",
  goOn: "Devam et",
  skip: "Hayır, teşekkürler",
  person: "Bir kişiyle konuş",
  askPerson: "Konuyu yazın, bir kişi yanıt verecek.",
  waiting: "Yakında burada bir kişi yanıt verecek.",
  joined: "Artık {name} yanıt veriyor.",
  writing: "{name} yazıyor…",
  delivered: "İletildi",
  read: "Okundu",
  returned: "Yine asistan yanıt veriyor.",
  away: "Şu anda kimse yok. Bir mesaj bırakın, e-posta ile yanıt verelim.",
  leftMessage: "Teşekkürler. E-posta ile ve burada yanıt vereceğiz.",
  messages: "{n} mesaj",
  noConversations: "Henüz sohbet yok.",
  download: "İndir",
  remove: "Sil",
  removeQuestion: "Bu sohbet kalıcı olarak silinsin mi?",
  removeAll: "Tümünü sil",
  removeAllQuestion: "Tüm sohbetleriniz kalıcı olarak silinsin mi?",
  cancel: "Vazgeç",
  tryAgain: "Yeniden dene",
  offline: "Çevrimdışısınız. Lütfen internet bağlantınızı kontrol edin.",
  busy: "Aynı anda çok fazla mesaj. Lütfen biraz bekleyin.",
  spent: "Sohbet şu anda kullanılamıyor.",
  gone: "Sohbet artık burada kullanılamıyor.",
  missing: "Bu artık mevcut değil.",
  refused: "Mesaj gönderilemedi.",
  failed: "Bir sorun oluştu.",
  call: "Görüşme başlat",
  voice:
    "Görüşmeyi bitir | Mikrofon kapalı | Dinliyor… | Konuşuyor… | Konuşmanızı tarayıcınız tanır. | Tarayıcının üreticisi onu alabilir. | Mikrofon kullanılamıyor. Tarayıcınızda bu sayfaya izin verin ya da yazın.",
}
