import iconv from "iconv-lite";

/** A text, how its bytes are made, and what they are called. */
export interface Sample {
  /** As it is told. */
  name: string;
  text: string;
  bytes: Buffer;
}

const sample = (name: string, codec: string, text: string, mark = ""): Sample => ({
  name,
  text,
  bytes: Buffer.concat([Buffer.from(mark, "hex"), iconv.encode(text, codec)]),
});

const chinese =
  "// 计算所有订单的总数，然后返回结果。\nconst total = 1; // 你好，世界\n// 这是一个测试文件，我们在这里写一些中文。\n";
const traditional =
  "// 計算所有訂單的總數，然後返回結果。\nconst total = 1; // 你好，世界\n// 這是一個測試檔案，我們在這裡寫一些中文。\n";
const japanese =
  "// 合計を計算して、結果を返します。\nconst total = 1; // こんにちは、世界\n// これはテストのファイルです。\n";
const korean =
  "// 합계를 계산하고 결과를 돌려줍니다.\nconst total = 1; // 안녕하세요, 세계\n// 이것은 시험을 위한 파일입니다. 여기에 한국어를 씁니다.\n";
const russian =
  "Привет, мир, это проверка того, что мы пишем.\nconst total = 1;\nЭто файл для проверки, и на этом все, что было в нем.\n";
const french =
  "Le café est fermé à cause de l'été, et les élèves préfèrent être à la plage où il fait très chaud.\nconst total = 1;\nNous avons créé une méthode générale pour les données de l'année passée.\n";

/** Texts that say for certain how they are encoded. */
export const samples: readonly Sample[] = [
  sample("UTF-16LE", "utf-16le", chinese, "fffe"),
  sample("UTF-16BE", "utf-16be", chinese, "feff"),
  sample("UTF-16LE", "utf-16le", french),
  sample("UTF-16BE", "utf-16be", french),
  sample("GBK", "gbk", chinese),
  sample("GB18030", "gb18030", `${chinese}// ㇹ 😀 ḿ\n`),
  sample("Shift_JIS", "shift_jis", japanese),
  sample("EUC-JP", "euc-jp", japanese),
  sample("EUC-KR", "euc-kr", korean),
  sample("Big5", "big5", traditional),
  sample("windows-1251", "windows-1251", russian),
  sample("ISO-8859-1", "latin1", french),
];

/** With both kinds of line ends. */
export const allSamples: readonly Sample[] = samples.flatMap((one) => {
  const text = one.text.replaceAll("\n", "\r\n");
  const mark = one.bytes[0] === 0xff || one.bytes[0] === 0xfe ? one.bytes.subarray(0, 2).toString("hex") : "";
  return [one, sample(one.name, one.name === "ISO-8859-1" ? "latin1" : one.name, text, mark)];
});
