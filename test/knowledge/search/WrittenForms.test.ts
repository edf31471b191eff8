import { afterAll, expect } from "bun:test"
import { Layer, ManagedRuntime } from "effect"
import { Retriever } from "../../../src/knowledge/Retriever.ts"
import { indexing, learn, search } from "../../lib/Knowledge.ts"
import { platform, storage } from "../../lib/Layers.ts"
import { as, makeTenant } from "../../lib/Tenants.ts"
import { effectTests } from "../../lib/EffectTests.ts"

/*
 * Knowledge bases of one language each. A line is a passage, and after each bar a question in another written form
 * that has to find it first.
 */

interface Knowledge {
  readonly language: string
  readonly kind: string
  readonly lines: string
}

const all: ReadonlyArray<Knowledge> = [
  {
    language: "Vietnamese",
    kind: "accents left out",
    lines: `
Khách hàng được hoàn tiền trong vòng mười bốn ngày. | hoan tien | bao nhieu ngay thi duoc hoan tien
Thời gian bảo hành của máy giặt là hai năm. | bao hanh may giat | thoi gian bao hanh
Phí vận chuyển nội thành là ba mươi nghìn đồng. | phi van chuyen | phi van chuyen noi thanh bao nhieu
Đổi mật khẩu trong mục cài đặt tài khoản. | doi mat khau | lam sao de doi mat khau tai khoan
Đơn hàng có thể hủy trước khi giao. | huy don hang | toi muon huy don hang
Cửa hàng mở cửa từ tám giờ sáng đến chín giờ tối. | gio mo cua cua hang
Hóa đơn điện tử được gửi qua thư. | hoa don dien tu
Nhân viên được nghỉ phép mười hai ngày mỗi năm. | nghi phep
Hợp đồng lao động phải ký bằng văn bản. | hop dong lao dong
Thẻ thành viên giảm giá năm phần trăm. | the thanh vien giam gia
Máy tính bảng không được tiên đoán thời tiết.
Sách tiến hóa nằm ở thư viện, báo chí ở tầng hai.
Người bị thương được chuyển đến bệnh viện, phi công thì không.`,
  },
  {
    language: "Vietnamese",
    kind: "accents given",
    lines: `
Tiền thừa được trả lại tại quầy. | tiền thừa
Tiến độ công trình chậm hai tuần. | tiến độ
Tiên nữ xuất hiện trong truyện cổ. | tiên nữ
Tiện ích của căn hộ gồm hồ bơi. | tiện ích
Bạn bè gửi thư cho nhau. | bạn bè
Bán hàng trực tuyến cần giấy phép. | bán hàng
Bàn ghế được giao tận nhà. | bàn ghế
Ban giám đốc họp vào thứ hai. | ban giám đốc
Bản đồ treo trên tường. | bản đồ`,
  },
  {
    language: "Czech",
    kind: "accents left out",
    lines: `
Zboží lze vrátit do čtrnácti dnů od převzetí. | vratit zbozi | do kdy muzu vratit zbozi
Výpovědní lhůta činí dva měsíce. | vypovedni lhuta
Dovolenou schvaluje přímý nadřízený. | dovolenou schvaluje
Záruka na pračku trvá tři roky. | zaruka na pracku
Heslo změníte v nastavení účtu. | zmenit heslo uctu | nastaveni uctu
Přílohy smlouvy jsou uloženy v archivu. | prilohy smlouvy
Oběd se podává od dvanácti hodin. | obed`,
  },
  {
    language: "Polish",
    kind: "accents left out",
    lines: `
Zwrot pieniędzy następuje w ciągu czternastu dni. | zwrot pieniedzy | kiedy zwrot pieniedzy
Hasło można zmienić w ustawieniach. | zmienic haslo | haslo
Urlop zatwierdza przełożony. | kto zatwierdza przelozony
Przesyłkę można śledzić na stronie. | sledzic przesylke
Płatność kartą jest bezpłatna. | platnosc karta
Źródło prądu wyłącza się głównym przyciskiem. | zrodlo pradu
Łódź stoi przy pomoście. | lodz`,
  },
  {
    language: "French",
    kind: "accents left out",
    lines: `
Le contrat peut être résilié à tout moment par courrier. | contrat resilie | resilie
Les congés payés sont posés deux mois à l'avance. | conges payes
La responsabilité du vendeur est limitée au prix. | responsabilite du vendeur
Un chèque cadeau est valable un an. | cheque cadeau
La clé du dépôt se trouve à l'accueil. | cle du depot
L'échéance du prêt est fixée au premier mai. | echeance du pret
Le numéro de sécurité figure au dos. | numero de securite
Le marché ouvre à huit heures. | le marche`,
  },
  {
    language: "Spanish",
    kind: "accents left out",
    lines: `
La cancelación del pedido es gratuita durante un día. | cancelacion
La devolución del artículo tarda una semana. | devolucion articulo
El teléfono de atención está en la factura. | telefono de atencion
La contraseña se cambia en el menú. | contrasena | cambiar contrasena
El año fiscal empieza en abril. | ano fiscal
El límite del crédito es de mil euros. | limite del credito
La garantía del portátil dura tres años. | garantia del portatil
El jardín cierra los lunes. | jardin`,
  },
  {
    language: "Portuguese",
    kind: "accents left out",
    lines: `
O cancelamento da inscrição não tem custos. | inscricao
A devolução das peças leva cinco dias. | devolucao
O salário é pago no último dia do mês. | salario
A licença de maternidade dura cento e vinte dias. | licenca maternidade
As férias são marcadas em março. | ferias
O horário de funcionamento é das nove às dezoito. | horario de funcionamento
A responsável pela segurança é a Ana. | responsavel pela seguranca
O pão é feito de manhã.`,
  },
  {
    language: "Romanian",
    kind: "accents left out",
    lines: `
Rambursarea banilor durează paisprezece zile după înștiințare. | instiintare
Mașina de spălat are garanție doi ani. | masina de spalat
Știrile firmei apar în fiecare săptămână. | stirile
Ședința începe la ora nouă. | sedinta
Plățile în numerar sunt acceptate. | platile
Țara de origine este scrisă pe ambalaj. | tara de origine`,
  },
  {
    language: "Romanian",
    kind: "cedilla and comma",
    lines: `
Știrile firmei apar în fiecare lună. | ştirile
Şedinţa începe la ora nouă dimineața. | ședința
Mașinile se parchează în curte. | maşinile
Ţara de origine este scrisă pe ambalaj. | țara
Înștiințarea se trimite prin poștă. | înştiinţarea`,
  },
  {
    language: "Turkish",
    kind: "accents left out",
    lines: `
İade koşulları sitede yazılıdır. | iade kosullari
Şifrenizi ayarlar bölümünden değiştirebilirsiniz. | sifre | sifremi degistir
Yıllık izin on dört gündür. | yillik izin
Çamaşır makinesinin güvencesi iki yıldır. | camasir makinesi
Kargo ücretsizdir, paket üç günde ulaşır. | ucretsiz kargo
Görüşme saatleri kapıda asılıdır. | gorusme saatleri
Doğum günü tatil sayılmaz. | dogum gunu`,
  },
  {
    language: "German",
    kind: "umlauts otherwise",
    lines: `
Die Kündigung muss schriftlich erfolgen. | Kuendigung | Kundigung
Öffnungszeiten stehen an der Tür. | Oeffnungszeiten | Offnungszeiten
Die Rückgabe der Schlüssel erfolgt am Montag. | Schluessel Rueckgabe
Größere Mengen werden per Spedition geliefert. | groessere Mengen
Die Straße wird im Mai gesperrt. | Strasse
Übergabe der Räume ist um acht Uhr. | Uebergabe Raeume
Zuschüsse beantragt man im März. | Zuschuesse Maerz
Gebuehren zahlt der Kaeufer. | Gebühren | Käufer`,
  },
  {
    language: "Swedish",
    kind: "letters otherwise",
    lines: `
Återbetalning sker inom fjorton dagar. | aterbetalning
Lösenordet byts under inställningar. | losenordet | installningar
Öppettiderna står på dörren. | oppettiderna
Försäkringen täcker stöld. | forsakringen
Nyckeln lämnas på kontoret när ärendet är klart. | lamnas nyckeln | arendet`,
  },
  {
    language: "Danish",
    kind: "letters otherwise",
    lines: `
Åbningstiderna står på døren. | aabningstiderna | abningstiderna
Lønnen udbetales den sidste dag. | loennen | lonnen
Nøglen afleveres på kontoret. | noeglen | noglen
Varer kan returneres, hvis de er ødelagte. | oedelagte
Sygemelding sker før klokken ni hos afdelingens lægesekretær. | laegesekretaer`,
  },
  {
    language: "Norwegian",
    kind: "letters otherwise",
    lines: `
Lønnen utbetales den siste dagen. | lonnen | loennen
Åpningstidene står på døra. | aapningstidene | apningstidene
Nøkkelen leveres på kontoret. | nokkelen | noekkelen
Permisjon må søkes om før påske. | permisjon for paske | paaske`,
  },
  {
    language: "Hungarian",
    kind: "accents left out",
    lines: `
A felmondási idő harminc nap. | felmondasi ido
A jelszót a beállításokban lehet módosítani. | jelszo | beallitasok
Az őszi szünet októberben van. | oszi szunet
A főnök hagyja jóvá a szabadságot. | fonok | szabadsag
A gyűjtőjegy tíz utazásra jó. | gyujtojegy
A hűtő a konyhában áll. | huto | hütö`,
  },
  {
    language: "Greek",
    kind: "accents left out",
    lines: `
Η επιστροφή χρημάτων γίνεται σε δέκα ημέρες. | επιστροφη χρηματων | ΕΠΙΣΤΡΟΦΗ ΧΡΗΜΑΤΩΝ
Ο κωδικός αλλάζει από τις ρυθμίσεις. | κωδικος ρυθμισεις
Η άδεια εγκρίνεται από τον διευθυντή. | αδεια διευθυντη
Η εγγύηση του πλυντηρίου διαρκεί δύο χρόνια. | εγγυηση πλυντηριου
Το ταΐζει ο φύλακας. | φυλακας`,
  },
  {
    language: "Russian",
    kind: "ё and е",
    lines: `
Расчёт производится в последний день. | расчет
Приём граждан идёт по средам. | прием граждан
Отчёт сдают ежемесячно. | отчет
Самолет прилетает вечером. | самолёт
Сотрудник берет отпуск весной. | сотрудник берёт
Ребёнок до семи лет едет бесплатно. | ребенок`,
  },
  {
    language: "Chinese",
    kind: "simplified asks traditional",
    lines: `
退貨須於七天內申請，運費由買家負擔。 | 退货运费 | 退货
帳戶密碼可以在設定頁面變更。 | 账户密码 | 怎么变更密码
發票會寄到電子郵件信箱。 | 发票 | 电子邮件
員工每年有十四天年假，須經主管核准。 | 员工年假
圖書館週末開放到晚上九點。 | 图书馆
機場接駁車每三十分鐘一班。 | 机场
保險單號碼寫在合約背面。 | 保险单号码
門診掛號費為兩百元。 | 门诊挂号`,
  },
  {
    language: "Chinese",
    kind: "traditional asks simplified",
    lines: `
退货须在七天内申请，运费由买家承担。 | 退貨運費 | 退貨
账户密码可以在设置页面更改。 | 賬戶密碼 | 怎麼更改密碼
发票会发送到电子邮箱。 | 發票 | 電子郵箱
员工每年有十四天年假，须经主管批准。 | 員工年假
图书馆周末开放到晚上九点。 | 圖書館
机场大巴每三十分钟一班。 | 機場
保险单号码写在合同背面。 | 保險單號碼
门诊挂号费为两百元。 | 門診掛號`,
  },
  {
    language: "Arabic",
    kind: "letters otherwise",
    lines: `
يمكن إلغاء الطلب خلال يومين من الشراء. | الغاء الطلب | إلغاء الطّلب
تتم إعادة المبلغ إلى البطاقة خلال أسبوع. | اعادة المبلغ | إعـــادة المبلغ
كلمة المرور تتغير من الإعدادات. | كلمه المرور | كلمة المرور الاعدادات
المستشفى يفتح أبوابه صباحا. | المستشفي
رقم الطابق هو ١٥ في المبنى الشرقي. | الطابق 15
الإجازة السنوية واحد وعشرون يوما. | الاجازه السنويه
مكتب الآثار في الدور الثالث. | مكتب الاثار`,
  },
  {
    language: "Persian",
    kind: "letters otherwise",
    lines: `
می‌خواهم سفارش را لغو کنم و پول برگردد. | می خواهم سفارش
گذرواژه را از بخش تنظیمات تغییر دهید. | تغيير گذرواژه | تنظيمات
کتاب‌ها تا دو هفته امانت داده می‌شوند. | كتاب ها
مهلت بازگشت کالا ۱۴ روز است. | كالا | بازگشت 14 روز
شماره مشتری روی فاکتور چاپ شده است. | شماره مشتري | فاكتور
نميدانم تاريخ تحويل كي است. | تاریخ تحویل
مرخصی سالانه یک ماه است. | مرخصي`,
  },
  {
    language: "Hebrew",
    kind: "vowel points",
    lines: `
שָׁלוֹם לַאוֹרְחִים בַּמָּלוֹן הַגָּדוֹל. | שלום
החזר כספי ניתן תוך שבועיים. | הֶחְזֵר כַּסְפִּי
סֵפֶר הַנְהָלִים נמצא במשרד. | ספר הנהלים`,
  },
  {
    language: "Hindi",
    kind: "nukta and nasal signs",
    lines: `
पैसे वापस करने की प्रक्रिया दो हफ़्ते लेती है। | हफ्ते
दफ़्तर सुबह नौ बजे खुलता है। | दफ्तर
कागज़ की फ़ाइल दराज में रखी है। | फाइल | कागज
माँग पत्र हर महीने भेजा जाता है। | मांग पत्र
कपडे अलमारी में हैं। | कपड़े`,
  },
  {
    language: "Japanese",
    kind: "width and kana",
    lines: `
ﾊﾟｽﾜｰﾄﾞは設定画面で変更できます。 | パスワード
サーバーの再起動は夜に行います。 | サーバ再起動 | ｻｰﾊﾞｰ
会議室の予約は三日前までです。 | 会議室
りんごの配達は火曜日です。 | リンゴ
コピー機は二階にあります。 | ｺﾋﾟｰ機
国際電話は有料です。 | 国際電話`,
  },
  {
    language: "Korean",
    kind: "width and kana",
    lines: `
환불은 십사일 이내에 가능합니다. | ${"환불".normalize("NFD")}
비밀번호는 설정에서 바꿉니다. | ${"비밀번호".normalize("NFD")}
배송비는 삼천원입니다. | 배송비`,
  },
  {
    language: "Thai",
    kind: "width and kana",
    lines: `
น้ำดื่มอยู่ที่ชั้นสอง | น้ําดื่ม
การทำงานล่วงเวลาต้องขออนุญาต | การทํางานล่วงเวลา
คืนเงินภายในสิบสี่วัน | คืนเงิน`,
  },
  {
    language: "German",
    kind: "compounds asked",
    lines: `
Die Frist für die Kündigung beträgt drei Monate. | Kündigungsfrist
Eine Versicherung gegen Diebstahl deckt auch Räder. | Diebstahlversicherung
Die Gebühr für das Parken beträgt zwei Euro. | Parkgebühr
Der Vertrag über die Miete liegt im Büro. | Mietvertrag
Urlaub beantragt man mit einem Antrag. | Urlaubsantrag`,
  },
  {
    language: "German",
    kind: "compounds written",
    lines: `
Die Kündigungsfrist beträgt drei Monate zum Jahresende. | Frist
Unsere Haftpflichtversicherung deckt Schäden bis fünf Millionen. | Versicherung | Haftpflicht
Das Arbeitszeugnis wird am letzten Tag ausgestellt. | Zeugnis
Der Mietvertrag liegt im Büro der Hausverwaltung. | Vertrag | Verwaltung
Parkgebühren werden monatlich abgebucht. | Gebühren
Ein Begleiter reist kostenlos mit.`,
  },
  {
    language: "Dutch",
    kind: "compounds written",
    lines: `
De opzegtermijn bedraagt een maand voor beide partijen. | termijn
De reisverzekering dekt diefstal van bagage. | verzekering
Het arbeidscontract ligt bij de administratie. | contract
De parkeervergunning kost dertig euro per jaar. | vergunning
De huurprijs wordt in januari verhoogd. | prijs`,
  },
  {
    language: "Swedish",
    kind: "compounds written",
    lines: `
Uppsägningsperioden är tre månader för alla anställda. | period
Reseförsäkringen gäller även på resa. | försäkring
Hyresavtalet skrivs under av båda parter. | avtal
Parkeringstillståndet kostar hundra kronor. | tillstånd`,
  },
  {
    language: "Danish",
    kind: "compounds written",
    lines: `
Rejseforsikringen dækker tyveri af bagage. | forsikring
Lejekontrakten ligger på kontoret. | kontrakt
Opsigelsesperioden er tre måneder for begge parter. | periode
Parkeringstilladelsen koster hundrede kroner. | tilladelse`,
  },
]

const runtime = ManagedRuntime.make(
  search({ indexBytes: 2 ** 26, threshold: undefined }).pipe(
    Layer.provideMerge(indexing),
    Layer.provideMerge(Layer.merge(storage, platform)),
  ),
)
afterAll(() => runtime.dispose())
const it = effectTests(runtime.runPromise)

it("a passage is found in other written forms than its own", function* () {
  const retriever = yield* Retriever
  const wrong: Array<string> = []
  for (const { kind, language, lines } of all) {
    const tenant = yield* makeTenant
    const pairs = lines
      .trim()
      .split("\n")
      .map((line) => line.split(" | "))
    yield* learn(
      tenant,
      "",
      pairs.map(([text = ""]) => ({ text })),
    )
    for (const [text, ...questions] of pairs) {
      for (const query of questions) {
        const { hits } = yield* as(tenant.organization)(retriever.search({ chatbotId: tenant.chatbot, query, topK: 5 }))
        if (hits[0]?.content !== text) wrong.push(`${language}, ${kind}: ${query} → ${hits[0]?.content}`)
      }
    }
  }
  expect(wrong).toEqual([])
})
