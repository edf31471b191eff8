import type { SpokenLanguage } from "../../src/language/Locales.ts"

/*
 * What people type into a chat as into a search box: two to six words, most of them without a function word, with names
 * and loan words. And passages of a knowledge base, and full questions, in the same languages.
 */

type InLanguages = Readonly<Partial<Record<SpokenLanguage, ReadonlyArray<string>>>>

const lines = (text: string): ReadonlyArray<string> => text.trim().split(/\s*\n\s*/)

export const shortQuestions: InLanguages = {
  en: lines(`return policy
    cancel subscription
    reset password error
    opening hours sunday
    delivery time
    payment methods
    contact support
    refund status
    shipping costs
    change email address
    delete account
    invoice download
    student discount
    gift card balance
    parking fees
    ticket prices children
    library card renewal
    lost luggage
    warranty period
    installation guide windows
    visa requirements
    annual leave request
    export data csv
    api rate limit
    free trial length
    two factor authentication
    order confirmation missing
    team meeting schedule
    vegan options menu
    Harbour Museum tour
    Premium plan price
    login problem iPhone
    wifi password guest
    maximum file size
    late arrival check-in
    pet friendly rooms
    error code 404
    privacy policy`),
  fr: lines(`politique de retour
    annuler abonnement
    mot de passe oublié
    horaires dimanche
    délai de livraison
    moyens de paiement
    contacter le support
    remboursement commande
    frais de port
    changer adresse e-mail
    supprimer mon compte
    télécharger facture
    réduction étudiant
    solde carte cadeau
    tarif parking
    prix billets enfants
    renouvellement carte bibliothèque
    bagage perdu
    durée garantie
    guide installation Windows
    conditions visa
    demande de congés
    exporter données csv
    limite API
    essai gratuit durée
    authentification double facteur
    confirmation commande manquante
    visite guidée musée
    menu végétarien
    problème connexion iPhone
    code wifi invités
    taille maximale fichier
    arrivée tardive
    chambre animaux acceptés`),
  es: lines(`política de devoluciones
    cancelar suscripción
    contraseña olvidada
    horario domingo
    plazo de entrega
    métodos de pago
    contactar soporte
    reembolso pedido
    gastos de envío
    cambiar correo electrónico
    eliminar mi cuenta
    descargar factura
    descuento estudiantes
    saldo tarjeta regalo
    tarifa aparcamiento
    precio entradas niños
    renovar carnet biblioteca
    equipaje perdido
    duración garantía
    guía instalación Windows
    requisitos visado
    solicitud vacaciones
    exportar datos csv
    límite API
    prueba gratuita duración
    autenticación dos pasos
    confirmación pedido falta
    visita guiada museo
    menú vegetariano
    problema acceso iPhone
    clave wifi invitados
    tamaño máximo archivo
    llegada tarde hotel
    habitación con mascotas`),
  de: lines(`Rückgabe Bedingungen
    Abo kündigen
    Passwort vergessen
    Öffnungszeiten Sonntag
    Lieferzeit
    Zahlungsarten
    Kundendienst erreichen
    Erstattung Bestellung
    Versandkosten Ausland
    E-Mail-Adresse ändern
    Konto löschen
    Rechnung herunterladen
    Studentenrabatt
    Guthaben Geschenkkarte
    Parkgebühren
    Eintrittspreise Kinder
    Bibliotheksausweis verlängern
    Gepäck verloren
    Garantie Dauer
    Installation Windows Anleitung
    Visum Voraussetzungen
    Urlaub beantragen
    Daten exportieren csv
    API Limit
    Testphase Länge
    Anmeldung zwei Faktoren
    Bestellbestätigung fehlt
    Führung Museum
    vegetarisches Menü
    Problem Login iPhone
    WLAN Passwort Gäste
    maximale Dateigröße
    späte Anreise
    Zimmer mit Hund`),
  it: lines(`politica di reso
    annullare abbonamento
    password dimenticata
    orari domenica
    tempi di consegna
    metodi di pagamento
    contattare assistenza
    rimborso ordine
    spese di spedizione
    cambiare indirizzo email
    eliminare account
    scaricare fattura
    sconto studenti
    saldo carta regalo
    tariffe parcheggio
    prezzo biglietti bambini
    rinnovo tessera biblioteca
    bagaglio smarrito
    durata garanzia
    guida installazione Windows
    requisiti visto
    richiesta ferie
    esportare dati csv
    limite API
    prova gratuita durata
    autenticazione due fattori
    conferma ordine mancante
    visita guidata museo
    menù vegetariano
    problema accesso iPhone
    codice wifi ospiti
    dimensione massima file
    arrivo in ritardo
    camera con animali`),
  pt: lines(`política de devolução
    cancelar assinatura
    senha esquecida
    horário domingo
    prazo de entrega
    formas de pagamento
    contactar suporte
    reembolso pedido
    custos de envio
    alterar endereço de email
    excluir minha conta
    baixar fatura
    desconto estudantes
    saldo cartão presente
    preço estacionamento
    preço ingressos crianças
    renovar cartão biblioteca
    bagagem perdida
    duração garantia
    guia instalação Windows
    requisitos visto
    pedido de férias
    exportar dados csv
    limite API
    teste gratuito duração
    autenticação dois fatores
    confirmação pedido falta
    visita guiada museu
    cardápio vegetariano
    problema login iPhone
    senha wifi hóspedes
    tamanho máximo arquivo
    chegada tardia
    quarto com animais`),
  nl: lines(`retour voorwaarden
    abonnement opzeggen
    wachtwoord vergeten
    openingstijden zondag
    levertijd bestelling
    betaalmethoden
    klantenservice bereiken
    terugbetaling bestelling
    verzendkosten buitenland
    e-mailadres wijzigen
    account verwijderen
    factuur downloaden
    studentenkorting
    saldo cadeaukaart
    parkeertarieven
    prijs kaartjes kinderen
    bibliotheekpas verlengen
    verloren bagage
    garantie duur
    installatie Windows handleiding
    visum voorwaarden
    verlof aanvragen
    gegevens exporteren csv
    API limiet
    proefperiode lengte
    tweestapsverificatie
    bevestiging ontbreekt
    rondleiding museum
    vegetarisch menu
    probleem inloggen iPhone
    wifi wachtwoord gasten
    maximale bestandsgrootte
    late aankomst
    kamer met hond`),
  pl: lines(`polityka zwrotów
    anulować subskrypcję
    zapomniane hasło
    godziny otwarcia niedziela
    czas dostawy
    metody płatności
    kontakt z obsługą
    zwrot pieniędzy
    koszty wysyłki
    zmiana adresu e-mail
    usunąć konto
    pobrać fakturę
    zniżka studencka
    saldo karty podarunkowej
    opłaty parkingowe
    ceny biletów dzieci
    przedłużenie karty bibliotecznej
    zgubiony bagaż
    okres gwarancji
    instrukcja instalacji Windows
    wymagania wizowe
    wniosek urlopowy
    eksport danych csv
    limit API
    darmowy okres próbny
    uwierzytelnianie dwuetapowe
    brak potwierdzenia zamówienia
    zwiedzanie muzeum
    menu wegetariańskie
    problem logowanie iPhone
    hasło wifi goście
    maksymalny rozmiar pliku
    późny przyjazd
    pokój ze zwierzętami`),
  sv: lines(`returvillkor
    avsluta prenumeration
    glömt lösenord
    öppettider söndag
    leveranstid
    betalningssätt
    kontakta kundtjänst
    återbetalning beställning
    fraktkostnader utomlands
    ändra e-postadress
    radera konto
    ladda ner faktura
    studentrabatt
    saldo presentkort
    parkeringsavgifter
    biljettpriser barn
    förnya lånekort
    borttappat bagage
    garantitid
    installationsguide Windows
    krav visum
    ansökan semester
    exportera data csv
    API gräns
    gratis provperiod längd
    tvåfaktorsautentisering
    orderbekräftelse saknas
    guidad tur museum
    vegetarisk meny
    problem inloggning iPhone
    wifi lösenord gäster
    största filstorlek
    sen ankomst
    rum med hund`),
  tr: lines(`iade koşulları
    abonelik iptali
    şifremi unuttum
    pazar çalışma saatleri
    teslimat süresi
    ödeme yöntemleri
    destek iletişim
    sipariş iadesi
    kargo ücreti
    e-posta adresi değiştirme
    hesabımı sil
    fatura indirme
    öğrenci indirimi
    hediye kartı bakiyesi
    otopark ücretleri
    çocuk bilet fiyatları
    kütüphane kartı yenileme
    kayıp bagaj
    garanti süresi
    Windows kurulum kılavuzu
    vize şartları
    yıllık izin talebi
    veri dışa aktarma csv
    API sınırı
    ücretsiz deneme süresi
    iki adımlı doğrulama
    sipariş onayı gelmedi
    müze turu
    vejetaryen menü
    iPhone giriş sorunu
    misafir wifi şifresi
    en büyük dosya boyutu
    geç giriş
    evcil hayvan odası`),
}

