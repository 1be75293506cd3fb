/**
 * Words by kind, as `value = English = Chinese`: sources of regular expressions, empty where there is none. A value can be empty,
 * too. The longest phrase that stands at one place of a text is taken; of equal ones the first.
 */
const table = String.raw`
list:  = (?:show|list|display|print|give|get|view|see|find)(?: me| us)?|rows?(?: of)?|who (?:is|are) = 列出|显示|查看|看看|看一下|列一下|列举|展示|查一下|查询|查|找出|是谁
which:  = which|what|who|whose = 有哪些|哪些|哪[个位张种]|哪|什么|谁
count:  = how many|(?:the )?(?:total )?(?:number|count) of|count = 多少|几|数量|数目|总数|数
howmuch:  = how much(?: money)? = 多少钱
duration:  = how long|how (?:many|much) (?:(?:working )?days?|weeks?|months?|hours?|minutes?|years?|time)|how (?:soon|fast|quickly|often)|when (?:is|are|do|does|did|was|were|will|must|can) = 多久|多长时间|几天|多少天|几个月|多少个月|多少小时|几个?小时|什么时候|何时
aggregate: sum = sum(?: of)?|total(?: of)? = 总额|总和|合计|总计|总; mean = average|mean|avg = 平均[值数]?|均值; median = median = 中位数
aggregate: stdev = standard deviation|stdev|std dev|spread = 标准差
by:  = by|per|each|every|for (?:each|every)|(?:split|grouped|broken down) by = 按照?|每一?[个张位笔名种]?|各个?|不同
sup: max = top|best|most|highest|largest|biggest|greatest|maximum = 最高|最多|最大|最好|前|排名前; min = lowest|fewest|least|smallest|worst|minimum|bottom = 最低|最少|最小|最差
sup: price max = most expensive|priciest = 最贵; price min = cheapest|least expensive = 最便宜; units max = best[- ]?sell(?:ing|ers?)|sell best|sells best = 最?畅销
recency: last = last|latest|newest|(?:most )?recent|most recently = 最近|最新|最后; first = first|oldest|earliest = 最早|最初
noun: order_items = order[_ ]items?|line items?|order lines? = 订单明细; orders = (?:customer )?orders? = 订单; customers = customers?|clients?|members?|buyers? = 客户|顾客|会员
noun: products = products?|items?|articles? = 商品|产品; refunds = refunds?|refunded = 退款; tickets = tickets? = 工单; notifications = notifications?|messages? = 通知记录|消息记录
noun: documents = documents?|docs|policies|handbooks? = 文档|文件
dimension: month = months?|monthly = 月份?; year = years?|yearly = 年份?; status = status(?:es)?|states? = 状态; city = cit(?:y|ies) = 城市; country = countr(?:y|ies) = 国家
dimension: tier = (?:membership |member )?(?:tiers?|levels?) = (?:会员)?(?:等级|级别); category = (?:product )?categor(?:y|ies) = (?:商品)?(?:类别|品类|分类)
dimension: priority = priorit(?:y|ies) = 优先级; reason = reasons? = 原因
field: revenue = (?:sales )?revenues?|sales|turnover|spend(?:s|ing)?|spent|(?:big )?spenders? = 销售额|营业额|收入|消费额?|花费?了?
field: units = units?|pieces?|quantit(?:y|ies) = 销量|件数|(?<=[\d多少几十]\s?)件
field: total = order (?:values?|totals?|amounts?|sizes?)|(?:values?|amounts?|totals?) of (?:the |all )*orders?|(?:total )?(?:value|amount|worth)s? = (?:订单)?(?:总金额|金额|订单额)|订单总额
field: order mean =  = 客单价; price = prices?|costs? = 价格|单价|售价|价钱; stock = (?:in |on )?stock(?: levels?)?|inventory|left = 库存|存货|现货|剩下?|有货
status: processing = processing|being processed = 处理中|正在处理; shipped = shipped|in transit|on (?:the|their) way = 已发货|发货了|运输中|在途
status: delivered = delivered|arrived = 已?送达|已?签收|已?交付; returned = returned|sent back = 已退货|退货了|退货的|被?退回; cancelled = cancell?ed = 已取消|被取消|取消[了的]
ticketstatus: open = open|unresolved = 未关闭|未完成|未解决|待处理|打开|没关闭; closed = closed|resolved = 已?关闭|已解决
tier: gold = gold = 金卡; silver = silver = 银卡; standard = standard = 普通(?=会员|客户|顾客)
category: tents = tents? = 帐篷; sleeping = sleeping(?: gear)? = 睡眠用品; backpacks = backpacks? = 背包; stoves = stoves? = 炉具; lighting = lighting = 照明(?:用品)?
category: clothing = clothing|clothes = 服装
priority: high = high[- ]priority|(?:with )?(?:a )?priority high|urgent = 高优先级?|优先级(?:为|是)?高|紧急; normal = normal[- ]priority = 普通优先级?|中优先级?
priority: low = low[- ]priority|(?:with )?(?:a )?priority low = 低优先级?|优先级(?:为|是)?低
country: China = chinese = 中国; Germany = germans? = 德国; Italy = italians? = 意大利; France = french = 法国; Sweden = swedish|swedes? = 瑞典
country: United Kingdom = british|uk|u\.k\. = 英国; Portugal = portuguese = 葡萄牙; Czechia = czech(?: republic)? = 捷克
city: Beijing =  = 北京; Shanghai =  = 上海; Hangzhou =  = 杭州; Chengdu =  = 成都; Guangzhou =  = 广州; Shenzhen =  = 深圳; Munich =  = 慕尼黑; Berlin =  = 柏林; Milan =  = 米兰
city: Paris =  = 巴黎
late:  = late|delayed|too late = 迟到|延误|延迟|晚到
joined:  = joined|signed up|registered|new = 加入|注册|入会|新
bought:  = ordered|bought|buys?|purchased?|(?:placed|made|with|have|had) (?:an? |any )?orders?|placed?|made|make = 下过?了?单|下了?|购买过?了?|买过?了?|订购过?了?
sold:  = sold|sell|sells = 卖出?了?|售出|销售
compare:  = compare|versus|vs\.?|(?:the )?differences? between|compared (?:to|with) = 比较|对比|相比|差异|差别
than: > = more than|over|above|greater than|higher than = 超过|大于|高于|多于; >= = at least|no less than = 至少|不少于|不低于
than: < = less than|under|below|fewer than|lower than = 低于|少于|小于|不到|不足; <= = at most|up to|no more than = 至多|不超过|不多于
number: 1 = one; 2 = two; 3 = three; 4 = four; 5 = five; 6 = six; 7 = seven; 8 = eight; 9 = nine; 10 = ten; 11 = eleven; 12 = twelve
unit: yuan = yuan|rmb|cny = 元|块
and:  = and|&|as well as = 和|与|跟|以及|、|及
or:  = or = 或者?
not:  = not|no|without|never|except|excluding|other than|neither|\w+n['’]t = 不是|不|没有?|除了|除去|未
filler:  = the|an?|of|lives?|living|based|are|is|was|were|be|been|there|did|do|does|has|have|had|we|us|our|you|your|i|me|please|that|in|at|on|to|from|for|with|as|it|its|all|any|can|could|would|will|want|know|only|ones|so far|in (?:total|all)|altogether|overall|currently|now|today's|table|data|database|shop|store|records?|entries|tell|say|than|['’]s|hi|hello|thanks|belongs? to|belonging to|named|called|number|no\.|# = 是多少|为多少|的|了|有|是|在|吗|呢|啊|请问|请|我们|我|你们?|您|帮我?|给我|一下|里面|里|中|内|都|共|一共|总共|数据库|数据|表格?|记录|店里?|目前|现在|当前|来自|叫|名为|为|这|那|些|想|要|知道|告诉|麻烦|把|由|做|能|可以|会|从|所有|全部|列表|名单|清单|分别|情况|统计|(?<=[\d一二两三四五六七八九十几少每这那哪各]\s?)[个张位名笔种家款条行号件]|过|于|到|编号`;

/** What a word or phrase means: its part in the question, and its value there. */
export const lexicon: readonly { pattern: RegExp; meaning: { kind: string; value: string } }[] = table
  .trim()
  .split("\n")
  .flatMap((line) => {
    const [kind = "", entries = ""] = line.split(/: (.*)/s);
    return entries.split("; ").flatMap((entry) => {
      const [value = "", en = "", zh = ""] = entry.split(" = ");
      const sources = [en && `(?:${en})(?![\\p{Script=Latin}\\p{N}_])`, zh && `(?:${zh})`];
      return sources
        .filter(Boolean)
        .map((source) => ({ pattern: new RegExp(source, "iuy"), meaning: { kind, value } }));
    });
  });
