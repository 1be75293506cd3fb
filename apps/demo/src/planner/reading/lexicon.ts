/**
 * Words by kind: value = English = Chinese, as sources of regular expressions; the first alternative is also what an answer
 * in Chinese calls the value. The longest phrase that stands at one place of a text is taken; of equal ones the first.
 */
const table = String.raw`
list:  = (?:show|list|display|give|get|see|find)(?: me| us)?|who (?:is|are) = 列出|显示|查看|看看|找出|是谁
which: which = which = 哪些|有哪些|哪[个位张种]; what = what = 什么; who = who|whose = 谁
count:  = how many|(?:the )?(?:total )?(?:number|count) of = 多少|几|数量
howmuch:  = how much = 多少钱
duration:  = how long|how many (?:(?:working )?days?|weeks?|months?|hours?|years?)|when (?:is|are|do|does|must|can) = 多久|几天|多少天|几个月|多少个月|什么时候
aggregate: sum = sum(?: of)?|total(?: of)? = 总额|合计|总计|总
aggregate: mean = average|mean = 平均|平均[值数]; median = median = 中位数; stdev = standard deviation = 标准差
by:  = by|per|each|every|for each|(?:split|grouped) by = 按照?|每一?[个张位种]?|各个?
sup: max = top|best|most|highest|largest|biggest = 最高|最多|最大|最好|前|排名前
sup: min = lowest|fewest|least|smallest|worst = 最低|最少|最小
sup: price max = most expensive = 最贵; price min = cheapest = 最便宜; units max = best[- ]?sell(?:ing|ers?) = 最畅销
recency: last = last|latest|newest|(?:most )?recent = 最近|最新|最后; first = first|oldest|earliest = 最早
noun: orders = orders? = 订单; customers = customers?|members? = 客户|顾客|会员; products = products?|items? = 商品|产品
noun: refunds = refunds?|refunded = 退款; tickets = tickets? = 工单; documents = documents?|docs = 文档|文件
dimension: month = months? = 月份|月; year = years? = 年份|年; status = status(?:es)? = 状态; city = cit(?:y|ies) = 城市
dimension: country = countr(?:y|ies) = 国家; tier = (?:membership |member )?(?:tiers?|levels?) = 会员等级|等级|级别
dimension: category = (?:product )?categor(?:y|ies) = 类别|商品类别|品类; priority = priorit(?:y|ies) = 优先级; reason = reasons? = 原因
field: revenue = (?:sales )?revenues?|sales|turnover|spend|spent = 销售额|营业额|收入|消费额?
field: units = units?|pieces? = 销量|件数|(?<=[\d多少几十]\s?)件
field: total = order (?:values?|totals?|amounts?)|(?:total )?(?:value|amount|worth)s? = 金额|订单金额|总金额|订单总额
field: price = prices?|costs? = 价格|单价|售价; stock = (?:in |on )?stock(?: levels?)?|left = 库存|剩下?
status: processing = processing = 处理中; shipped = shipped = 已发货|发货了; delivered = delivered|arrived = 已送达|送达|已?签收
status: returned = returned = 已退货|退货了; cancelled = cancell?ed = 已取消|被取消|取消[了的]
ticketstatus: open = open = 未关闭|未解决|待处理; closed = closed|resolved = 已关闭|关闭|已解决
tier: gold = gold = 金卡; silver = silver = 银卡; standard = standard = 普通
category: tents = tents? = 帐篷; sleeping = sleeping(?: gear)? = 睡眠用品; backpacks = backpacks? = 背包
category: stoves = stoves? = 炉具; lighting = lighting = 照明; clothing = clothing|clothes = 服装
priority: high = high[- ]priority|urgent = 高优先级|紧急; normal = normal[- ]priority = 普通优先级; low = low[- ]priority = 低优先级
country: China = chinese = 中国; Germany = germans? = 德国; Italy = italians? = 意大利; France = french = 法国; Sweden = swedish = 瑞典
country: United Kingdom = british|uk = 英国; Portugal = portuguese = 葡萄牙; Czechia = czech = 捷克
city: Beijing =  = 北京; Shanghai =  = 上海; Hangzhou =  = 杭州; Chengdu =  = 成都; Guangzhou =  = 广州; Shenzhen =  = 深圳
city: Munich =  = 慕尼黑; Berlin =  = 柏林; Milan =  = 米兰; Paris =  = 巴黎
late:  = late|delayed = 迟到|延误|延迟|晚到
joined:  = joined|signed up = 加入|注册|入会
bought:  = ordered|bought|buys?|(?:placed|made|have|had) (?:an? |any )?orders?|placed?|made|make = 下单|下过单|购买过?了?|买过?了?
sold:  = sold|sell = 卖出?了?|售出
side: >= = since = 以来|至今; > = after = 之后|以后; < = before = 之前|以前; <= = until =
between:  = between|from = 从
to:  = to = 到|至
compare:  = compare|versus|vs\.?|compared (?:to|with) = 比较|对比|相比
than: > = more than|over|above = 超过|大于|高于; >= = at least = 至少|不少于
than: < = less than|under|below|fewer than = 少于|低于|小于|不到; <= = at most|up to = 至多|不超过
number: 1 = one; 2 = two; 3 = three; 4 = four; 5 = five; 6 = six; 7 = seven; 8 = eight; 9 = nine; 10 = ten
column: id =  = 编号; order_id =  = 订单; order =  = 订单; name =  = 名称; name_zh =  = 中文名; title =  = 标题; body =  = 内容
column: customer =  = 客户; product =  = 商品; sku =  = 货号; quantity =  = 数量; days =  = 天数; amount =  = 退款金额
column: joined_on =  = 加入日期; ordered_on =  = 下单日期; promised_on =  = 承诺日期; delivered_on =  = 送达日期
column: requested_on =  = 申请日期; paid_on =  = 支付日期; created =  = 创建日期
unit:  = yuan|rmb|cny = 元|块
and:  = and|& = 和|与|、
not:  = not|no|without|never|except|other than|\w+n['’]t|on(?=\W*$) = 不是|不|没有?|除了|未
filler:  = the|an?|of|are|is|was|were|be|been|there|did|do|does|has|have|had|we|us|our|you|your|i|me|please|that|in|at|on
filler:  = for|with|it|its|all|can|could|would|will|know|tell|so far|in total|altogether|now|data|database|shop|than|['’]s|hi|hello
filler:  =  = 是多少|的|了|有|是|在|吗|呢|请问|请|我们|我|你们?|帮我?|给我|一下|里|中|内|都|共|一共|数据|记录|店里?|目前|现在|当前
filler:  =  = 为|这|那|告诉|把|能|可以|会|所有|全部|分别|情况|统计|(?<=[\d一二两三四五六七八九十几少每哪各]\s?)[个张位名笔种家款条件]|过`;