/** Passages on what the short questions ask for. */
export const passages: InLanguages = {
  en: [
    "You may return goods within 30 days. The refund is sent by the same payment method, and the delivery costs are ours.",
    "The library is open from Monday to Saturday, and it is closed on Sunday. Students get a discount with their card.",
  ],
  fr: [
    "Vous pouvez retourner les articles dans les 30 jours. Le remboursement est fait par le même moyen de paiement.",
    "La bibliothèque est ouverte du lundi au samedi, et elle est fermée le dimanche. Les étudiants ont une réduction.",
  ],
  es: [
    "Puede devolver los artículos en un plazo de 30 días. El reembolso se hace por el mismo método de pago.",
    "La biblioteca está abierta de lunes a sábado y cierra los domingos. Los estudiantes tienen un descuento.",
  ],
  de: [
    "Sie können die Ware innerhalb von 30 Tagen zurückgeben. Die Erstattung erfolgt auf dem Weg der Zahlung.",
    "Die Bibliothek ist von Montag bis Samstag geöffnet und am Sonntag geschlossen. Studenten bekommen einen Rabatt.",
  ],
  it: [
    "È possibile restituire gli articoli entro 30 giorni. Il rimborso viene fatto con lo stesso metodo di pagamento.",
    "La biblioteca è aperta dal lunedì al sabato ed è chiusa la domenica. Gli studenti hanno uno sconto.",
  ],
  pt: [
    "Você pode devolver os artigos em 30 dias. O reembolso é feito pela mesma forma de pagamento.",
    "A biblioteca está aberta de segunda a sábado e não abre aos domingos. Os estudantes têm um desconto.",
  ],
  nl: [
    "U kunt de artikelen binnen 30 dagen terugsturen. De terugbetaling gaat via dezelfde betaalmethode.",
    "De bibliotheek is open van maandag tot en met zaterdag en is op zondag gesloten. Studenten krijgen korting.",
  ],
  pl: [
    "Towar można zwrócić w ciągu 30 dni. Zwrot pieniędzy następuje tą samą metodą płatności.",
    "Biblioteka jest otwarta od poniedziałku do soboty, a w niedzielę jest zamknięta. Studenci mają zniżkę.",
  ],
  sv: [
    "Du kan returnera varorna inom 30 dagar. Återbetalningen görs på samma sätt som du har betalat.",
    "Biblioteket är öppet från måndag till lördag och stängt på söndagar. Studenter får rabatt med sitt kort.",
  ],
  tr: [
    "Ürünleri 30 gün içinde iade edebilirsiniz. Geri ödeme aynı ödeme yöntemi ile yapılır ve kargo bize aittir.",
    "Kütüphane pazartesiden cumartesiye kadar açıktır ve pazar günü kapalıdır. Öğrenciler için indirim vardır.",
  ],
}

