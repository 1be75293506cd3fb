const toolsxml = [" (only with --protocol toolsxml)", "（仅限 --protocol toolsxml）"];

/** Id, title in English and Chinese, an example in English and Chinese. */
const table = `
report | count and sum | 统计 | How many orders are there by status? | 每个月的销售额是多少？
top | rank the largest or smallest | 排名 | top 5 products by revenue | 销量最高的 3 种商品
list | list rows of a table | 列出表中的记录 | the last five orders of Marta Rossi | 列出德国的客户
statistics | statistics over query results | 对查询结果做统计 | mean, median and standard deviation of the order totals in September | 九月订单金额的平均值、中位数和标准差
show | show one record | 查看一条记录 | show order 1042 | 查看订单 1024
tickets | list the tickets | 列出工单 | list the open tickets | 列出未关闭的工单
sql | run a query that you type | 执行你写的查询 | SELECT city, COUNT(*) AS customers FROM customers GROUP BY city | 执行 SELECT name, stock FROM products WHERE stock < 12
documents | list the documents | 列出文档 | which documents are there? | 有哪些文档？
search | search the documents | 搜索文档 | search the documents for vouchers | 搜索关于代金券的文档
ask | look up a rule | 查规定 | How long is the warranty on tents? | 金卡会员多少天内可以退货？
read | read a document | 读文档 | read the refund policy | 打开退款政策
summarise | fetch a document and summarise it | 读取文档并总结 | summarise the refund policy | 总结一下退货政策
compare | compare two documents | 比较两篇文档 | compare the return policy and the warranty terms | 比较退货政策和保修条款
chain | read a rule, check the data against it, open a ticket | 查规定、核对数据、建工单 | Find the shipping delay policy, check which orders are affected and open a ticket | 查发货延误处理办法，找出受影响的订单，并建一张工单
ticket | create a ticket (asks you first) | 建工单（会先征求同意） | open a high priority ticket: Lantern overheats; serial F4-10233, send a new battery | 建一张高优先级工单：营灯发热；序列号 F4-10233，请寄新电池
delete | delete a record (asks you first) | 删除记录（会先征求同意） | delete ticket 1 because it is done | 删除工单 1，因为已经处理完
export | export a table in the background | 在后台导出表格 | export the orders as CSV | 导出客户表
notify | send a message to everybody (only with --protocol trp; asks you first) | 群发通知（仅限 --protocol trp，会先征求同意） | announce to the warehouse: stop shipping lantern F4 | 通知仓库：停止发出 F4 营灯
arithmetic | calculate, without tools | 计算（不用工具） | what is 17.5% of 2480 + sqrt(144)? | 计算 (1299 + 459) * 0.85
project-fix | find and fix why a test of the project fails | 找出并修复项目里失败的测试 | fix the failing test in the project | 修复项目里失败的测试
project-rename | rename something in all files of the project | 在项目的所有文件中改名 | rename formatDuration to durationText everywhere | 把 formatDistance 全部改名为 distanceText
project-release | release the project, and answer what its script asks | 发布项目，并回答脚本的提问 | release the project | 发布项目
project-test | run the project's tests | 运行项目的测试 | run the project's tests | 运行项目的测试
project-overview | say what is in the project | 介绍项目里有什么 | what is in the project? | 项目里有什么？
project-call | call a server with a value that you are asked for | 用你提供的值请求服务器 | call http://127.0.0.1:8080/ with the token SHOP_TOKEN | 请求 http://127.0.0.1:8080/，令牌是 SHOP_TOKEN`;

export const skills = table
  .trim()
  .split("\n")
  .map((line) => {
    const [id = "", en = "", zh = "", example = "", exampleZh = ""] = line.split(" | ");
    const [only, onlyZh] = id.startsWith("project-") ? toolsxml : ["", ""];
    return { id, title: { en: en + only, zh: zh + onlyZh }, example: { en: example, zh: exampleZh } };
  });
