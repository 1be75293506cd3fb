import { type Period, periodText } from "../reading/dates.ts";
import type { Filter, Frame } from "../reading/frame.ts";
import { schema, type Table } from "../reading/schema.ts";
import { formatNumber, type Say, wordTable } from "../text.ts";

export function tableText(table: Table, say: Say): string {
  const [many, , zh] = schema[table].names;
  return say.zh ? zh : many;
}

const measureNames = wordTable(
  "revenue=销售额;units=销量;stock=库存件数;amount=退款金额;mean_total=平均订单金额;mean_price=平均价格;mean_stock=平均库存;mean_amount=平均退款金额",
);
const english = wordTable(
  "stock=units in stock;amount=refunded amount;mean_total=average order;mean_price=average price;mean_stock=average stock;mean_amount=average refund",
);

/** What is counted, summed or averaged. */
export function measureText(measure: string, table: Table, say: Say): string {
  if (measure === "count") return say`${tableText(table, say)} ‖ ${tableText(table, say)}数`;
  const aggregate = measure.split("_")[0] ?? "";
  return say.zh
    ? (measureNames[measure] ?? aggregates[aggregate] ?? measure)
    : (english[measure] ?? aggregate.replace("stdev", "standard deviation"));
}

const aggregates = wordTable("mean=平均;median=中位数;stdev=标准差");

/** A number with its unit, in an answer. */
export function amountText(measure: string, value: unknown, say: Say): string {
  const unit = /revenue|amount|total|price/.test(measure) ? say` yuan ‖  元` : "";
  return formatNumber(Number(value ?? 0)) + unit;
}

/** Chinese names of columns; the English ones say what they are, but for some. */
const columnNames = wordTable(
  `id=编号;order_id=订单;order=订单;name=名称;name_zh=中文名;title=标题;body=内容;customer=客户;city=城市;country=国家;tier=会员等级;
  joined_on=加入日期;ordered_on=下单日期;promised_on=承诺日期;delivered_on=送达日期;requested_on=申请日期;paid_on=支付日期;created_at=创建时间;
  created=创建日期;sent_at=发送时间;status=状态;ticketstatus=状态;total=金额;amount=金额;reason=原因;priority=优先级;sku=货号;product=商品;
  category=类别;price=价格;unit_price=单价;stock=库存;quantity=数量;channel=频道;message=内容;month=月份;year=年份;period=时间`,
);

export function columnLabel(name: string, say: Say): string {
  return say.zh ? (columnNames[name] ?? name) : name.replace(/_on$/, "").replace("ticketstatus", "status");
}

const values = wordTable(
  `processing=处理中;shipped=已发货;delivered=已送达;returned=已退货;cancelled=已取消;open=未关闭;closed=已关闭;gold=金卡;silver=银卡;standard=普通;
  high=高;normal=普通;low=低;tents=帐篷;sleeping=睡眠用品;backpacks=背包;stoves=炉具;lighting=照明;clothing=服装;China=中国;Germany=德国;Italy=意大利;
  France=法国;Sweden=瑞典;United Kingdom=英国;Portugal=葡萄牙;Czechia=捷克`,
);

/** A value of a column, in Chinese where it is a word of the shop and no name. */
export function valueText(column: string, value: unknown, say: Say): string {
  const translated = say.zh && /^(?:status|ticketstatus|tier|priority|category|country)$/.test(column);
  return translated ? (values[String(value)] ?? String(value)) : String(value);
}

const operators: Record<string, string> = {
  ">": "over=大于",
  ">=": "at least=不少于",
  "<": "below=小于",
  "<=": "at most=不超过",
};

/** One condition, for people. */
function filterText({ kind, values: wanted, operator }: Filter, say: Say): string {
  if (kind === "late") return say`delivered after the promised date ‖ 送达晚于承诺日期`;
  const sign = operator === undefined ? "" : `${operators[operator]?.split("=")[say.zh ? 1 : 0]} `;
  return `${columnLabel(kind, say)} ${sign}${say.list(wanted.map((value) => valueText(kind, value, say)))}`;
}

/** All that narrows a question, in brackets, but for what it is split by. */
export function narrowedText({ filters, periods, dated, base }: Frame, say: Say, without?: string): string {
  const dates: readonly Period[] = without === "period" ? [] : periods;
  const label = columnLabel(dated === "delivered" ? "delivered_on" : schema[base].dated, say);
  const spans = say.list(dates.map((period) => periodText(period, say)));
  const list = [
    ...filters.filter(({ kind }) => kind !== without).map((filter) => filterText(filter, say)),
    ...(dates.length > 0 ? [say`${label}: ${spans} ‖ ${label}：${spans}`] : []),
  ];
  return list.length === 0 ? "" : say` (${list.join("; ")}) ‖ （${list.join("；")}）`;
}