/** Questions that show their language whatever the documents are in. */
export const fullQuestions: InLanguages = {
  en: lines(`How do I cancel my subscription?
    What are the opening hours on Sunday?
    Can I return this within thirty days?
    Where can I find my invoice?
    Why was my order not delivered?
    Which documents do I need for a visa?
    How long does the warranty last?
    Is there a discount for students?`),
  fr: lines(`Comment puis-je annuler mon abonnement ?
    Quels sont les horaires du dimanche ?
    Est-ce que je peux retourner cet article ?
    Où est-ce que je trouve ma facture ?
    Pourquoi ma commande n'est-elle pas arrivée ?
    De quels documents ai-je besoin pour un visa ?
    Combien de temps dure la garantie ?
    Y a-t-il une réduction pour les étudiants ?`),
  es: lines(`¿Cómo puedo cancelar mi suscripción?
    ¿Cuál es el horario de los domingos?
    ¿Puedo devolver esto en treinta días?
    ¿Dónde encuentro mi factura?
    ¿Por qué no ha llegado mi pedido?
    ¿Qué documentos necesito para el visado?
    ¿Cuánto tiempo dura la garantía?
    ¿Hay un descuento para los estudiantes?`),
  de: lines(`Wie kann ich mein Abo kündigen?
    Was sind die Öffnungszeiten am Sonntag?
    Kann ich das innerhalb von dreißig Tagen zurückgeben?
    Wo finde ich meine Rechnung?
    Warum ist meine Bestellung nicht angekommen?
    Welche Unterlagen brauche ich für ein Visum?
    Wie lange gilt die Garantie?
    Gibt es einen Rabatt für Studenten?`),
  it: lines(`Come posso annullare il mio abbonamento?
    Quali sono gli orari della domenica?
    Posso restituire questo entro trenta giorni?
    Dove trovo la mia fattura?
    Perché il mio ordine non è arrivato?
    Di quali documenti ho bisogno per il visto?
    Quanto dura la garanzia?
    C'è uno sconto per gli studenti?`),
  pt: lines(`Como posso cancelar a minha assinatura?
    Quais são os horários de domingo?
    Posso devolver isto em trinta dias?
    Onde encontro a minha fatura?
    Por que o meu pedido não chegou?
    Quais documentos eu preciso para o visto?
    Quanto tempo dura a garantia?
    Há um desconto para os estudantes?`),
  nl: lines(`Hoe kan ik mijn abonnement opzeggen?
    Wat zijn de openingstijden op zondag?
    Kan ik dit binnen dertig dagen terugsturen?
    Waar vind ik mijn factuur?
    Waarom is mijn bestelling niet aangekomen?
    Welke documenten heb ik nodig voor een visum?
    Hoe lang duurt de garantie?
    Is er een korting voor studenten?`),
  pl: lines(`Jak mogę anulować moją subskrypcję?
    Jakie są godziny otwarcia w niedzielę?
    Czy mogę to zwrócić w ciągu trzydziestu dni?
    Gdzie znajdę moją fakturę?
    Dlaczego moje zamówienie nie dotarło?
    Jakie dokumenty są potrzebne do wizy?
    Jak długo trwa gwarancja?
    Czy jest zniżka dla studentów?`),
  sv: lines(`Hur kan jag avsluta min prenumeration?
    Vilka är öppettiderna på söndagar?
    Kan jag lämna tillbaka det inom trettio dagar?
    Var hittar jag min faktura?
    Varför har min beställning inte kommit?
    Vilka handlingar behöver jag för ett visum?
    Hur länge gäller garantin?
    Finns det rabatt för studenter?`),
  tr: lines(`Aboneliğimi nasıl iptal edebilirim?
    Pazar günü çalışma saatleri nedir?
    Bunu otuz gün içinde iade edebilir miyim?
    Faturamı nerede bulabilirim?
    Siparişim neden gelmedi?
    Vize için hangi belgeler gerekli?
    Garanti ne kadar sürer?
    Öğrenciler için indirim var mı?`),
}
