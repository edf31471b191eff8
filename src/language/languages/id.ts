import type { Locale } from "../Locale.ts"

export const locale: Locale = {
  stemmer: "indonesian",
  spelling:
    /^(?:meng|mem|men|peng|pem|per|ber|ter|di|se)..+(?:kan|an|nya|i)$|(?:kan|nya)$|^(?:meng|memp|peng|ber|ter).{3,}/,
  functionWords: {
    joins: "dan, atau, tapi, tetapi, juga, bagaimana dengan, lalu bagaimana dengan, dan bagaimana dengan, kalau, lalu",
    questions:
      "apa, siapa, kapan, di mana, dimana, ke mana, mengapa, kenapa, bagaimana, berapa, berapa lama, berapa banyak, yang mana, mana, apakah, sejak kapan, seberapa",
    attributes:
      "harga, harganya, biaya, biayanya, tarif, alamat, alamatnya, telepon, nomor telepon, nomor, nomornya, email, situs, situs web, jam buka, lokasi, tempat, tanggal, waktu, jam, durasi, tenggat, batas, ukuran, berat, tinggi, umur, nama, namanya, alasan, warna",
    pronouns: "itu, ini, dia, ia, mereka, nya, tersebut, sana, situ, beliau",
    verbs: "adalah, ialah, ada, bisa, dapat, boleh, harus, perlu, akan, punya, memiliki, jelaskan, katakan",
    others:
      "di, ke, dari, untuk, dengan, pada, oleh, tanpa, sebelum, sesudah, setelah, selama, antara, tentang, bagi, sampai, yang, saya, aku, anda, kamu, kami, kita, tidak, bukan, belum, sudah, sangat, lebih, tolong, semua, jika, hanya, saja, para",
  },
  smallTalk: {
    greeting:
      "halo, hai, selamat pagi, selamat siang, selamat sore, selamat malam, pagi, siang, sore, malam, salam, assalamualaikum",
    thanks:
      "terima kasih, terimakasih, terima kasih banyak, makasih, makasih banyak, makasih ya, trims, thanks, thx, tengkyu, banyak terima kasih, sangat membantu",
    goodbye:
      "sampai jumpa, sampai jumpa lagi, sampai nanti, sampai besok, selamat tinggal, selamat jalan, dadah, dah, bye, selamat tidur, semoga harimu menyenangkan, semoga hari anda menyenangkan",
    about:
      "siapa kamu, kamu siapa, siapa anda, anda siapa, siapakah anda, apakah anda manusia, apakah kamu manusia, apakah anda robot, apakah kamu robot, saya bicara dengan siapa, siapa namamu, siapa nama anda",
    documents:
      "apa yang bisa kamu lakukan, apa yang bisa anda lakukan, kamu bisa apa, apa yang kamu tahu, apa yang anda ketahui, bantuan, tolong bantu saya, bantu saya, bisakah anda membantu saya, apa yang bisa saya tanyakan, dokumen apa yang kamu punya, dokumen apa saja yang anda miliki",
    courtesy: "tolong, semua, semuanya, kawan, pak, bu, banyak, atas bantuannya, atas jawabannya, oke, baik, bagus",
    refusal: "tidak, nggak, gak, enggak, tidak mau, tidak usah, jangan, nanti, nanti saja, lewati, lewat, tidak punya",
  },
  human:
    "bicara dengan manusia, berbicara dengan manusia, bicara dengan orang, berbicara dengan orang, bicara dengan seseorang, bicara dengan agen, berbicara dengan agen, bicara dengan petugas, hubungkan dengan petugas, manusia, petugas",
  asking: {
    asks: "jumlah, tahun berapa, hari apa, bagaimana cara, apa yang harus saya lakukan, sebutkan, kurang dari, paling sedikit, paling banyak",
    not: "tidak, bukan, tanpa, kecuali, tutup, jangan",
  },
  replies: {
    hello: "Halo!",
    ask: "Ajukan pertanyaan, dan saya akan mencari jawabannya di dalam dokumen.",
    welcome: "Sama-sama!",
    goodbye: "Sampai jumpa!",
    about:
      "Saya {}, sebuah chatbot. Saya program, bukan manusia, dan menjawab pertanyaan dengan kalimat dari dokumen yang saya ketahui.",
    documents: "Saya mengetahui dokumen-dokumen ini:",
    more: "… dan {} lainnya",
    noDocuments: "Saya belum memiliki dokumen yang dapat dibaca, jadi saya belum bisa menjawab pertanyaan.",
    nothingFound: "Saya tidak menemukan apa pun tentang itu di dalam dokumen.",
    closest: "Bagian-bagian ini paling mendekati:",
    searchFailed: "Saya tidak dapat mencari di dalam dokumen saat ini. Silakan coba lagi sebentar lagi.",
    filesUnseen: "Saya tidak dapat membaca gambar atau berkas. Silakan tulis pertanyaan Anda.",
    didYouMean: "Apakah maksud Anda {}?",
    human: "Seseorang dari tim kami akan menjawab Anda di sini.",
  },
  emailRequest: "Sebelum saya menjawab, apa alamat e-mail Anda?",
  noChat: "Obrolan ini tidak tersedia.",
  notNow: "Halaman ini sedang tidak tersedia. Silakan coba lagi nanti.",
}
