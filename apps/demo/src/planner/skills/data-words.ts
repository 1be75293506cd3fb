import type { Locale } from "@toolglot/core";
import type { Filter, Table } from "../reading/frame.ts";

const tables: Record<Table, Record<Locale, [many: string, one: string]>> = {
  orders: { en: ["orders", "order"], zh: ["订单", "订单"] },
  customers: { en: ["customers", "customer"], zh: ["客户", "客户"] },
  products: { en: ["products", "product"], zh: ["商品", "商品"] },
  order_items: { en: ["order items", "order item"], zh: ["订单明细", "订单明细"] },
  refunds: { en: ["refunds", "refund"], zh: ["退款", "退款"] },
  tickets: { en: ["tickets", "ticket"], zh: ["工单", "工单"] },
  notifications: { en: ["notifications", "notification"], zh: ["通知", "通知"] },
};

/** What a table's rows are called. */
export function tableText(table: Table, language: Locale, one = false): string {
  return tables[table][language][one ? 1 : 0];
}

const measures: Record<string, Record<Locale, string>> = {
  revenue: { en: "revenue", zh: "销售额" },
  units: { en: "units", zh: "销量" },
  stock: { en: "units in stock", zh: "库存件数" },
  amount: { en: "refunded amount", zh: "退款金额" },
  "mean total": { en: "average order", zh: "平均订单金额" },
  "mean price": { en: "average price", zh: "平均价格" },
  "mean stock": { en: "average stock", zh: "平均库存" },
  "mean amount": { en: "average refund", zh: "平均退款金额" },
};

/** What is counted, summed or averaged. */
export function measureText(measure: string, table: Table, language: Locale): string {
  if (measure !== "count") return measures[measure]?.[language] ?? measure;
  return language === "zh" ? `${tableText(table, language)}数` : tableText(table, language);
}

/** Chinese names of columns; the English ones say what they are. */
const columnNames: Record<string, string> = {
  id: "编号",
  order_id: "订单",
  order: "订单",
  name: "名称",
  name_zh: "中文名",
  title: "标题",
  body: "内容",
  customer: "客户",
  city: "城市",
  country: "国家",
  tier: "会员等级",
  joined_on: "加入日期",
  ordered_on: "下单日期",
  promised_on: "承诺日期",
  delivered_on: "送达日期",
  requested_on: "申请日期",
  paid_on: "支付日期",
  created_at: "创建时间",
  created: "创建日期",
  sent_at: "发送时间",
  status: "状态",
  ticketstatus: "状态",
  total: "金额",
  amount: "金额",
  reason: "原因",
  priority: "优先级",
  sku: "货号",
  product: "商品",
  category: "类别",
  price: "价格",
  unit_price: "单价",
  stock: "库存",
  quantity: "数量",
  channel: "频道",
  message: "内容",
  month: "月份",
  year: "年份",
  period: "时间",
};
const dates: Record<string, string> = {
  joined_on: "joined",
  ordered_on: "ordered",
  promised_on: "promised",
  delivered_on: "delivered",
  requested_on: "requested",
  paid_on: "paid",
  ticketstatus: "status",
};

/** A column's name for people. */
export function columnLabel(name: string, language: Locale): string {
  return language === "zh" ? (columnNames[name] ?? name) : (dates[name] ?? name);
}

const values: Record<string, string> = {
  processing: "处理中",
  shipped: "已发货",
  delivered: "已送达",
  returned: "已退货",
  cancelled: "已取消",
  open: "未关闭",
  closed: "已关闭",
  gold: "金卡",
  silver: "银卡",
  standard: "普通",
  high: "高",
  normal: "普通",
  low: "低",
  tents: "帐篷",
  sleeping: "睡眠用品",
  backpacks: "背包",
  stoves: "炉具",
  lighting: "照明",
  clothing: "服装",
  China: "中国",
  Germany: "德国",
  Italy: "意大利",
  France: "法国",
  Sweden: "瑞典",
  "United Kingdom": "英国",
  Portugal: "葡萄牙",
  Czechia: "捷克",
};
const translated = /^(?:status|ticketstatus|tier|priority|category|country)$/;

/** A value of a column, in Chinese where it is a word of the shop and no name. */
export function valueText(column: string, value: string, language: Locale): string {
  if (language !== "zh" || !translated.test(column)) return value;
  return column === "priority" && value === "normal" ? "普通" : (values[value] ?? value);
}

const operators: Record<string, Record<Locale, string>> = {
  ">": { en: "over", zh: "大于" },
  ">=": { en: "at least", zh: "不少于" },
  "<": { en: "below", zh: "小于" },
  "<=": { en: "at most", zh: "不超过" },
};

/** One condition, for people. */
export function filterText({ kind, values: wanted, operator }: Filter, language: Locale): string {
  const zh = language === "zh";
  if (kind === "late") return zh ? "送达晚于承诺日期" : "delivered after the promised date";
  const label = columnLabel(kind, language);
  const list = wanted.map((value) => valueText(kind, value, language)).join(zh ? "、" : ", ");
  return operator === undefined ? `${label} ${list}` : `${label} ${operators[operator]?.[language]} ${list}`;
}