/** What each word or phrase means: its part in the question, and its value there. */
const entries = table
  .trim()
  .split("\n")
  .flatMap((line) => {
    const [kind = "", values = ""] = line.split(/: (.*)/s);
    return values.split("; ").map((entry) => {
      const [value = "", en = "", zh = ""] = entry.split(" = ");
      return { kind, value: value.trim(), en, zh };
    });
  });

/** The alternatives of a source, but for those in brackets: each may be the longest that stands at a place. */
const alternatives = (source: string): string[] => (source === "" ? [] : source.split(/\|(?![^()]*\))/));

/** Names of columns are for answers alone. */
export const lexicon: readonly { pattern: RegExp; kind: string; value: string }[] = entries
  .filter(({ kind }) => kind !== "column")
  .flatMap(({ kind, value, en, zh }) => {
    const sources = [...(en ? [`(?:${en})(?![\\p{Script=Latin}\\p{N}_])`] : []), ...alternatives(zh)];
    return sources.map((source) => ({ pattern: new RegExp(source, "iuy"), kind, value }));
  });

/** What an answer calls a value of one of some kinds; itself where it is a name. */
export function wordFor(value: string, kinds: readonly string[], zh: boolean): string {
  const entry = entries.find((one) => one.value === value && kinds.includes(one.kind));
  const said = zh ? entry?.zh : /^(?:than|aggregate)$/.test(entry?.kind ?? "") && entry?.en;
  return said ? (alternatives(said)[0] ?? value) : value;
}
