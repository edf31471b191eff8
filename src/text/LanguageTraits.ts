/**
 * What tells a language from others of its script within a sentence or two: `words`, which are its articles, pronouns,
 * prepositions, conjunctions, question words and auxiliary verbs, and `spelling`, which matches a word with a letter or
 * an ending that few other languages have. Languages without a stemmer are listed too, as `simple`, because their texts
 * would otherwise be taken for those of a neighbour.
 */
export const TRAITS = [
  {
    language: "english",
    words:
      "the of and to in is that it for was on with as be by this are from at or an have not which you i what how can who whom whose when where why does did do many much has had were been will would should may must your my our their his her its they we he she there if than then about into also any all one after before between while during each other some such only more most over under else",
    spelling:
      /(?:ing|ings|tions?|ments?|ness|ly|ght|ould|ough|able|ity|ities|ous|ful|ive|ages?|ed|ay|ey|ess|ck)$|sh|^(?:th|wh|kn)|'s$|^(?:class|const|false|function|import|let|new|null|return|true|var)$/,
  },
  {
    language: "german",
    words:
      "der die und das den von zu mit sich des auf für ist im dem nicht ein eine als auch es an werden aus wie ich sie was wer wen wem wessen wo wann warum wieso welche welcher welches welchen welchem wurde wurden viele viel hat haben kann können nach bei durch über war waren wird einer eines einem einen am um zum zur vom beim er wir ihr man mehr oder aber wenn dass daß nur noch hatte sind sein seine seiner ihre ihren ihrer darf muss müssen soll gibt gab welch mein meine in unter zwischen vor bis so dieser diese dieses kein keine",
    spelling:
      /ß|[aeo]sch|^(?:ge|be|ver|zer|ent).{2,}(?:t|en)$|(?:ung|ungen|keit|heit|lich|liche|lichen|isch|ische|ischen|schaft)$|[äöü](?!n$).*(?:er|en|e|t)$|^(?:zw|pf)|tz/,
  },
  {
    language: "french",
    words:
      "le la les des et en un une du dans est que pour qui par sur au plus pas ce avec il sont vous nous quel comment quelle quels quelles où quand pourquoi combien quoi été fut leur ses son sa mon ma mes je elle ils elles aux ou mais ne se cette ces comme fait peut faut être avoir ont était entre sans sous après lequel laquelle tous toute toutes",
    spelling: /[êèœûç]|(?:eau|eaux|eux|tion|ment|oir|aire|ée|ées|és|iques?)$|^(?:qu|d|l|j|n|c|s)['’]/,
  },
  {
    language: "spanish",
    words:
      "el la los las y en un una del de que es por con para se no su al lo como más pero sus qué cuál este son fue quién quiénes dónde cuándo cuánto cuánta cuántos cuántas cuáles cómo ser está hay desde entre sobre también hasta cuando muy sin donde porque esta estos estas era eran fueron han ha sido mi puede puedo tiene tienen cada uno les ni o ya",
    spelling:
      /ñ|[óí]n$|(?:ción|ciones|dad|ado|ada|ados|adas|amiento|ario|aria|ieron|aron|ero|ía)$|ll|^(?:hue|pue|cue)|ué|^ch/,
  },
  {
    language: "portuguese",
    words:
      "o os as e em um uma do da de que é por com para se não dos das ao como mais no na nos nas são qual você foi pelo pela pelos pelas quem onde quando quanto quantos quanta quantas quais ser está seu sua seus suas num numa eu ele ela eles foram tem têm à às até também entre sem sobre este esta isso já ou mas era pode posso cada",
    spelling: /[ãõ]|(?:ção|ções|dade|mento|eira|eiro|nha|nho|agem|ou)$|[ln]h|ç/,
  },
  {
    language: "italian",
    words:
      "il lo la le i gli di e che un una in del della per è con non si da sono dei nel alla come più anche quale questo questa chi dove quando quanto quanti quanta quante quali cosa perché stato stata delle degli dal dalla nella nelle sul sulla al ai alle agli dello ha hanno era erano fu furono essere ogni loro suo sua suoi cui tra fra o ma se può posso devono deve entro qual",
    spelling:
      /[òìù]|tà$|(?:zione|zioni|mento|menti|ggio|ggi|cchi|cchio|ezza|ista|iamo|ono|ato|ata|ati|are|ere|ire)$|gli|zz|cch|ggi|^(?:dell|all|nell|sull|quell|c|l|un)['’]/,
  },
  {
    language: "dutch",
    words:
      "de het een en van in is dat op te met voor zijn niet aan er om ook als bij door wordt naar maar wat hoe je wie waar wanneer waarom welke welk hoeveel werd kan heeft zich nog werden worden hebben had uit over tot deze dit die dan of geen onder tussen na mag moet mijn ik hij zij we u hun meer tegen veel",
    spelling:
      /ij|(?:heid|lijk|lijke|ingen|tie|sch|ooi)$|(?:aa|ee|oo|uu|oe|ie|eu|ui)[rntlk](?:en|t)?$|aa|uu|oe[krnt]|ui[tsdn]|vr|^(?:ge).+d$/,
  },
  {
    language: "swedish",
    words:
      "och att det som en på är av för med den till inte om ett han men var jag från har kan vi så vad hur eller vem vilken vilka vilket när många mycket blev de i hon sig sin sitt där ut under efter vid över också är mellan får ska måste bli alla sina varför mot hade",
    spelling: /[äö].*å|å.*[äö]|ä|(?:het|heten|ning|ningen|ande|ande|erna|arna|orna|igt|skap)$|ck|^sj/,
  },
  {
    language: "danish",
    words:
      "og at det som en på er af for med den til ikke om et han men var jeg fra har kan vi så hvad der eller blev hvem hvilken hvilke hvilket hvornår hvor mange meget de i hun sig sin sit ud under efter ved over også mellem skal må blive alle sine hvorfor mod havde hvordan nogle hverandre bør mig hvis være kunne",
    spelling: /[æø]|(?:hed|heden|else|elser|erne|ende|ede|skab|lige)$|[aeiouyæøå][dg]e$|^hv/,
  },
  {
    language: "norwegian",
    words:
      "og å det som en på er av for med den til ikke om et han men var jeg fra har kan vi så hva hvordan eller ble hvem hvilken hvilke hvilket når hvor mange mye de i hun seg sin sitt ut under etter ved over også mellom skal må bli alle sine hvorfor mot hadde noen hverandre bør meg hvis være kunne der",
    spelling: /[æø]|(?:het|heten|else|elser|ene|ende|skap|lige|løs|[aeiouyæøå][kt]e[nrt]?)$|([kmnst])\1$|^hv|øy/,
  },
  {
    language: "finnish",
    words:
      "ja on ei se että oli ovat hän joka mutta kun niin myös tai kuin sen ole mitä voi sekä jos olla mikä kuka ketä missä milloin miksi miten kuinka monta minkä mihin mistä onko minne paljonko minä ne he hänen heidän jonka joita jotka ennen vuonna olivat mukaan kanssa jälkeen",
    spelling:
      /ää|yy|[äö].*[äöy]|uo|(?:ssa|ssä|sta|stä|lla|llä|lle|ksi|inen|iset|ien|aan|een|tta|ttä|vat|vät|nut)$|[aeiouy]{2}k|kk|hd/,
  },
  {
    language: "hungarian",
    words:
      "a az és hogy nem is egy van meg ez volt de csak mint ha vagy már még azt lehet mely amely hogyan minden ki kik mi hol mikor miért melyik melyek hány mennyi hová kell milyen kinek mit fel el be le ezt ami aki voltak után között szerint lett sem",
    spelling:
      /[őű]|(?:nak|nek|ban|ben|ból|ből|val|vel|hoz|hez|ság|ség|tás|tés|ása|ése|ott|ett|ják|unk|nál|nél|ról|ről)$|sz|gy|ly|zs|cs/,
  },
  {
    language: "turkish",
    words:
      "ve bir bu da de için ile olarak çok daha olan gibi ne var kadar sonra en ya mi mı mu mü değil nasıl hangi veya tarafından kim kimin nerede nereye zaman neden niçin hangisi kaç nedir kimdir idi ise olduğu kimler her göre arasında ben ki oldu olmuştur vardır hakkında önce bütün nereden kime neydi neye neyi kimdi kimi nedeniyle hangileri",
    spelling:
      /[ğış]|(?:lar|ler|ları|leri|larının|lerinin|dır|dir|tır|tir|dan|den|nın|nin|ın|mak|mek|yor|lık|lik|ında|inde|ası|esi|sında|sinde|dı|di|miştir|mıştır)$|[öü].*[öü]/,
  },
  {
    language: "romanian",
    words:
      "și în de la a cu pe că nu este o un din pentru care sau mai ce fi sunt au prin dar cum lui ale cine unde când cât câți câte câtă cărei au fost era după între până al ai fără acest această poate trebuie îl își iar fi cel cea cele",
    spelling: /[țșăţ]|î|â|(?:ului|ilor|elor|area|ția|ii|ul|ele|ească|esc|lui)$/,
  },
  {
    language: "catalan",
    words:
      "el la els les i en un una del de que és per amb no es al com més però dels són aquest aquesta què seva també qui on quan quant quanta quants quines quina quins va ser han ha han dels a o pot puc els seu seus amb fins sobre entre cada han he",
    spelling:
      /l·l|ny|(?:ció|cions|tat|itat|ment|atge|atges|ència|ància|aig|eig|uig|uix|eix)$|^(?:d|l|s|n|m)['’]|tx|tj|tz|[àò]/,
  },
  {
    language: "indonesian",
    words:
      "yang dan di dari untuk dengan ini itu pada adalah tidak dalam ke akan juga oleh atau sebagai dapat apa bagaimana siapa mana kapan mengapa berapa apakah saya anda kami mereka dia telah sudah bisa boleh harus setiap per satu lebih semua",
    spelling:
      /^(?:meng|mem|men|peng|pem|per|ber|ter|di|se)..+(?:kan|an|nya|i)$|(?:kan|nya)$|^(?:meng|memp|peng|ber|ter).{3,}/,
  },
  {
    language: "lithuanian",
    words:
      "ir yra kad su iš į tai kaip bet buvo ar jo apie ne už per nuo dėl taip pat kuris kuri arba kas kada kur kodėl kiek kokia koks ji jie jų gali turi prie po kai tik dar",
    spelling: /[ėįų]|ū|(?:as|is|us|ės|os|ai|iai|ų|tų|ams|oje|uose|imas|umas|ybė|avo|yti|oti)$/,
  },
  {
    language: "irish",
    words:
      "an na agus ar is a go le sé sí bhí do i ag tá mar nach faoi leis chun seo sin cé cá cad cathain conas acu ba gach ó mhéad bhfuil nó den don",
    spelling: /bh|mh|dh|fh|gc|bhf|ndí|(?:acht|ann|íonn|eann|áil|aigh|igh)$/,
  },
  {
    language: "basque",
    words:
      "eta da ez bat du dira zen baina ere hau zuen dute izan hori egin den oso zer nola beste nor non noiz zergatik zenbat nork dituzte dituzten zein gero guztiak ditu",
    spelling: /tx|tz|(?:ak|ek|aren|tik|ko|rako|tzen|tzea|dun|tasun|tasuna|goa|etan)$|k[ou]a$/,
  },
  {
    language: "serbian",
    words:
      "i je u na se da za su od kao ali sa nije što koji koja koje ili bi ovo kako samo bilo biti šta ko tko gde gdje kada koliko zašto li ima prema jedni može o po iz do sve svako svatko ona oni nisu bio bila iz ove te a kojem kojoj",
    spelling: /đ|(?:ije|anje|anja|enje|enja|ost|osti|stvo|stva|nost|ima|ama|ovi|iti|ati|aju|ju)$|lj|nj|č|ć|ž|š/,
  },
  // Polish.
  {
    language: "simple",
    words:
      "i w na z się nie do że jest to jak po od dla przez przy są oraz lub czy co ale który która które może o a kto gdzie kiedy dlaczego ile ma jej jego ich został była był było być przed za tym tego jaki jakie jaka",
    spelling: /[łżźąęńś]|ć|(?:ów|nie|ego|emu|ych|ami|ości|ość|cja|cji|ania|enia|ować|ski|ska)$|sz|cz|rz|dz/,
  },
  // Czech and Slovak.
  {
    language: "simple",
    words:
      "a je se na v že s z do o jsou ale jako pro by za po jeho nebo bylo které který která být co jak kdo kde kdy proč kolik má jaké jaký si ve ke k byl byla sa sú ako pre alebo nie od čo kto kedy koľko má byť ktorý ktoré ktorá aj sú vo",
    spelling: /[řěů]|[ľŕĺťď]|ý$|ň|ô|(?:ní|ého|ých|ým|ách|ost|osti|ství|stva|ovat|ový|ová|ové|ské|cký|cí|iť|ať)$|č|š|ž/,
  },
  // Vietnamese.
  {
    language: "simple",
    words:
      "và của là có trong được các cho một với những không này người đã từ khi để theo như về tại gì ai đâu nào bao nhiêu thể tôi ở ra cần do đến năm vào bị sao tất cả mọi",
    spelling: /[ăơưđ]|[ảãạấầẩẫậắằẳẵặẻẽẹếềểễệỉĩịỏọốồổỗộớờởỡợủũụứừửữựỳỷỹỵ]|^(?:ng|nh|tr|ph|kh)/,
  },
  // Estonian and Latvian.
  {
    language: "simple",
    words:
      "ja on ei et see ta oma ning kui ka mis kes kus millal kuidas kui miks nende neile un ir ar par no uz kas kur kad cik kā viņš tas bija pie līdz vai",
    spelling: /õ|üü|öö|[āēīģķļņ]|(?:sse|dele|misel|mine|mise|takse|iem|ām|šana|šanas|ība|ību)$/,
  },
  {
    language: "russian",
    words:
      "и в не на что с по как это из к для он от за но то его или а так все у о при является кто кого кому где когда куда откуда почему какой какая какие каких каком какое сколько был была было были чем чему этого я мы они она их ее её до ли нужно можно может который которая которые которых также каков какова каково каковы какую какому какими какою чей чья чьи насколько кому кем",
    spelling: /[ыэё]|(?:ого|его|ими|ыми|ться|ется|ются|ость|ости|ение|ения|ании|ание|ания|ий|ия|ть|ет|ов|ств[оа])$/,
  },
  {
    language: "serbian",
    words:
      "и је у на се да за су од као али са није што који која које или би ово како само било бити шта ко где када колико зашто ли има према једни може о по из до све свако она они нису био била те а",
    spelling: /[јљњћђџ]/,
  },
  // Ukrainian.
  {
    language: "simple",
    words:
      "і в не на що з до як це та для він від за але його або й у про при є який яка яке які хто де коли чому скільки чи може один вони були було був була їх її також після",
    spelling: /[іїєґ]|(?:ння|ться|ість|ості|ого|ька|ськ..?|ти)$/,
  },
  // Bulgarian.
  {
    language: "simple",
    words:
      "и в не на че с по като това от за той но го или а се у при е да са който която които как кой къде кога колко защо какво какви до те си ли те им може всеки била бил",
    spelling: /(?:ът|ят|ата|ята|ите|ото)$|ъ[^еёюя]/,
  },
  {
    language: "hindi",
    words: "है के में की और का से को पर यह हैं एक ने कि भी था नहीं इस हो जो क्या कब कौन कहाँ क्यों कैसे कितने थे थी किस होता",
  },
  {
    language: "nepali",
    words: "छ र को मा ले हो यो पनि भएको एक छन् गर्ने लागि बाट गरेको तथा थियो हुन् गर्न भने कति कहिले कहाँ किन कसरी कुन",
    spelling: /(?:को|मा|हरू|हरूमा|हरूले|लाई|बाट|छ|ले)$/,
  },
] as const
